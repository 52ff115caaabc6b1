"""What every answer carries, and what every request is asked first: headers, errors, keys, betas, workspace."""

import json
from collections.abc import Mapping

import pytest
from memory_stores.routes import ROUTES

from tests.contract.conftest import STORES, MakeKey
from tests.contract.steps import (
    FORBIDDEN,
    INVALID,
    NOT_FOUND,
    PATH_CONFLICT,
    PRECONDITION_FAILED,
    UNAUTHENTICATED,
    Json,
    StoreClient,
    refused,
    sha256,
)
from tests.support.client import Client, ok
from tests.support.logs import Logs

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
PATHS = sorted({route.path for route in ROUTES})
BETAS = ("agent-memory-2026-07-22", "managed-agents-2026-04-01")


def methods_of(path: str) -> set[str]:
    return {route.method for route in ROUTES if route.path == path}


def filled(path: str) -> str:
    """A path of the table with ids in it."""
    ids = {"store": "memstore_", "memory": "mem_", "version": "memver_", "key": "apikey_", "session": "sesn_"}
    named = {"resource": "memstore_", "deployment": "", "bot": ""}
    return path.format(**{name: prefix + "0" * 32 for name, prefix in (ids | named).items()})


# --- every answer (the client checks envelope and request-id of each, in all tests) ---


def test_request_ids_differ(api: Client) -> None:
    answers = [api.get(STORES) for _ in range(3)] + [api.get("/nowhere") for _ in range(3)]
    assert len({answer.headers["request-id"] for answer in answers}) == 6


def test_an_error_is_the_envelope_and_nothing_else(api: Client) -> None:
    answer = api.get(f"{STORES}/memstore_{'0' * 32}")
    assert answer.status == 404
    assert answer.json == {
        "type": "error",
        "error": {"type": "not_found_error", "message": answer.error["message"]},
        "request_id": answer.headers["request-id"],
    }


UNKNOWN_PATHS = [
    "/",
    "/v1",
    "/v1/",
    "/v2/memory_stores",
    "/v1/memory_stores/",
    "/v1/Memory_Stores",
    "/v1/memory_stores/a/b",
    "/v1/memory_stores/a/memories/b/c",
    "/v1/memory_stores/a/memory_versions/b/undo",
    "/v1/api_keys/a/b",
    "/v1/sessions/a/b",
    "/v1/sessions/a/resources/b/c",
    "/v1/deployments/a/b",
    "/v1/bots/a/memory_stores/b/c",
    "/%00",
]


@pytest.mark.parametrize("path", UNKNOWN_PATHS)
def test_an_unknown_path_is_404_in_the_envelope(api: Client, path: str) -> None:
    for method in ("GET", "POST", "DELETE"):
        refused(api.request(method, path), NOT_FOUND)


def test_an_unknown_path_is_in_the_envelope_without_a_key_too(api: Client) -> None:
    assert api.with_key(None).get("/nowhere").failure in (NOT_FOUND, UNAUTHENTICATED)


@pytest.mark.parametrize("path", PATHS)
def test_another_method_on_a_known_path_is_405_and_names_the_right_ones(api: Client, path: str) -> None:
    wrong = [method for method in METHODS if method not in methods_of(path)]
    assert wrong
    for method in wrong:
        answer = api.request(method, filled(path))
        refused(answer, (405, "invalid_request_error"))
        assert {name.strip() for name in answer.headers["allow"].split(",")} == methods_of(path)


def test_case_38_every_409_asks_the_sdks_not_to_retry(api: Client, store: Json) -> None:
    notes = StoreClient(api, store["id"])
    memory, other = notes.created("/a"), notes.created("/d/e")
    stale = {"type": "content_sha256", "content_sha256": sha256("stale")}
    for answer, error in (
        (notes.create("/a"), PATH_CONFLICT),
        (notes.create("/a/b"), PATH_CONFLICT),
        (notes.create("/d"), PATH_CONFLICT),
        (notes.update(other["id"], {"path": "/a"}), PATH_CONFLICT),
        (notes.update(memory["id"], {"content": "new", "precondition": stale}), PRECONDITION_FAILED),
        (notes.delete(memory["id"], expected_content_sha256=sha256("stale")), PRECONDITION_FAILED),
    ):
        refused(answer, error)
        assert answer.headers["x-should-retry"] == "false"
    ok(notes.delete(memory["id"]))
    ok(notes.create("/a"))
    restored = notes.restore(memory["memory_version_id"])
    refused(restored, PATH_CONFLICT)
    assert restored.headers["x-should-retry"] == "false"


# --- keys ---


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-api-key": ""},
        {"authorization": ""},
        {"authorization": "Bearer"},
        {"authorization": "Bearer "},
        {"x-api-key": "wrong"},
        {"authorization": "Bearer wrong"},
        {"x-api-key": "x" * 4000},
        {"authorization": "Basic dXNlcjpwYXNz"},
        {"x-api-key": "' OR 1=1 --"},
    ],
)
def test_case_40_without_a_good_key_every_route_is_closed(api: Client, headers: Mapping[str, str]) -> None:
    stranger = api.with_key(None)
    for route in ROUTES:
        refused(stranger.request(route.method, filled(route.path), headers=headers), UNAUTHENTICATED)


