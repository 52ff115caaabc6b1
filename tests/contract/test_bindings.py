"""What deployments and saved bots attach: their records, their owners, their stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from tests.contract.agents import KINDS, NOBODY, Binder, MakeSession, create_session, ids_of, mount
from tests.contract.conftest import STORES, MakeKey
from tests.contract.steps import FORBIDDEN, INVALID, NOT_FOUND, Json, refused
from tests.support.client import Client, ok


@pytest.fixture(params=KINDS)
def binder(api: Client, request: pytest.FixtureRequest) -> Binder:
    """A deployment, then a bot, that is not recorded yet."""
    return Binder(api, request.param)


def resource(store: Json, access: str) -> Json:
    """What is answered of an attached store called Notes."""
    return {
        "type": "memory_store",
        "memory_store_id": store["id"],
        "access": access,
        "instructions": None,
        "name": "Notes",
        "description": "",
        "mount_path": "/mnt/memory/notes",
    }


# --- attach, read, change, detach ---


@pytest.mark.parametrize("access", ["read_write", "read_only"])
def test_an_attached_store_is_answered_as_a_resource(store: Json, binder: Binder, access: str) -> None:
    assert ok(binder.attach(store["id"], access)) == resource(store, access)
    assert ok(binder.get(store["id"])) == resource(store, access)
    assert ok(binder.list_resources()) == {"data": [resource(store, access)], "next_page": None}


def test_a_repeated_put_changes_the_access(store: Json, binder: Binder) -> None:
    for access in ("read_write", "read_write", "read_only", "read_write"):
        assert ok(binder.attach(store["id"], access)) == resource(store, access)
        assert binder.resources() == [resource(store, access)]


def test_a_detached_store_is_not_there(make_store: Callable[..., Json], binder: Binder) -> None:
    one, two = make_store()["id"], make_store()["id"]
    for store_id in (one, two):
        binder.attached(store_id)
    assert ok(binder.detach(one)) == {"id": one, "type": "memory_store_detached"}
    assert ids_of(binder.resources()) == [two]
    for answer in (binder.get(one), binder.detach(one)):
        refused(answer, NOT_FOUND)
    ok(binder.detach(two))
    assert ok(binder.list_resources()) == {"data": [], "next_page": None}, "its record stays"
    ok(binder.attach(one))


def test_eight_stores_are_attached_and_a_ninth_is_not(make_store: Callable[..., Json], binder: Binder) -> None:
    ids = [make_store(f"{number}")["id"] for number in range(9)]
    for store_id in ids[:8]:
        binder.attached(store_id)
    refused(binder.attach(ids[8]), INVALID)
    assert sorted(ids_of(binder.resources())) == sorted(ids[:8])
    binder.attached(ids[0], "read_only")
    ok(binder.detach(ids[3]))
    binder.attached(ids[8])


def test_a_deleted_store_takes_no_room(api: Client, make_store: Callable[..., Json], binder: Binder) -> None:
    ids = [make_store(f"{number}")["id"] for number in range(9)]
    for store_id in ids[:8]:
        binder.attached(store_id, "read_only")
    ok(api.delete(f"{STORES}/{ids[0]}"))
    binder.attached(ids[8], "read_only")
    assert ids_of(binder.resources()) == ids[1:]


def test_fixed_stores_and_those_of_a_deployment_or_bot_are_eight_together(
    api: Client, make_store: Callable[..., Json], make_session: MakeSession, binder: Binder
) -> None:
    ids = [make_store(f"{number}")["id"] for number in range(9)]
    fixed = [mount(store_id) for store_id in ids[:5]]
    for store_id in ids[5:8]:
        binder.attached(store_id)
    assert sorted(ids_of(make_session(*fixed, **binder.reference)["resources"])) == sorted(ids[:8])
    binder.attached(ids[8])
    refused(create_session(api, *fixed, **binder.reference), INVALID, "resources")
    make_session(*fixed[1:], **binder.reference)


def test_an_archived_store_is_not_attached(api: Client, store: Json, binder: Binder) -> None:
    ok(api.post(f"{STORES}/{store['id']}/archive"))
    refused(binder.attach(store["id"], "read_only"), INVALID, store["id"])
    refused(create_session(api, **binder.reference), NOT_FOUND)


def test_a_store_that_is_not_there_is_not_attached(api: Client, other_api: Client, store: Json, binder: Binder) -> None:
    foreign = ok(other_api.post(STORES, {"name": "Theirs"}))["id"]
    ok(api.delete(f"{STORES}/{store['id']}"))
    for unknown in (f"memstore_{NOBODY}", store["id"], foreign, "x", f"sesn_{NOBODY}"):
        refused(binder.attach(unknown), NOT_FOUND)
    refused(create_session(api, **binder.reference), NOT_FOUND)


@pytest.mark.parametrize("end", ["archive", "delete"])
def test_the_end_of_a_store_shows_in_what_attaches_it(api: Client, store: Json, binder: Binder, end: str) -> None:
    """An archived one can be read only, or let go; a deleted one is left out."""
    attached = binder.attached(store["id"])
    if end == "archive":
        ok(api.post(f"{STORES}/{store['id']}/archive"))
        assert binder.resources() == [{**attached, "access": "read_only"}]
        refused(binder.attach(store["id"], "read_write"), INVALID)
        ok(binder.detach(store["id"]))
    else:
        ok(api.delete(f"{STORES}/{store['id']}"))
        assert binder.resources() == []
        refused(binder.attach(store["id"]), NOT_FOUND)


BAD_ACCESSES: list[Any] = [None, "", "write", "none", "READ_ONLY", "read_write ", 7, True, [], {}, ["read_only"]]


def test_a_put_needs_an_access(store: Json, binder: Binder, subtests: pytest.Subtests) -> None:
    url = f"{binder.stores_url}/{store['id']}"
    for access in BAD_ACCESSES:
        with subtests.test(access=access):
            refused(binder.attach(store["id"], access), INVALID, "access")
    refused(binder.api.request("PUT", url, json={}), INVALID, "access")
    refused(binder.api.request("PUT", url), INVALID)
    refused(binder.api.request("PUT", url, data="[]"), INVALID)
    for field in ("colour", "instructions", "memory_store_id", "owner"):
        refused(binder.api.request("PUT", url, json={"access": "read_only", field: "x"}), INVALID, field)
    refused(binder.list_resources(), NOT_FOUND)


# --- records ---


def test_the_first_put_makes_the_record(api: Client, store: Json, binder: Binder) -> None:
    for answer in (binder.list_resources(), binder.get(store["id"]), binder.detach(store["id"])):
        refused(answer, NOT_FOUND)
    refused(binder.delete(), NOT_FOUND)
    binder.attached(store["id"])
    assert ids_of(binder.resources()) == [store["id"]]


def test_a_deleted_record_is_not_there(api: Client, store: Json, binder: Binder) -> None:
    binder.attached(store["id"])
    assert ok(binder.delete()) == {"id": binder.id, "type": f"{binder.kind.removesuffix('s')}_deleted"}
    for answer in (binder.list_resources(), binder.get(store["id"]), binder.detach(store["id"])):
        refused(answer, NOT_FOUND)
    refused(binder.delete(), NOT_FOUND)
    refused(create_session(api, **binder.reference), NOT_FOUND)
    ok(api.get(f"{STORES}/{store['id']}"))


def test_a_record_made_again_begins_empty(make_store: Callable[..., Json], binder: Binder) -> None:
    one, two = make_store()["id"], make_store()["id"]
    binder.attached(one)
    ok(binder.delete())
    binder.attached(two)
    assert ids_of(binder.resources()) == [two]


def test_deployments_and_bots_of_one_id_are_apart(api: Client, make_store: Callable[..., Json]) -> None:
    one, two = make_store()["id"], make_store()["id"]
    deployment, bot = Binder(api, "deployments"), Binder(api, "bots")
    deployment.attached(one)
    refused(bot.get(one), NOT_FOUND)
    bot.attached(two)
    ok(deployment.delete())
    assert ids_of(bot.resources()) == [two]


# Clients fold `.` and `..` in a path: what was meant for a deployment would reach a store.
BAD_IDS = [".", "..", "...", "-a", "x" * 129, "a b", "a+b", "é", "a#b", "a@b", "a*", "a,b", "a'b", "日本", "a%b"]


def test_any_plain_id_will_do(api: Client, store: Json, make_session: MakeSession, binder: Binder) -> None:
    for id_ in ("0", "a..", "A.b_c:d-e", "x" * 128):
        named = Binder(api, binder.kind, id_)
        named.attached(store["id"])
        assert ids_of(named.resources()) == [store["id"]]
        assert make_session(**named.reference)[named.field] == id_
        assert ok(named.delete())["id"] == id_


def test_other_ids_are_refused_by_name(api: Client, store: Json, binder: Binder, subtests: pytest.Subtests) -> None:
    for id_ in BAD_IDS:
        named = Binder(api, binder.kind, quote(id_, safe=""))
        with subtests.test(id=id_):
            field = binder.kind.removesuffix("s")
            for answer in (named.attach(store["id"]), named.get(store["id"]), named.detach(store["id"])):
                refused(answer, INVALID, field)
            for answer in (named.list_resources(), named.delete()):
                refused(answer, INVALID, field)


# --- who may ---


def test_only_the_owner_changes_what_is_attached(
    api: Client, make_key: MakeKey, make_store: Callable[..., Json], binder: Binder
) -> None:
    one, two = make_store()["id"], make_store()["id"]
    binder.attached(one)
    other = binder.seen_by(make_key("admin"))
    for answer in (other.attach(one, "read_only"), other.attach(one, "read_write"), other.attach(two)):
        refused(answer, FORBIDDEN)
    assert [(each["memory_store_id"], each["access"]) for each in binder.resources()] == [(one, "read_write")]
    assert other.resources() == binder.resources(), "another admin reads it"
    binder.attached(two)


def test_any_admin_may_take_away(api: Client, make_key: MakeKey, store: Json, binder: Binder) -> None:
    binder.attached(store["id"])
    other = binder.seen_by(make_key("admin"))
    ok(other.detach(store["id"]))
    refused(other.attach(store["id"]), FORBIDDEN)
    ok(other.delete())
    other.attached(store["id"])
    refused(binder.attach(store["id"], "read_only"), FORBIDDEN)
    ok(binder.delete())


def test_another_workspace_has_deployments_and_bots_of_its_own(other_api: Client, store: Json, binder: Binder) -> None:
    attached = binder.attached(store["id"])
    other = binder.seen_by(other_api)
    for answer in (other.list_resources(), other.get(store["id"]), other.detach(store["id"]), other.delete()):
        refused(answer, NOT_FOUND)
    refused(other.attach(store["id"]), NOT_FOUND)
    other.attached(ok(other_api.post(STORES, {"name": "Theirs"}))["id"])
    assert binder.resources() == [attached]
    ok(other.delete())
    assert binder.resources() == [attached]


@pytest.mark.parametrize("role", ["read_write", "read_only"])
def test_none_but_admins_may_do_any_of_it(store: Json, make_key: MakeKey, binder: Binder, role: str) -> None:
    attached = binder.attached(store["id"])
    weak = binder.seen_by(make_key(role))
    for answer in (
        weak.attach(store["id"], "read_only"),
        weak.get(store["id"]),
        weak.detach(store["id"]),
        weak.list_resources(),
        weak.delete(),
    ):
        refused(answer, FORBIDDEN)
    assert binder.resources() == [attached]
