"""The published clients, with nothing changed but the base URL and the key: every method, and what each one meets."""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import datetime
from typing import Any

import pytest
from memory_stores.routes import ROUTES

from tests.e2e.walks import CLIENTS, LOST, Walk, walk
from tests.support.ministack_backend import MiniStackBackend

TEXT = "naïve\r\n\t\0 e\u0301 \ufeff 😀\u2028"  # as in the scripts
Facts = dict[str, Any]


@pytest.fixture(scope="module", params=CLIENTS)
def walked(request: pytest.FixtureRequest, backend: MiniStackBackend) -> Walk:
    """The walk of each client, done once."""
    return walk(request.param, backend)


@pytest.fixture
def stores(walked: Walk) -> Facts:
    return dict(walked.facts["stores"])


@pytest.fixture
def memories(walked: Walk) -> Facts:
    return dict(walked.facts["memories"])


@pytest.fixture
def versions(walked: Walk) -> Facts:
    return dict(walked.facts["versions"])


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def refused(refusal: Facts, status: int, error_type: str, class_name: str) -> Facts:
    """The `error` object of what has to be this refusal."""
    body = refusal["body"]
    assert (refusal["class"], refusal["status"], body["error"]["type"]) == (class_name, status, error_type)
    assert set(body) == {"type", "error", "request_id"}
    assert refusal["request_id"] == body["request_id"]
    return dict(body["error"])


def invalid(refusal: Facts, *mentions: str) -> None:
    message = refused(refusal, 400, "invalid_request_error", "BadRequestError")["message"]
    for word in mentions:
        assert word in message


def not_found(refusal: Facts) -> None:
    refused(refusal, 404, "not_found_error", "NotFoundError")


# --- what the clients send ---


def test_it_is_the_client_that_it_is_taken_for(walked: Walk) -> None:
    expected, _ = CLIENTS[walked.client]
    assert walked.facts["version"].startswith(expected)
    for request in walked.requests:
        bearer, key = request.headers.get("authorization"), request.headers.get("x-api-key")
        if walked.client == "anthropic-1":
            assert bearer is None
            assert key in (walked.secret, "wrong")
            assert "beta=true" in request.target or request.target.endswith("/restore")
        else:
            assert bearer in (f"Bearer {walked.secret}", "Bearer wrong")
            assert key is None
            assert "beta=true" not in request.target


def test_every_route_of_the_published_api_was_called(walked: Walk) -> None:
    called = {(request.method, shape(request.target)) for request in walked.requests if request.status == 200}
    published = {(route.method, shape(route.path)) for route in ROUTES if "api_keys" not in route.path}
    assert called == published


def shape(target: str) -> str:
    """A path with `*` for each id or placeholder in it."""
    parts = target.partition("?")[0].split("/")
    return "/".join("*" if part.startswith(("memstore_", "mem_", "memver_", "{")) else part for part in parts)


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
    refused(refusals["other_workspace"], 403, "permission_error", "PermissionDeniedError")
    refused(refusals["wrong_key"], 401, "authentication_error", "AuthenticationError")


# --- memories ---


def test_a_memory_is_created_and_read(stores: Facts, memories: Facts) -> None:
    created = memories["created"]
    assert created == {
        "id": created["id"],
        "type": "memory",
        "memory_store_id": stores["created"]["id"],
        "memory_version_id": created["memory_version_id"],
        "path": "/notes/a.md",
        "content": TEXT,
        "content_sha256": sha256(TEXT),
        "content_size_bytes": len(TEXT.encode()),
        "created_at": created["created_at"],
        "updated_at": created["created_at"],
    }
    assert memories["retrieved"] == created
    assert memories["retrieved_basic"] == created | {"content": None}
    basic = memories["basic"]
    assert (basic["content"], basic["content_size_bytes"], basic["content_sha256"]) == (None, 0, sha256(""))


def test_the_largest_memory_comes_back_as_it_went(memories: Facts) -> None:
    large = memories["large"]
    assert (large["content_size_bytes"], large["content_sha256"]) == (102_400, sha256("\x01" * 102_400))
    assert memories["large_is_whole"] is True


def test_a_memory_is_changed_and_renamed(memories: Facts) -> None:
    created, updated, renamed = memories["created"], memories["updated"], memories["renamed"]
    assert (updated["id"], updated["path"], updated["content"]) == (created["id"], "/notes/a.md", "two")
    assert (renamed["id"], renamed["path"], renamed["content"]) == (created["id"], "/notes/z.md", "two")
    assert len({memory["memory_version_id"] for memory in (created, updated, renamed)}) == 3
    assert created["updated_at"] < updated["updated_at"] < renamed["updated_at"]