def test_case_40_a_good_key_in_the_wrong_place_opens_nothing(api: Client) -> None:
    stranger = api.with_key(None)
    for headers in (
        {"authorization": str(api.key)},
        {"authorization": f"Basic {api.key}"},
        {"cookie": f"key={api.key}"},
    ):
        refused(stranger.get(STORES, headers=headers), UNAUTHENTICATED)
    refused(stranger.get(STORES, {"x-api-key": api.key, "api_key": api.key}), UNAUTHENTICATED)


def test_case_40_two_different_keys_are_refused_although_both_are_good(api: Client, make_key: MakeKey) -> None:
    other = make_key("admin")
    refused(api.get(STORES, headers={"authorization": f"Bearer {other.key}"}), UNAUTHENTICATED)
    refused(api.get(STORES, headers={"authorization": "Bearer wrong"}), UNAUTHENTICATED)
    refused(api.with_key("wrong").get(STORES, headers={"authorization": f"Bearer {api.key}"}), UNAUTHENTICATED)


def test_the_same_key_twice_is_one_key(api: Client) -> None:
    ok(api.get(STORES, headers={"authorization": f"Bearer {api.key}"}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-api-key", "{}"),
        ("X-API-KEY", "{}"),
        ("X-Api-Key", "{}"),
        ("Authorization", "Bearer {}"),
        ("authorization", "bearer {}"),
        ("AUTHORIZATION", "BEARER {}"),
    ],
)
def test_case_31_header_names_and_the_scheme_come_in_any_case(api: Client, name: str, value: str) -> None:
    ok(api.with_key(None).get(STORES, headers={name: value.format(api.key)}))


# --- the headers of the SDKs ---


@pytest.mark.parametrize("version", ["2023-06-01", "2099-01-01", "x", ""])
def test_any_version_goes(api: Client, version: str) -> None:
    ok(api.with_headers(anthropic_version=version).get(STORES))


@pytest.mark.parametrize(
    "beta", ["", *BETAS, "files-api-2025-04-14", f"files-api-2025-04-14,{BETAS[0]}", f"{BETAS[1]},{BETAS[1]}"]
)
def test_betas_are_optional_and_others_are_ignored(api: Client, beta: str) -> None:
    ok(api.with_headers(anthropic_beta=beta).get(STORES))


@pytest.mark.parametrize(
    "beta", [",".join(BETAS), ", ".join(reversed(BETAS)), f"{BETAS[0]},files-api-2025-04-14 , {BETAS[1]}"]
)
def test_the_two_betas_of_memory_stores_exclude_each_other(api: Client, store: Json, beta: str) -> None:
    caller = StoreClient(api.with_headers(anthropic_beta=beta), store["id"])
    for answer in (
        caller.api.get(STORES),
        caller.api.post(STORES, {"name": "n"}),
        caller.create("/a"),
        caller.list_memories(),
        caller.list_versions(),
        caller.api.delete(caller.url),
    ):
        refused(answer, INVALID, "anthropic-beta")
    assert api.walk(STORES) == [store]


def test_a_workspace_that_is_sent_must_match(api: Client, workspace: str, store: Json) -> None:
    assert ok(api.with_headers(anthropic_workspace_id=workspace).get(STORES))["data"] == [store]
    for other in ("wrkspc_other", workspace.upper(), workspace + "x"):
        elsewhere = api.with_headers(anthropic_workspace_id=other)
        refused(elsewhere.get(STORES), FORBIDDEN)
        refused(elsewhere.post(STORES, {"name": "n"}), FORBIDDEN)
        refused(elsewhere.delete(f"{STORES}/{store['id']}"), FORBIDDEN)
    assert api.walk(STORES) == [store]


# --- what is never logged ---


@pytest.mark.moto_only
def test_no_content_and_no_secret_is_ever_logged(api: Client, store: Json, logs: Logs) -> None:
    """Neither where all goes well nor where the request is refused for what it holds."""
    content = "the-text-of-the-memory"
    notes = StoreClient(api, store["id"])
    key = ok(api.post("/v1/api_keys", {"name": "n", "role": "admin"}))
    caller = StoreClient(api.with_key(None).with_headers(authorization=f"Bearer {key['secret']}"), notes.id)
    memory = ok(caller.create("/a", content, view="full"))
    ok(caller.update(memory["id"], {"content": f"new {content}"}, view="full"))
    ok(caller.list_memories(view="full"))
    refused(caller.create("/a", content), PATH_CONFLICT)
    for body in (
        {"path": "/b", "content": content, "unknown": content},
        {"path": "/b", "content": [content]},
        {"path": "../b", "content": content},
        {"path": "/b", "content": content * 10_000},
    ):
        refused(caller.api.post(caller.memories_url, body), INVALID)
    broken = json.dumps({"path": "/b", "content": content})[:-1]
    refused(caller.api.post(caller.memories_url, data=broken), INVALID)
    refused(api.with_key(f"{key['secret']}x").get(STORES), UNAUTHENTICATED)
    ok(api.delete(f"/v1/api_keys/{key['id']}"))
    refused(api.with_key(key["secret"]).get(STORES), UNAUTHENTICATED)
    assert logs.records, "the functions do log"
    for hidden in (content, key["secret"], str(api.key)):
        assert hidden not in logs.text
