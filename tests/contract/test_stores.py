"""Memory stores: contract sections 1 to 3, all that concerns a store itself but its listing (test_store_listing)."""

import re
from typing import Any

import pytest

from tests.contract.conftest import STORES
from tests.contract.steps import INVALID, NOT_FOUND, RFC3339_MILLISECONDS, Json, StoreClient, refused
from tests.support.backend import Backend
from tests.support.client import Answer, Client, ok
from tests.support.parallel import run_parallel

STORE_FIELDS = {"id", "type", "name", "description", "metadata", "created_at", "updated_at", "archived_at"}
SIXTEEN_PAIRS = {f"k{i:02}": "v" for i in range(16)}
BAD_NAMES = ["", "x" * 256, "a\nb", "a\u0000b", "a\u007fb", "a\u0085b", 7, ["a"], {"a": "b"}, True]
BAD_DESCRIPTIONS = ["x" * 1025, 7, ["a"], False]
BAD_METADATA = [
    {**SIXTEEN_PAIRS, "one more": "v"},
    {"": "v"},
    {"k" * 65: "v"},
    {"k": "v" * 513},
    {"k": 1},
    {"k": True},
    {"k": ["v"]},
    {"k": {"v": "w"}},
    ["k"],
    "k",
    7,
]


def url(store: Json) -> str:
    return f"{STORES}/{store['id']}"


# --- create ---


def test_a_new_store_shows_every_documented_field_and_no_other(api: Client) -> None:
    store = ok(api.post(STORES, {"name": "Notes"}))
    assert set(store) == STORE_FIELDS
    assert re.fullmatch(r"memstore_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}", store["id"]), "a UUIDv7 in hex"
    assert (store["type"], store["name"], store["description"], store["metadata"]) == ("memory_store", "Notes", "", {})
    assert store["archived_at"] is None
    assert re.fullmatch(RFC3339_MILLISECONDS, store["created_at"])
    assert store["updated_at"] == store["created_at"]
    assert ok(api.get(url(store))) == store


def test_a_new_store_keeps_what_it_was_given(api: Client) -> None:
    given = {"name": " Ünï \U0001f600 /#?& ", "description": "two\nlines", "metadata": {"team": "α", "empty": ""}}
    store = ok(api.post(STORES, given))
    assert {field: store[field] for field in given} == given
    assert ok(api.get(url(store))) == store


def test_names_are_not_unique(api: Client) -> None:
    one, two = (ok(api.post(STORES, {"name": "Notes"})) for _ in range(2))
    assert one["id"] != two["id"]


@pytest.mark.parametrize(
    "given",
    [
        {"name": "x"},
        {"name": "x" * 255},
        {"name": "\U0001f600" * 255},
        {"name": "n", "description": "é" * 1024},
        {"name": "n", "description": ""},
        {"name": "n", "metadata": SIXTEEN_PAIRS},
        {"name": "n", "metadata": {"é" * 64: "\U0001f600" * 512}},
    ],
)
def test_limits_count_characters_and_are_inclusive(api: Client, given: Json) -> None:
    store = ok(api.post(STORES, given))
    assert {field: store[field] for field in given} == given


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", value) for value in BAD_NAMES]
    + [("description", value) for value in BAD_DESCRIPTIONS]
    + [("metadata", value) for value in BAD_METADATA],
)
def test_bad_values_are_refused_on_create_and_update(api: Client, store: Json, field: str, value: Any) -> None:
    refused(api.post(STORES, {"name": "n", field: value}), INVALID, field)
    refused(api.post(url(store), {field: value}), INVALID, field)
    assert ok(api.get(url(store))) == store
    assert len(api.walk(STORES)) == 1


@pytest.mark.parametrize("body", [{}, {"description": "d"}, {"name": None}])
def test_a_store_needs_a_name(api: Client, body: Json) -> None:
    refused(api.post(STORES, body), INVALID, "name")
    assert api.walk(STORES) == []


def test_a_new_store_has_no_metadata_to_remove(api: Client) -> None:
    refused(api.post(STORES, {"name": "n", "metadata": {"k": None}}), INVALID, "metadata")


