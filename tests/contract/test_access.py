"""What limits a caller beyond its role: the scope of a key, its end, and the walls around ids."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.contract.access_table import API_KEYS, IN_A_STORE, LISTS, NAMING, ROLES, Row, World
from tests.contract.conftest import STORES, MakeKey
from tests.contract.steps import FORBIDDEN, INVALID, NOT_FOUND, Json, StoreClient, refused
from tests.support.client import Client, ok


def granted(row: Row, role: str) -> bool:
    return row.status(role, "active") == 200


def walk(rows: list[Row], role: str, caller: Client, api: Client, world: World) -> None:
    """Ask for each: what the role may not have is refused and changes nothing, all else is granted, in this order."""
    before = world.seen_by(api)
    for row in rows:
        if not granted(row, role):
            refused(row.ask(caller, world), FORBIDDEN)
    assert world.seen_by(api) == before
    for row in rows:
        if granted(row, role):
            answer = row.ask(caller, world)
            assert answer.status == 200, f"{row.operation}: {answer.text}"


# --- scoped keys ---


@pytest.mark.parametrize("role", ROLES)
def test_a_key_scoped_to_a_store_does_there_what_its_role_may(api: Client, make_key: MakeKey, role: str) -> None:
    world = World.made_by(api)
    scoped = make_key(role, [world.store_id])
    for stronger in (scoped.post(STORES, {"name": "n"}), scoped.post(API_KEYS, {"name": "n", "role": "read_only"})):
        refused(stronger, FORBIDDEN)
    walk([*LISTS, *IN_A_STORE], role, scoped, api, world)


@pytest.mark.parametrize("role", ROLES)
def test_a_scoped_key_gets_no_further_than_its_stores(api: Client, make_key: MakeKey, store: Json, role: str) -> None:
    world = World.made_by(api)
    before = world.seen_by(api)[0]
    scoped = make_key(role, [store["id"]])
    for row in IN_A_STORE:
        refused(row.ask(scoped, world), FORBIDDEN)
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
    through_its_own_store = replace(world, store_id=own.id)
    for row in NAMING:
        refused(row.ask(other_api, world), NOT_FOUND)
        if row.operation.endswith("_version") or row.operation in ("get_memory", "update_memory", "delete_memory"):
            refused(row.ask(other_api, through_its_own_store), NOT_FOUND)
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