def test_memories_are_listed_over_all_pages(memories: Facts) -> None:
    paths = ["/e.md", "/large", "/notes/b.md", "/notes/deep/c.md", "/notes/deep/d.md", "/notes/z.md"]
    assert memories["paths"] == paths
    assert memories["children"] == ["/notes/b.md", "/notes/deep/", "/notes/z.md"]
    assert memories["folded"] == [{"type": "memory_prefix", "path": "/notes/deep/"}]
    unchanged = {path: path for path in ("/e.md", "/notes/deep/c.md", "/notes/deep/d.md")}
    assert memories["full"] == {**unchanged, "/notes/b.md": "", "/notes/z.md": "two"}


def test_conflicts_say_what_is_in_the_way(memories: Facts) -> None:
    def in_the_way(name: str) -> tuple[str, str]:
        error = refused(memories["refusals"][name], 409, "memory_path_conflict_error", "ConflictError")
        return error["conflicting_path"], error["conflicting_memory_id"]

    assert in_the_way("taken") == ("/notes/z.md", memories["created"]["id"])
    path, memory_id = in_the_way("below_a_file")
    assert (path, memory_id[:4]) == ("/e.md", "mem_")
    assert in_the_way("a_directory") == ("/notes/deep", "")
    for name in ("stale", "stale_delete"):
        refused(memories["refusals"][name], 409, "memory_precondition_failed_error", "ConflictError")


def test_refusals_of_memories_are_the_clients_own_errors(memories: Facts) -> None:
    invalid(memories["refusals"]["bad_path"], "path")
    not_found(memories["refusals"]["unknown"])
    not_found(memories["refusals"]["deleted"])
    assert memories["deleted"] == {"id": memories["basic"]["id"], "type": "memory_deleted"}


# --- versions ---


def test_versions_tell_what_happened(walked: Walk, memories: Facts, versions: Facts) -> None:
    created, updated, renamed = memories["created"], memories["updated"], memories["renamed"]
    newest, middle, oldest = versions["of_memory"]
    assert [version["id"] for version in versions["of_memory"]] == [
        memory["memory_version_id"] for memory in (renamed, updated, created)
    ]
    assert oldest == {
        "id": created["memory_version_id"],
        "type": "memory_version",
        "memory_store_id": created["memory_store_id"],
        "memory_id": created["id"],
        "operation": "created",
        "path": "/notes/a.md",
        "content": TEXT,
        "content_sha256": sha256(TEXT),
        "content_size_bytes": len(TEXT.encode()),
        "created_at": created["created_at"],
        "created_by": {"type": "api_actor", "api_key_id": walked.key_id},
        "redacted_at": None,
        "redacted_by": None,
    }
    assert [(version["operation"], version["path"], version["content"]) for version in (middle, newest)] == [
        ("modified", "/notes/a.md", "two"),
        ("modified", "/notes/z.md", "two"),
    ]
    assert versions["retrieved"] == oldest
    assert versions["retrieved_basic"] == oldest | {"content": None}


def test_versions_are_listed_over_all_pages_and_by_filters(walked: Walk, versions: Facts) -> None:
    everything = versions["everything"]
    operations = Counter(version["operation"] for version in everything)
    assert operations == {"created": 6, "modified": 2, "deleted": 1}
    assert [version["content"] for version in everything] == [None] * 9
    times = [version["created_at"] for version in everything]
    assert times == sorted(times, reverse=True)
    ids = [version["id"] for version in everything]
    assert versions["by_author"] == ids
    assert (versions["by_nobody"], versions["by_no_service"]) == ([], [])
    middle = versions["of_memory"][1]
    assert versions["at_one_time"] == [version["id"] for version in everything if at_once(version, middle)]
    (deletion,) = versions["deletions"]
    assert deletion == everything[0]
    assert (deletion["operation"], deletion["path"]) == ("deleted", "/notes/b.md")
    assert (deletion["content_sha256"], deletion["content_size_bytes"]) == (None, None)


def at_once(one: Facts, other: Facts) -> bool:
    return bool(one["created_at"] == other["created_at"])


def test_an_old_version_is_restored_and_then_redacted(walked: Walk, memories: Facts, versions: Facts) -> None:
    newest, _, oldest = versions["of_memory"]
    invalid(versions["head"])
    restored = versions["restored"]
    assert (restored["id"], restored["path"]) == (memories["created"]["id"], "/notes/z.md")
    assert restored["content_sha256"] == sha256(TEXT)
    assert restored["memory_version_id"] not in (newest["id"], oldest["id"])
    redacted = versions["redacted"]
    erased: Facts = {"content": None, "path": None, "content_size_bytes": None, "content_sha256": None}
    by: Facts = {"redacted_by": oldest["created_by"], "redacted_at": redacted["redacted_at"]}
    assert redacted == oldest | erased | by
    assert isinstance(redacted["redacted_at"], datetime)
    assert versions["redacted_again"] == redacted
    assert versions["kept_for_audit"] == redacted
    invalid(versions["restored_redacted"], "redacted")


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
