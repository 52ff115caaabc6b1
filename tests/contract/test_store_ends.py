"""Stores archived and deleted, the wall between workspaces, and how many a workspace holds."""

import re

import pytest

from tests.contract.conftest import STORES
from tests.contract.steps import INVALID, NOT_FOUND, RFC3339_MILLISECONDS, Json, StoreClient, refused
from tests.support.backend import Backend
from tests.support.client import Answer, Client, ok
from tests.support.parallel import run_parallel


def url(store: Json) -> str:
    return f"{STORES}/{store['id']}"


# --- archive ---


def test_archive_is_one_way_and_idempotent(api: Client, store: Json) -> None:
    archived = ok(api.post(f"{url(store)}/archive"))
    assert archived == {**store, "archived_at": archived["archived_at"], "updated_at": archived["updated_at"]}
    assert re.fullmatch(RFC3339_MILLISECONDS, archived["archived_at"])
    assert archived["updated_at"] > store["updated_at"]
    assert ok(api.post(f"{url(store)}/archive", {})) == archived
    assert ok(api.get(url(store))) == archived
    refused(api.post(url(store), {"archived_at": None}), INVALID)
    assert ok(api.get(url(store))) == archived


def test_archive_takes_no_arguments(api: Client, store: Json) -> None:
    refused(api.post(f"{url(store)}/archive", {"force": True}), INVALID, "force")
    assert ok(api.get(url(store))) == store


def test_an_archived_store_refuses_writes_and_nothing_changes(api: Client, store: Json) -> None:
    notes = StoreClient(api, store["id"])
    memory = notes.created("/a", "old")
    ok(notes.update(memory["id"], {"content": "new"}))
    notes.archive()
    before = notes.snapshot()
    for answer in (
        api.post(url(store), {"name": "new"}),
        notes.create("/b"),
        notes.update(memory["id"], {"content": "newer"}),
        notes.update(memory["id"], {"path": "/moved"}),
        notes.delete(memory["id"]),
        notes.restore(memory["memory_version_id"]),
    ):
        refused(answer, INVALID)
    assert notes.snapshot() == before


def test_an_archived_store_can_be_read_redacted_and_deleted(api: Client, store: Json) -> None:
    notes = StoreClient(api, store["id"])
    memory = notes.created("/a", "old")
    ok(notes.update(memory["id"], {"content": "new"}))
    notes.archive()
    assert ok(notes.get(memory["id"]))["content"] == "new"
    assert notes.paths() == ["/a"]
    assert ok(notes.version(memory["memory_version_id"]))["content"] == "old"
    assert ok(notes.redact(memory["memory_version_id"]))["content"] is None
    assert ok(api.delete(url(store))) == {"id": store["id"], "type": "memory_store_deleted"}


# --- delete ---


@pytest.mark.parametrize("archived", [False, True])
def test_a_deleted_store_is_gone_at_once_everywhere(api: Client, store: Json, archived: bool) -> None:
    notes = StoreClient(api, store["id"])
    memory = notes.created("/a", "old")
    version = memory["memory_version_id"]
    ok(notes.update(memory["id"], {"content": "new"}))
    if archived:
        notes.archive()
    assert ok(api.delete(url(store))) == {"id": store["id"], "type": "memory_store_deleted"}
    for answer in every_route(notes, memory["id"], version):
        refused(answer, NOT_FOUND)
    assert api.walk(STORES, {"include_archived": "true"}) == []


def test_a_store_that_never_was_answers_the_same(api: Client) -> None:
    notes = StoreClient(api, "memstore_" + "0" * 32)
    for answer in every_route(notes, "mem_" + "0" * 32, "memver_" + "0" * 32):
        refused(answer, NOT_FOUND)


@pytest.mark.parametrize(
    "odd", ["x", "memstore_", "memstore_xyz", "mem_" + "0" * 32, "memstore_" + "0" * 33, "%00", "%F0%9F%98%80", "a%0Ab"]
)
def test_what_is_no_id_is_not_there(api: Client, odd: str) -> None:
    for answer in (api.get(f"{STORES}/{odd}"), api.delete(f"{STORES}/{odd}"), api.get(f"{STORES}/{odd}/memories")):
        refused(answer, NOT_FOUND)


def every_route(notes: StoreClient, memory_id: str, version_id: str) -> list[Answer]:
    """The answer of each route below one store."""
    api = notes.api
    return [
        api.get(notes.url),
        api.post(notes.url, {"name": "n"}),
        api.post(f"{notes.url}/archive"),
        api.delete(notes.url),
        notes.create("/new"),
        notes.list_memories(),
        notes.get(memory_id),
        notes.update(memory_id, {"content": "c"}),
        notes.delete(memory_id),
        notes.list_versions(),
        notes.version(version_id),
        notes.redact(version_id),
        notes.restore(version_id),
    ]


# --- tenancy ---


def test_another_workspaces_store_answers_like_one_that_does_not_exist(
    api: Client, other_api: Client, store: Json
) -> None:
    mine = StoreClient(api, store["id"])
    memory = mine.created("/a", "mine")
    before = mine.snapshot()
    unknown = StoreClient(other_api, "memstore_" + "f" * 32)
    ids = memory["id"], memory["memory_version_id"]
    for theirs, nothing in zip(
        every_route(StoreClient(other_api, store["id"]), *ids), every_route(unknown, *ids), strict=True
    ):
        refused(theirs, NOT_FOUND)
        assert theirs.error["message"].replace(store["id"], unknown.id) == nothing.error["message"]
        assert set(theirs.error) == set(nothing.error)
    assert mine.snapshot() == before
    assert other_api.walk(STORES, {"include_archived": "true"}) == []


# --- the limit of a workspace ---


@pytest.fixture
def limit(backend: Backend) -> int:
    if backend.max_stores > 100:
        pytest.skip("the limit is too far away to be reached here")
    return backend.max_stores


def test_a_workspace_holds_so_many_stores_and_a_deleted_one_makes_room(
    api: Client, other_api: Client, limit: int
) -> None:
    stores = [ok(api.post(STORES, {"name": f"{i}"})) for i in range(limit)]
    refused(api.post(STORES, {"name": "one too many"}), INVALID)
    assert len(api.walk(STORES)) == limit
    ok(other_api.post(STORES, {"name": "another workspace has a limit of its own"}))
    ok(api.delete(url(stores[0])))
    ok(api.post(STORES, {"name": "fits"}))
    refused(api.post(STORES, {"name": "one too many"}), INVALID)


def test_the_limit_of_stores_holds_under_parallel_creates(api: Client, limit: int) -> None:
    answers = run_parallel([lambda: api.post(STORES, {"name": "n"})] * (limit + 6))
    assert sum(answer.status == 200 for answer in answers) == limit
    for answer in answers:
        if answer.status != 200:
            refused(answer, INVALID)
    assert len(api.walk(STORES)) == limit


def test_parallel_deletes_of_one_store_make_room_for_one(api: Client, limit: int) -> None:
    stores = [ok(api.post(STORES, {"name": f"{i}"})) for i in range(limit)]
    run_parallel([lambda: api.delete(url(stores[0]))] * 6)
    ok(api.delete(url(stores[1])))
    answers = [api.post(STORES, {"name": "n"}) for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 400]
