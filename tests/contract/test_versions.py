"""The history of memories: its order, its filters, its pages and its views."""

import re
from collections.abc import Callable, Iterable
from functools import partial

import pytest

from tests.contract.conftest import MakeKey, Signed
from tests.contract.steps import NOT_FOUND, RFC3339_MILLISECONDS, Json, StoreClient, refused, walk
from tests.support.backend import Backend, first_client
from tests.support.client import Client, ok
from tests.support.parallel import run_parallel

VERSION_FIELDS = {
    "id",
    "type",
    "memory_store_id",
    "memory_id",
    "operation",
    "path",
    "content",
    "content_sha256",
    "content_size_bytes",
    "created_at",
    "created_by",
    "redacted_at",
    "redacted_by",
}


@pytest.fixture
def notes(api: Client, store: Json) -> StoreClient:
    return StoreClient(api, store["id"])


def ids(versions: Iterable[Json]) -> list[str]:
    return [version["id"] for version in versions]


# --- one version ---


def test_a_version_shows_every_documented_field_and_no_other(notes: StoreClient) -> None:
    memory = notes.created("/a", "text")
    version = ok(notes.version(memory["memory_version_id"]))
    assert set(version) == VERSION_FIELDS
    assert re.fullmatch(RFC3339_MILLISECONDS, version["created_at"])
    assert version == {
        "id": memory["memory_version_id"],
        "type": "memory_version",
        "memory_store_id": notes.id,
        "memory_id": memory["id"],
        "operation": "created",
        "path": "/a",
        "content": "text",
        "content_sha256": memory["content_sha256"],
        "content_size_bytes": 4,
        "created_at": version["created_at"],
        "created_by": {"type": "api_actor", "api_key_id": notes.api.key_id},
        "redacted_at": None,
        "redacted_by": None,
    }


@pytest.mark.parametrize(
    ("query", "shown"), [({}, "text"), ({"view": "full"}, "text"), ({"view": "basic"}, None)], ids=str
)
def test_view_of_retrieve(notes: StoreClient, query: dict[str, str], shown: str | None) -> None:
    version_id = notes.created("/a", "text")["memory_version_id"]
    full = ok(notes.version(version_id))
    assert ok(notes.version(version_id, **query)) == full | {"content": shown}


@pytest.mark.parametrize(
    ("query", "shown"), [({}, None), ({"view": "basic"}, None), ({"view": "full"}, "text")], ids=str
)
def test_view_of_lists(notes: StoreClient, query: dict[str, str], shown: str | None) -> None:
    version_id = notes.created("/a", "text")["memory_version_id"]
    full = ok(notes.version(version_id))
    assert ok(notes.list_versions(**query)) == {"data": [full | {"content": shown}], "next_page": None}


def test_a_deleted_version_has_no_body_in_any_view(notes: StoreClient) -> None:
    memory = notes.created("/a", "text")
    ok(notes.delete(memory["id"]))
    [deleted] = notes.history(operation="deleted")
    assert deleted["path"] == "/a"
    for field in ("content", "content_sha256", "content_size_bytes", "redacted_at", "redacted_by"):
        assert deleted[field] is None
    for view in ("full", "basic"):
        assert ok(notes.version(deleted["id"], view=view)) == deleted


def test_versions_are_kept_to_the_byte_after_the_memory_is_gone(notes: StoreClient) -> None:
    memory = notes.created("/a", "one\r\n")
    ok(notes.update(memory["id"], {"content": "\ufefftwo\u0000"}))
    ok(notes.delete(memory["id"]))
    history = notes.history(memory_id=memory["id"])
    assert [version["operation"] for version in history] == ["deleted", "modified", "created"]
    assert [version["content"] for version in history] == [None, "\ufefftwo\u0000", "one\r\n"]
    assert [ok(notes.version(version["id"])) for version in history] == history


def test_an_unknown_version_is_not_found(notes: StoreClient) -> None:
    memory = notes.created("/a")
    for version_id in ("memver_" + "0" * 32, "memver_x", "x", memory["id"]):
        refused(notes.version(version_id), NOT_FOUND)


