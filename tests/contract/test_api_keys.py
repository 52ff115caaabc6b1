"""API keys: created, shown once, listed, revoked, expired."""

import re
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.contract.conftest import STORES, MakeKey
from tests.contract.steps import INVALID, NOT_FOUND, RFC3339_MILLISECONDS, UNAUTHENTICATED, Json, StoreClient, refused
from tests.support.backend import Backend
from tests.support.client import Answer, Client, ok

API_KEYS = "/v1/api_keys"
SHOWN = {"id", "type", "name", "role", "memory_store_ids", "expires_at", "created_at"}
WANTED: Json = {"name": "CI", "role": "read_only"}


def in_future(**distance: float) -> str:
    return (datetime.now(UTC) + timedelta(**distance)).isoformat(timespec="milliseconds")


def once_closed(caller: Client) -> Answer:
    """The first refusal of a caller whose key ends about now; the contract gives it 10 s."""
    end = time.monotonic() + 11
    answer = caller.get(STORES)
    while answer.status == 200 and time.monotonic() < end:
        answer = caller.get(STORES)
    return answer


def test_a_new_key_shows_its_secret_and_works(api: Client) -> None:
    key = ok(api.post(API_KEYS, WANTED))
    assert set(key) >= {*SHOWN, "secret"}
    assert re.fullmatch(r"apikey_[0-9a-f]{32}", key["id"])
    assert (key["type"], key["name"], key["role"]) == ("api_key", "CI", "read_only")
    assert (key["memory_store_ids"], key["expires_at"]) == (None, None)
    assert re.fullmatch(RFC3339_MILLISECONDS, key["created_at"])
    assert len(key["secret"]) >= 32
    assert ok(api.with_key(key["secret"]).get(STORES)) == {"data": [], "next_page": None}


def test_a_new_key_keeps_its_scope_and_its_end(api: Client, store: Json) -> None:
    end = "2999-12-31T23:59:59.500Z"
    key = ok(api.post(API_KEYS, {**WANTED, "memory_store_ids": [store["id"]], "expires_at": end}))
    assert (key["memory_store_ids"], key["expires_at"]) == ([store["id"]], end)


def test_the_end_of_a_key_is_shown_in_utc(api: Client) -> None:
    key = ok(api.post(API_KEYS, {**WANTED, "expires_at": "2999-01-01T02:00:00+02:00"}))
    assert key["expires_at"] == "2999-01-01T00:00:00.000Z"


def test_nulls_mean_every_store_and_no_end(api: Client) -> None:
    key = ok(api.post(API_KEYS, {**WANTED, "memory_store_ids": None, "expires_at": None}))
    assert (key["memory_store_ids"], key["expires_at"]) == (None, None)


def test_secrets_differ(api: Client) -> None:
    assert len({ok(api.post(API_KEYS, WANTED))["secret"] for _ in range(5)}) == 5


def test_the_list_is_newest_first_and_shows_no_secret(api: Client) -> None:
    made = [ok(api.post(API_KEYS, {**WANTED, "name": f"{i}"})) for i in range(5)]
    listed = api.walk(API_KEYS, {"limit": 2})
    assert [key["id"] for key in listed] == [*(key["id"] for key in reversed(made)), api.key_id]
    for shown, key in zip(listed, reversed(made), strict=False):
        assert shown == {field: value for field, value in key.items() if field != "secret"}
    text = str(listed)
    assert "secret" not in text
    assert not [key for key in made if key["secret"] in text]


def test_lists_of_keys_have_pages(api: Client) -> None:
    for i in range(20):
        ok(api.post(API_KEYS, {**WANTED, "name": f"{i}"}))
    first = ok(api.get(API_KEYS))
    assert len(first["data"]) == 20
    last = ok(api.get(API_KEYS, {"page": first["next_page"]}))
    assert ([key["id"] for key in last["data"]], last["next_page"]) == ([api.key_id], None)
    refused(api.get(API_KEYS, {"limit": 0}), INVALID, "limit")
    refused(api.get(API_KEYS, {"page": first["next_page"][:-3]}), INVALID, "page")
    refused(api.get(STORES, {"page": first["next_page"]}), INVALID, "page")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", None),
        ("name", ""),
        ("name", "x" * 256),
        ("name", "a\u0000"),
        ("name", 7),
        ("role", None),
        ("role", "owner"),
        ("role", "Admin"),
        ("role", "session"),
        ("role", 7),
        ("role", ["admin"]),
        ("memory_store_ids", "memstore_" + "0" * 32),
        ("memory_store_ids", [7]),
        ("memory_store_ids", {"a": "b"}),
        ("expires_at", 7),
        ("expires_at", "tomorrow"),
        ("expires_at", "2999-01-01T00:00:00"),
        ("expires_at", "2999-01-01 00:00:00"),
        ("expires_at", "2000-01-01T00:00:00Z"),
        ("secret", "mine"),
        ("id", "apikey_1"),
        ("created_at", "2999-01-01T00:00:00Z"),
        ("workspace_id", "wrkspc_1"),
    ],
)
def test_bad_input_is_named_and_refused(api: Client, field: str, value: Any) -> None:
    refused(api.post(API_KEYS, {**WANTED, field: value}), INVALID, field)
    assert len(api.walk(API_KEYS)) == 1


