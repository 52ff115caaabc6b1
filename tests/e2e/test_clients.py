"""The published clients, with only the base URL and the key changed: what they send, stores, keys, lost replies."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime

from memory_stores.routes import ROUTES

from tests.e2e.recorder import Recorded
from tests.e2e.walks import (
    CLIENTS,
    LOST,
    Facts,
    Walk,
    forbidden,
    invalid,
    not_found,
    refused,
    sha256,
    unauthenticated,
)

OPERATIONS = {route.operation for route in ROUTES}
# What a session has is changed by nobody.
NEVER_DONE = {"add_session_resource", "update_session_resource", "delete_session_resource"}
# The packages have methods for what serves stores and sessions; the rest of it they reach by its path.
OF_THE_PACKAGE = {
    route.operation
    for route in ROUTES
    if route.path.startswith(("/v1/memory_stores", "/v1/sessions"))
    and not route.path.endswith(("/restore", "/memory_prompt", "/credentials"))
}

# --- what the clients send ---


def test_it_is_the_client_that_it_is_taken_for(walked: Walk) -> None:
    expected, _ = CLIENTS[walked.client]
    assert walked.facts["version"].startswith(expected)
    for request in walked.requests:
        bearer, key = request.headers.get("authorization"), request.headers.get("x-api-key")
        of_the_package = operation(request) in OF_THE_PACKAGE
        if walked.client == "anthropic-1":
            assert (bearer, bool(key)) == (None, True)
            assert ("beta=true" in request.target) is of_the_package
        else:
            assert str(bearer).startswith("Bearer ")
            assert (key, "beta=true" in request.target) == (None, False)
        assert ("anthropic-beta" in request.headers) is of_the_package


def test_every_route_was_called(walked: Walk) -> None:
    for operations, status in ((OPERATIONS - NEVER_DONE, 200), (NEVER_DONE, 400)):
        called = {operation(request) for request in walked.requests if request.status == status}
        assert operations - called == set()


def operation(request: Recorded) -> str:
    """The name of what a request asks for."""
    path = request.target.partition("?")[0]
    (found,) = (
        route.operation
        for route in ROUTES
        if route.method == request.method and re.fullmatch(re.sub(r"{\w+}", "[^/]+", route.path), path)
    )
    return found


def test_what_is_refused_is_sent_once(walked: Walk) -> None:
    lost = {request.same for request in walked.requests if request.reply_lost}
    refusals = [request.same for request in walked.requests if request.status >= 400 and request.same not in lost]
    assert {409} <= {request.status for request in walked.requests if request.same in refusals}
    assert [request for request, times in Counter(refusals).items() if times > 1] == []


def test_nothing_failed_on_the_way(walked: Walk) -> None:
    assert {request.status for request in walked.requests} == {200, 400, 401, 403, 404, 409}


# --- stores ---


def test_a_store_is_created_read_and_changed(stores: Facts) -> None:
    created, updated = stores["created"], stores["updated"]
    assert created == {
        "id": created["id"],
        "type": "memory_store",
        "name": "Walk",
        "description": "The first",
        "metadata": {"team": "a", "stage": "test"},
        "created_at": created["created_at"],
        "updated_at": created["created_at"],
        "archived_at": None,
    }
    assert isinstance(created["created_at"], datetime)
    assert stores["retrieved"] == created
    changed = {"name": "Walked", "metadata": {"stage": "test", "owner": "b"}, "updated_at": updated["updated_at"]}
    assert updated == created | changed
    assert updated["updated_at"] > created["updated_at"]
    assert stores["in_workspace"] == updated
    assert stores["raw"]["status"] == 200
    assert stores["raw"]["request_id"].startswith("req_")
    assert stores["raw"]["parsed"] == updated


def test_stores_are_listed_over_all_pages(stores: Facts) -> None:
    assert stores["listed"] == ["Other 3", "Other 2", "Other 1", "Other 0", "Walked"]
    assert stores["since"] == ["Other 3", "Other 2"]
    assert stores["until"] == ["Walked"]
    assert stores["without_archived"] == ["Other 3", "Other 2", "Other 1", "Walked"]
    assert stores["with_archived"] == stores["listed"]


def test_a_store_is_archived_and_another_deleted(stores: Facts) -> None:
    archived = stores["archived"]
    assert (archived["name"], archived["type"]) == ("Other 0", "memory_store")
    assert isinstance(archived["archived_at"], datetime)
    assert stores["archived_again"] == archived
    assert stores["deleted"] == {"id": stores["deleted"]["id"], "type": "memory_store_deleted"}


def test_refusals_of_stores_are_the_clients_own_errors(stores: Facts) -> None:
    refusals = stores["refusals"]
    not_found(refusals["deleted"])
    invalid(refusals["archived"], "archived")
    invalid(refusals["both_betas"], "agent-memory-2026-07-22", "managed-agents-2026-04-01")
    forbidden(refusals["other_workspace"])
    unauthenticated(refusals["wrong_key"])


# --- keys ---


def test_a_key_does_what_it_was_made_for_until_it_is_revoked(walked: Walk, stores: Facts) -> None:
    keys = walked.facts["keys"]
    created, store = keys["created"], stores["created"]["id"]
    assert (created["name"], created["role"], created["memory_store_ids"]) == ("Reader", "read_only", [store])
    assert {key["id"] for key in keys["listed"]["data"]} == {created["id"], walked.key_id}
    assert keys["sees"] == [store]
    forbidden(keys["may_not_write"])
    assert keys["deleted"]["id"] == created["id"]
    unauthenticated(keys["may_no_more"])


# --- lost replies ---


def test_a_create_whose_reply_was_lost_is_answered_by_the_conflict(walked: Walk) -> None:
    lost = walked.facts["lost"]
    error = refused(lost["created"], 409, "memory_path_conflict_error", "ConflictError")
    assert (error["conflicting_path"], error["conflicting_memory_id"]) == ("/lost", lost["updated"]["id"])
    assert statuses_of("create", walked) == [200, 409]


def test_an_update_whose_reply_was_lost_succeeds_and_happens_once(walked: Walk) -> None:
    lost = walked.facts["lost"]
    assert lost["updated"]["content_sha256"] == sha256(f"update: {LOST}")
    assert lost["history"] == [f"update: {LOST}", f"create: {LOST}"]
    assert statuses_of("update", walked) == [200, 200]


def statuses_of(what: str, walked: Walk) -> list[int]:
    return [request.status for request in walked.requests if f"{what}: {LOST}".encode() in request.body]
