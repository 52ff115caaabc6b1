"""Each operation of the API, as it is measured, and what it may cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from tests.bench.place import TEXT, Place, fresh_path
from tests.contract.steps import StoreClient
from tests.support.client import Answer, ok

Request = Callable[[], Answer]

STORES = "/v1/memory_stores"
API_KEYS = "/v1/api_keys"
NO_STORE = f"{STORES}/none"
"""Not the id of a store: the request is refused once it is known who is calling."""


class Budget(NamedTuple):
    """The most sequential hops and AWS calls, beside the one read that finds out who is calling."""

    hops: int
    calls: int


class Scene(NamedTuple):
    """What the requests find: a caller, and a store with more than 100 memories in folders."""

    place: Place
    store: StoreClient


@dataclass(frozen=True)
class Operation:
    """One row of the table. `prepare` makes what the request needs and answers the request, which alone is measured."""

    name: str
    budget: Budget
    prepare: Callable[[Scene], Request]
    status: int = 200
    is_authentication: bool = False


def _create(at: Scene) -> Request:
    at.place.memory(at.store)  # in the same folder
    return lambda: at.store.create(fresh_path(), TEXT)


def _create_deep(at: Scene) -> Request:
    return lambda: at.store.create(f"/new{fresh_path()}/a/b.md", TEXT)


def _update(at: Scene, **change: str) -> Request:
    memory = at.place.memory(at.store)
    return lambda: at.store.update(memory["id"], change)


def _delete(at: Scene) -> Request:
    memory = at.place.memory(at.store)
    return lambda: at.store.delete(memory["id"])


def _retrieve(at: Scene, view: str) -> Request:
    memory = at.place.memory(at.store)
    return lambda: at.store.get(memory["id"], view=view)


def _versions_of_memory(at: Scene) -> Request:
    memory = at.place.memory(at.store, versions=3)
    return lambda: at.store.list_versions(memory_id=memory["id"])


def _filtered_versions(at: Scene, **filters: str) -> Request:
    """In a store of its own, where all versions are creations by one author."""
    store = at.place.filled_store(6, 24)
    return lambda: store.list_versions(**filters)


def _version(at: Scene) -> Request:
    memory = at.place.memory(at.store)
    return lambda: at.store.version(memory["memory_version_id"])


def _redact(at: Scene) -> Request:
    memory = at.place.memory(at.store, versions=2)
    return lambda: at.store.redact(memory["memory_version_id"])


def _restore(at: Scene) -> Request:
    memory = at.place.memory(at.store, versions=2)
    return lambda: at.store.restore(memory["memory_version_id"])


def _restore_deleted(at: Scene) -> Request:
    memory = at.place.memory(at.store)
    ok(at.store.delete(memory["id"]))
    return lambda: at.store.restore(memory["memory_version_id"])


def _store(at: Scene, request: Callable[[StoreClient], Answer]) -> Request:
    store = at.place.store()
    return lambda: request(store)


def _create_key(at: Scene, store_ids: list[str] | None) -> Request:
    body = {"name": "Bench", "role": "read_only", "memory_store_ids": store_ids}
    return lambda: at.place.api.post(API_KEYS, body)


def _delete_key(at: Scene) -> Request:
    key = ok(_create_key(at, None)())
    return lambda: at.place.api.delete(f"{API_KEYS}/{key['id']}")


# A write reads fences and rules, puts the body and commits; a list reads the store beside or before its Query. Where
# the design has no row, the budget is the least that its rules allow, and the comment says what the hops are.
WRITE = Budget(4, 4)
CHANGE_OF_RULES = Budget(3, 18)  # the state, 16 bumps side by side, the mark that it is finished
LIST = Budget(2, 2)
SEARCH = Budget(4, 4)  # the store, and Queries for 21 versions, then 84, then 336

OPERATIONS = (
    Operation(
        "authentication, key door",
        Budget(1, 1),
        lambda at: lambda: at.place.api.get(NO_STORE),
        status=404,
        is_authentication=True,
    ),
    Operation(
        "authentication, signed door",
        Budget(1, 1),
        lambda at: lambda: at.place.signed.get(NO_STORE),
        status=404,
        is_authentication=True,
    ),
    Operation("create memory", WRITE, _create),
    Operation("create memory, 4 new folders", WRITE, _create_deep),
    Operation("update content", WRITE, lambda at: _update(at, content="new")),
    Operation("rename", WRITE, lambda at: _update(at, path=fresh_path())),
    Operation("update content and rename", WRITE, lambda at: _update(at, content="new", path=fresh_path())),
    Operation("delete memory", WRITE, _delete),
    Operation("retrieve memory, full", Budget(2, 2), lambda at: _retrieve(at, "full")),
    Operation("retrieve memory, basic", Budget(1, 1), lambda at: _retrieve(at, "basic")),
    Operation("list memories, 20 basic", LIST, lambda at: at.store.list_memories),
    Operation("list memories, 100 basic", LIST, lambda at: lambda: at.store.list_memories(limit=100)),
    Operation("list memories, 20 full", Budget(3, 22), lambda at: lambda: at.store.list_memories(view="full")),
    Operation(
        "list memories, depth=1, 5 folders",
        Budget(7, 7),  # the store, a Query for each folder that is larger than a page, one to find the next page
        lambda at: lambda: at.store.list_memories(depth=1, path_prefix="/filled/", limit=5),
    ),
    Operation("list versions, 20 basic", LIST, lambda at: at.store.list_versions),
    Operation("list versions, 20 full", Budget(3, 22), lambda at: lambda: at.store.list_versions(view="full")),
    Operation("list versions of a memory", LIST, _versions_of_memory),
    Operation("list versions by operation", LIST, lambda at: _filtered_versions(at, operation="created")),
    Operation("list versions, none of 144 matches", SEARCH, lambda at: _filtered_versions(at, session_id="none")),
    Operation("get version", Budget(2, 2), _version),
    Operation("redact version", Budget(3, 3), _redact),  # the row, hiding it, the body
    Operation("restore, living memory", Budget(5, 5), _restore),  # whose version it is, then like any write
    Operation("restore, deleted memory", Budget(6, 6), _restore_deleted),  # and what stands at its path
    Operation("create store", Budget(1, 1), lambda at: lambda: at.place.api.post(STORES, {"name": "New"})),
    Operation("get store", Budget(1, 1), lambda at: lambda: at.place.api.get(at.store.url)),
    Operation(
        "update store", Budget(2, 2), lambda at: _store(at, lambda store: at.place.api.post(store.url, {"name": "New"}))
    ),
    Operation("list stores", Budget(1, 1), lambda at: lambda: at.place.api.get(STORES)),
    Operation(
        "archive store",
        CHANGE_OF_RULES,
        lambda at: _store(at, lambda store: at.place.api.post(f"{store.url}/archive")),
    ),
    Operation("delete store", CHANGE_OF_RULES, lambda at: _store(at, lambda store: at.place.api.delete(store.url))),
    Operation("create API key", Budget(1, 1), lambda at: _create_key(at, None)),
    Operation("create API key for one store", Budget(2, 2), lambda at: _create_key(at, [at.store.id])),
    Operation("list API keys", Budget(1, 1), lambda at: lambda: at.place.api.get(API_KEYS)),
    # The key, what its secret opens, the mark that it is revoked, what its sessions reach (nothing), the key's row.
    Operation("delete API key", Budget(5, 5), _delete_key),
)
