"""What each principal may do: the table of the contract walked completely, by each role, through each door."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from memory_stores.routes import ROUTES

from tests.contract.conftest import STORES, MakeKey, Signed
from tests.contract.steps import FORBIDDEN, INVALID, NOT_FOUND, Json, StoreClient, refused
from tests.support.backend import Backend
from tests.support.client import Answer, Client, ok

API_KEYS = "/v1/api_keys"
ROLES = ("admin", "read_write", "read_only")
EVERYBODY, WRITERS, ADMINS = set(ROLES), {"admin", "read_write"}, {"admin"}


@dataclass(frozen=True)
class World:
    """A store with one memory of two versions, and a key that nobody uses."""

    store_id: str
    memory_id: str
    old_version: str
    key_id: str

    @classmethod
    def made_by(cls, api: Client) -> World:
        notes = StoreClient(api, ok(api.post(STORES, {"name": "Notes"}))["id"])
        memory = notes.created("/a", "old")
        ok(notes.update(memory["id"], {"content": "new"}))
        key = ok(api.post(API_KEYS, {"name": "unused", "role": "read_only"}))
        return cls(notes.id, memory["id"], memory["memory_version_id"], key["id"])

    def seen_by(self, api: Client) -> Any:
        """All that a refused request must leave as it is."""
        return StoreClient(api, self.store_id).snapshot(), api.walk(STORES), api.walk(API_KEYS)


@dataclass(frozen=True)
class Right:
    """One thing a caller may want, and the roles that may have it."""

    operation: str
    ask: Callable[[Client, World], Answer]
    roles: set[str]


def _notes(api: Client, world: World) -> StoreClient:
    return StoreClient(api, world.store_id)


RIGHTS = [
    Right("list_stores", lambda c, w: c.get(STORES), EVERYBODY),
    Right("get_store", lambda c, w: c.get(_notes(c, w).url), EVERYBODY),
    Right("list_memories", lambda c, w: _notes(c, w).list_memories(), EVERYBODY),
    Right("get_memory", lambda c, w: _notes(c, w).get(w.memory_id), EVERYBODY),
    Right("list_versions", lambda c, w: _notes(c, w).list_versions(), EVERYBODY),
    Right("get_version", lambda c, w: _notes(c, w).version(w.old_version), EVERYBODY),
    Right("create_memory", lambda c, w: _notes(c, w).create("/new"), WRITERS),
    Right("update_memory", lambda c, w: _notes(c, w).update(w.memory_id, {"content": "newer"}), WRITERS),
    Right("update_memory", lambda c, w: _notes(c, w).update(w.memory_id, {"path": "/b"}), WRITERS),
    Right("delete_memory", lambda c, w: _notes(c, w).delete(w.memory_id), WRITERS),
    Right("restore_version", lambda c, w: _notes(c, w).restore(w.old_version), WRITERS),
    Right("redact_version", lambda c, w: _notes(c, w).redact(w.old_version), ADMINS),
    Right("create_store", lambda c, w: c.post(STORES, {"name": "n"}), ADMINS),
    Right("update_store", lambda c, w: c.post(_notes(c, w).url, {"name": "n"}), ADMINS),
    Right("archive_store", lambda c, w: c.post(f"{_notes(c, w).url}/archive"), ADMINS),
    Right("delete_store", lambda c, w: c.delete(_notes(c, w).url), ADMINS),
    Right("create_api_key", lambda c, w: c.post(API_KEYS, {"name": "n", "role": "read_only"}), ADMINS),
    Right("list_api_keys", lambda c, w: c.get(API_KEYS), ADMINS),
    Right("delete_api_key", lambda c, w: c.delete(f"{API_KEYS}/{w.key_id}"), ADMINS),
]
IN_A_STORE = [right for right in RIGHTS if not right.operation.endswith(("_stores", "create_store", "_key", "_keys"))]


def walk(rights: list[Right], role: str, caller: Client, api: Client, world: World) -> None:
    """Ask for each: what the role may not have is refused and changes nothing, all else is granted, in this order."""
    before = world.seen_by(api)
    for right in rights:
        if role not in right.roles:
            refused(right.ask(caller, world), FORBIDDEN)
    assert world.seen_by(api) == before
    for right in rights:
        if role in right.roles:
            answer = right.ask(caller, world)
            assert answer.status == 200, f"{right.operation}: {answer.text}"


def test_the_table_here_has_every_route() -> None:
    assert {right.operation for right in RIGHTS} == {route.operation for route in ROUTES}


@pytest.mark.parametrize("role", ROLES)
def test_each_role_through_the_key_door(api: Client, make_key: MakeKey, role: str) -> None:
    walk(RIGHTS, role, make_key(role), api, World.made_by(api))


@pytest.mark.moto_only
@pytest.mark.parametrize("role", ROLES)
def test_each_role_through_the_signed_door(
    backend: Backend, api: Client, signed: Signed, workspace: str, role: str
) -> None:
    """The mapping stored for an IAM caller says its workspace and role."""
    arn = f"arn:aws:iam::123456789012:role/{secrets.token_hex(8)}"
    backend.command("map-principal", "--arn", arn, "--workspace", workspace, "--role", role)
    walk(RIGHTS, role, signed(arn), api, World.made_by(api))


@pytest.mark.parametrize("role", ROLES)
def test_a_key_scoped_to_a_store_does_there_what_its_role_may(api: Client, make_key: MakeKey, role: str) -> None:
    world = World.made_by(api)
    scoped = make_key(role, [world.store_id])
    for stronger in (scoped.post(STORES, {"name": "n"}), scoped.post(API_KEYS, {"name": "n", "role": "read_only"})):
        refused(stronger, FORBIDDEN)
    walk([RIGHTS[0], *IN_A_STORE], role, scoped, api, world)


# --- scoped keys ---


@pytest.mark.parametrize("role", ROLES)
def test_a_scoped_key_gets_no_further_than_its_stores(api: Client, make_key: MakeKey, store: Json, role: str) -> None:
    world = World.made_by(api)
    before = world.seen_by(api)[0]
    scoped = make_key(role, [store["id"]])
    for right in IN_A_STORE:
        refused(right.ask(scoped, world), FORBIDDEN)
    assert world.seen_by(api)[0] == before


def test_a_scoped_key_cannot_tell_foreign_stores_from_stores_that_never_were(
    other_api: Client, make_key: MakeKey, store: Json
) -> None:
    foreign = World.made_by(other_api).store_id
    scoped = make_key("read_only", [store["id"]])
    answers = [scoped.get(f"{STORES}/{store_id}") for store_id in (foreign, "memstore_" + "0" * 32)]
    refused(answers[0], FORBIDDEN)
    assert answers[0].failure == answers[1].failure


def test_lists_show_a_scoped_key_its_stores_only(api: Client, make_key: MakeKey) -> None:
    mine, _other, also_mine = (ok(api.post(STORES, {"name": f"{i}"})) for i in range(3))
    scoped = make_key("read_only", [mine["id"], also_mine["id"]])
    assert scoped.walk(STORES) == [also_mine, mine]


def test_a_scope_outlives_its_store(api: Client, make_key: MakeKey, store: Json) -> None:
    scoped = make_key("read_write", [store["id"]])
    ok(api.delete(f"{STORES}/{store['id']}"))
    refused(scoped.get(f"{STORES}/{store['id']}"), NOT_FOUND)
    assert scoped.walk(STORES) == []


# --- no caller makes a key stronger than itself ---


@pytest.mark.parametrize("wanted", ROLES)
@pytest.mark.parametrize("scope", ["all", "another", "own and another"])
def test_a_scoped_admin_makes_no_key_with_a_wider_scope(
    api: Client, make_key: MakeKey, store: Json, wanted: str, scope: str
) -> None:
    another = ok(api.post(STORES, {"name": "another"}))["id"]
    scoped = make_key("admin", [store["id"]])
    ids = {"all": None, "another": [another], "own and another": [store["id"], another]}[scope]
    keys = api.walk(API_KEYS)
    refused(scoped.post(API_KEYS, {"name": "n", "role": wanted, "memory_store_ids": ids}), FORBIDDEN)
    assert api.walk(API_KEYS) == keys


@pytest.mark.parametrize("wanted", ROLES)
def test_a_scoped_admin_makes_keys_within_its_scope(api: Client, make_key: MakeKey, store: Json, wanted: str) -> None:
    another = ok(api.post(STORES, {"name": "another"}))["id"]
    scoped = make_key("admin", [store["id"], another])
    key = ok(scoped.post(API_KEYS, {"name": "n", "role": wanted, "memory_store_ids": [store["id"]]}))
    assert api.with_key(key["secret"]).walk(STORES) == [store]


@pytest.mark.parametrize("expires_at", [None, "2999-01-01T00:00:00Z"])
def test_a_key_that_ends_makes_none_that_outlives_it(api: Client, make_key: MakeKey, expires_at: str | None) -> None:
    ending = make_key("admin", expires_at="2998-01-01T00:00:00Z")
    refused(ending.post(API_KEYS, {"name": "n", "role": "admin", "expires_at": expires_at}), FORBIDDEN)
    ok(ending.post(API_KEYS, {"name": "n", "role": "admin", "expires_at": "2998-01-01T00:00:00Z"}))


# --- an id alone is not enough (case 39) ---


def test_case_39_a_memory_is_not_there_through_another_stores_url(api: Client, store: Json) -> None:
    world = World.made_by(api)
    here = StoreClient(api, store["id"])
    before = world.seen_by(api)
    for answer in (
        here.get(world.memory_id),
        here.update(world.memory_id, {"content": "x"}),
        here.update(world.memory_id, {"path": "/x"}),
        here.delete(world.memory_id),
        here.version(world.old_version),
        here.redact(world.old_version),
        here.restore(world.old_version),
    ):
        refused(answer, NOT_FOUND)
    assert here.history(memory_id=world.memory_id) == []
    assert world.seen_by(api) == before


def test_case_39_ids_of_another_workspace_are_not_there(api: Client, other_api: Client) -> None:
    world = World.made_by(api)
    before = world.seen_by(api)
    own = StoreClient(other_api, ok(other_api.post(STORES, {"name": "own"}))["id"])
    through_its_own_store = World(own.id, world.memory_id, world.old_version, world.key_id)
    for right in RIGHTS:
        if right.operation in ("list_stores", "create_store", "create_api_key", "list_api_keys"):
            continue
        refused(right.ask(other_api, world), NOT_FOUND)
        if right.operation in ("get_memory", "update_memory", "delete_memory"):
            refused(right.ask(other_api, through_its_own_store), NOT_FOUND)
        if right.operation.endswith("_version"):
            refused(right.ask(other_api, through_its_own_store), NOT_FOUND)
    assert world.seen_by(api) == before


def test_a_key_cannot_be_scoped_to_another_workspaces_store(other_api: Client, store: Json) -> None:
    """It answers exactly as for a store that does not exist."""
    answers = [
        other_api.post(API_KEYS, {"name": "n", "role": "read_only", "memory_store_ids": [store_id]})
        for store_id in (store["id"], "memstore_" + "0" * 32)
    ]
    assert answers[0].status == answers[1].status
    if answers[0].status == 200:
        reach = other_api.with_key(answers[0].json["secret"])
        assert reach.get(f"{STORES}/{store['id']}").failure in (NOT_FOUND, FORBIDDEN)
        assert reach.walk(STORES) == []
    else:
        assert answers[0].failure in (INVALID, NOT_FOUND)