def test_a_version_of_another_store_is_not_found(notes: StoreClient, make_store: Callable[..., Json]) -> None:
    """Case 39."""
    other = StoreClient(notes.api, make_store()["id"])
    refused(other.version(notes.created("/a")["memory_version_id"]), NOT_FOUND)


# --- authors ---


def test_the_author_is_the_key_that_wrote(notes: StoreClient, make_key: MakeKey) -> None:
    writer = make_key("read_write")
    memory = notes.created("/a")
    ok(StoreClient(writer, notes.id).update(memory["id"], {"content": "two"}))
    ok(notes.delete(memory["id"]))
    keys = [notes.api.key_id, writer.key_id, notes.api.key_id]
    assert len(set(keys)) == 2
    assert [version["created_by"] for version in notes.history()] == [
        {"type": "api_actor", "api_key_id": key} for key in keys
    ]


def test_the_author_behind_the_signed_door_is_the_role_without_its_session(backend: Backend, signed: Signed) -> None:
    admin = signed(session_name="one")
    store = StoreClient(admin, ok(admin.post("/v1/memory_stores", json={"name": "Signed"}))["id"])
    memory = store.created("/a", "one")
    ok(StoreClient(signed(session_name="two"), store.id).update(memory["id"], {"content": "two"}))
    by_key = StoreClient(first_client(backend, backend.default_workspace_id), store.id)
    ok(by_key.update(memory["id"], {"content": "three"}))
    newest, *signed_versions = store.history()
    assert newest["created_by"] == {"type": "api_actor", "api_key_id": by_key.api.key_id}
    [actor] = {tuple(version["created_by"].items()) for version in signed_versions}
    role = dict(actor)["service_account_id"]
    assert actor == (("type", "service_account_actor"), ("service_account_id", role))
    assert role.startswith("arn:aws:")
    assert not role.endswith(("/one", "/two"))
    assert ids(store.history(service_account_id=role)) == ids(signed_versions)
    assert store.history(service_account_id=role, api_key_id=by_key.api.key_id) == []
    assert ids(store.history(api_key_id=by_key.api.key_id)) == [newest["id"]]


# --- order ---


def test_history_is_newest_first_in_commit_order(notes: StoreClient) -> None:
    written = []
    for number in range(3):
        memory = notes.created(f"/{number}")
        written.append(memory["memory_version_id"])
        updates = [ok(notes.update(memory["id"], {"content": text})) for text in ("two", "three")]
        written += [update["memory_version_id"] for update in updates]
    assert ids(notes.history()) == written[::-1]
    assert ids(walk(notes.api, notes.versions_url, limit=2)) == written[::-1]


@pytest.mark.moto_only
def test_history_is_in_commit_order_whatever_the_clock_says(
    notes: StoreClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 37: many changes in one frozen millisecond, then more with the clock five seconds back."""
    from memory_stores.domain import clock

    memory = notes.created("/a", "0")
    other = notes.created("/b", "0")
    now = clock.now()
    written = [memory["memory_version_id"]]
    for shift in (0, -5000):
        monkeypatch.setattr(clock, "now", lambda shift=shift: now + shift)
        for number in range(12):
            text = f"{shift} {number}"
            written.append(ok(notes.update(memory["id"], {"content": text}))["memory_version_id"])
    ok(notes.delete(memory["id"]))
    written.append(ok(notes.restore(written[0]))["memory_version_id"])
    history = notes.history(memory_id=memory["id"])
    del history[1]  # the deletion, whose id no answer told
    assert ids(history) == written[::-1]
    assert ids(history) == sorted(ids(history), reverse=True)
    whole = ids(notes.history())
    assert [id_ for id_ in whole if id_ != other["memory_version_id"]][2:] == written[-2::-1]
    times = [version["created_at"] for version in history]
    assert times == sorted(times, reverse=True)


def test_concurrent_updates_are_one_chain(notes: StoreClient) -> None:
    memory = notes.created("/a", "start")
    answers = run_parallel([partial(notes.update, memory["id"], {"content": str(number)}) for number in range(8)])
    assert {answer.status for answer in answers} == {200}
    history = notes.history()
    assert {version["content"] for version in history} == {"start", *map(str, range(8))}
    assert history[-1]["content"] == "start"
    assert ok(notes.get(memory["id"]))["memory_version_id"] == history[0]["id"]