@pytest.mark.parametrize(
    "field", ["id", "type", "created_at", "updated_at", "archived_at", "status", "workspace_id", "x"]
)
def test_unknown_fields_are_named_and_refused(api: Client, store: Json, field: str) -> None:
    refused(api.post(STORES, {"name": "n", field: "v"}), INVALID, field)
    refused(api.post(url(store), {"name": "n", field: "v"}), INVALID, field)
    assert ok(api.get(url(store))) == store


# --- update ---


def test_an_update_changes_what_it_names_and_nothing_else(api: Client) -> None:
    store = ok(api.post(STORES, {"name": "n", "description": "d", "metadata": {"k": "v"}}))
    changed = ok(api.post(url(store), {"description": "new"}))
    assert changed == {**store, "description": "new", "updated_at": changed["updated_at"]}
    changed = ok(api.post(url(store), {"name": "new name"}))
    assert (changed["name"], changed["description"], changed["metadata"]) == ("new name", "new", {"k": "v"})
    assert ok(api.get(url(store))) == changed


def test_an_empty_description_clears(api: Client) -> None:
    store = ok(api.post(STORES, {"name": "n", "description": "d"}))
    assert ok(api.post(url(store), {"description": ""}))["description"] == ""


def test_null_means_left_out_on_update(api: Client) -> None:
    store = ok(api.post(STORES, {"name": "n", "description": "d", "metadata": {"k": "v"}}))
    changed = ok(api.post(url(store), {"name": "m", "description": None, "metadata": None}))
    assert (changed["name"], changed["description"], changed["metadata"]) == ("m", "d", {"k": "v"})
    assert ok(api.post(url(store), {"name": None, "description": "e"}))["name"] == "m"


def test_metadata_is_merged(api: Client) -> None:
    store = ok(api.post(STORES, {"name": "n", "metadata": {"a": "1", "b": "2"}}))
    patch = {"b": "3", "c": "4", "a": None, "never there": None}
    assert ok(api.post(url(store), {"metadata": patch}))["metadata"] == {"b": "3", "c": "4"}
    assert ok(api.post(url(store), {"metadata": {}}))["metadata"] == {"b": "3", "c": "4"}
    assert ok(api.get(url(store)))["metadata"] == {"b": "3", "c": "4"}


def test_the_limit_of_metadata_is_checked_after_the_merge(api: Client) -> None:
    store = ok(api.post(STORES, {"name": "n", "metadata": SIXTEEN_PAIRS}))
    refused(api.post(url(store), {"metadata": {"one more": "v"}}), INVALID, "metadata")
    assert ok(api.get(url(store))) == store
    changed = ok(api.post(url(store), {"metadata": {"one more": "v", "k00": None}}))
    assert len(changed["metadata"]) == 16
    assert "one more" in changed["metadata"]
    many_removed = {f"k{i:02}": None for i in range(16)} | {f"n{i:02}": "v" for i in range(15)}
    assert len(ok(api.post(url(store), {"metadata": many_removed}))["metadata"]) == 16


def test_parallel_metadata_patches_all_land(api: Client, store: Json) -> None:
    """A merge is over what is stored when it lands, not over what somebody read."""
    patches = [lambda i=i: api.post(url(store), {"metadata": {f"k{i}": "v"}}) for i in range(12)]
    for answer in run_parallel(patches):
        ok(answer)
    assert ok(api.get(url(store)))["metadata"] == {f"k{i}": "v" for i in range(12)}


@pytest.mark.parametrize("change", [{"name": "new"}, {"description": "new"}, {"metadata": {"k": "new"}}])
def test_updated_at_moves_with_the_store_and_created_at_does_not(api: Client, store: Json, change: Json) -> None:
    changed = ok(api.post(url(store), change))
    assert changed["updated_at"] > store["updated_at"]
    assert changed["created_at"] == store["created_at"]


def test_updated_at_never_moves_with_memories(api: Client, store: Json) -> None:
    notes = StoreClient(api, store["id"])
    memory = notes.created("/a")
    ok(notes.update(memory["id"], {"content": "new", "path": "/b"}))
    ok(notes.redact(memory["memory_version_id"]))
    ok(notes.delete(memory["id"]))
    assert ok(api.get(url(store))) == store


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