@pytest.mark.parametrize("field", ["name", "role"])
def test_a_key_needs_a_name_and_a_role(api: Client, field: str) -> None:
    refused(api.post(API_KEYS, {name: value for name, value in WANTED.items() if name != field}), INVALID, field)


def test_a_revoked_key_opens_nothing(api: Client, make_key: MakeKey) -> None:
    """Contract: within 10 s everywhere. This function has seen the key work a moment ago."""
    key, witness = make_key("admin"), make_key("admin")
    ok(key.get(STORES))
    assert ok(api.delete(f"{API_KEYS}/{key.key_id}")) == {"id": key.key_id, "type": "api_key_deleted"}
    refused(once_closed(key), UNAUTHENTICATED)
    for answer in (key.get(STORES), key.post(STORES, {"name": "n"}), key.get(API_KEYS)):
        refused(answer, UNAUTHENTICATED)
    ok(witness.get(STORES))
    assert key.key_id not in [shown["id"] for shown in api.walk(API_KEYS)]
    refused(api.delete(f"{API_KEYS}/{key.key_id}"), NOT_FOUND)


def test_a_key_may_revoke_itself(api: Client, make_key: MakeKey) -> None:
    key = make_key("admin")
    ok(key.delete(f"{API_KEYS}/{key.key_id}"))
    refused(once_closed(key), UNAUTHENTICATED)
    ok(api.get(STORES))


@pytest.mark.parametrize("odd", ["x", "apikey_", "apikey_" + "0" * 32, "memstore_" + "0" * 32, "%00", "workspace"])
def test_a_key_that_never_was_cannot_be_revoked(api: Client, odd: str) -> None:
    refused(api.delete(f"{API_KEYS}/{odd}"), NOT_FOUND)


def test_a_store_cannot_be_deleted_as_a_key(api: Client, store: Json) -> None:
    refused(api.delete(f"{API_KEYS}/{store['id']}"), NOT_FOUND)
    assert ok(api.get(f"{STORES}/{store['id']}")) == store


def test_an_expired_key_opens_nothing(api: Client) -> None:
    end = in_future(seconds=1)
    key = ok(api.post(API_KEYS, {**WANTED, "expires_at": end}))
    refused(once_closed(api.with_key(key["secret"])), UNAUTHENTICATED)
    assert datetime.now(UTC) >= datetime.fromisoformat(end) - timedelta(milliseconds=1)


def test_another_workspace_sees_and_revokes_no_key(api: Client, other_api: Client, make_key: MakeKey) -> None:
    key = make_key("read_only")
    assert [shown["id"] for shown in other_api.walk(API_KEYS)] == [other_api.key_id]
    refused(other_api.delete(f"{API_KEYS}/{key.key_id}"), NOT_FOUND)
    ok(key.get(STORES))


def test_a_key_is_the_author_of_what_it_writes(make_key: MakeKey, store: Json) -> None:
    key = make_key("admin")
    notes = StoreClient(key, store["id"])
    memory = notes.created("/a")
    ok(notes.update(memory["id"], {"content": "new"}))
    actor = {"type": "api_actor", "api_key_id": key.key_id}
    assert [version["created_by"] for version in notes.history()] == [actor, actor]
    redacted = ok(notes.redact(memory["memory_version_id"]))
    assert (redacted["created_by"], redacted["redacted_by"]) == (actor, actor)


def test_nothing_of_a_secret_is_stored(backend: Backend, api: Client) -> None:
    """Only its digest: the secret itself, and any part of it that would help, are nowhere in the table."""
    secret = ok(api.post(API_KEYS, WANTED))["secret"]
    for start in range(len(secret) - 31, len(secret) - 11):
        assert backend.traces_of(secret[start : start + 12]) == []


@pytest.mark.moto_only
def test_a_key_is_looked_up_by_its_digest_and_compared_whole(api: Client, make_key: MakeKey) -> None:
    key = make_key("read_only")
    assert key.key is not None
    last = "A" if key.key[-1] != "A" else "B"
    for wrong in (key.key[:-1], key.key + "x", key.key[:-1] + last, key.key.swapcase(), f" {key.key[1:]}", "apikey_x"):
        refused(key.with_key(wrong).get(STORES), UNAUTHENTICATED)
