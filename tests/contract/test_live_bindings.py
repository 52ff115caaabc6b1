"""Live bindings: what a deployment or bot attaches, changes and lets go acts at once inside sessions that run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.contract.agents import (
    Binder,
    MakeAgent,
    MakeSession,
    SessionClient,
    create_session,
    each_kind_and_door,
    ids_of,
    mount,
)
from tests.contract.conftest import STORES, MakeKey
from tests.contract.steps import FORBIDDEN, INVALID, NOT_FOUND, Json, StoreClient, refused
from tests.support.client import Client, ok


@each_kind_and_door
def test_access_changes_inside_a_running_session(
    notes: StoreClient, make_session: MakeSession, binder: Binder, agent: MakeAgent, door: str
) -> None:
    binder.attached(notes.id)
    theirs = StoreClient(agent(make_session(**binder.reference), door), notes.id)
    for number, access in enumerate(("read_write", "read_only", "read_write", "read_only")):
        binder.attached(notes.id, access)
        answer = theirs.create(f"/{number}")
        if access == "read_write":
            ok(answer)
        else:
            refused(answer, FORBIDDEN)
        ok(theirs.list_memories())
    assert notes.paths() == ["/0", "/2"]


@each_kind_and_door
def test_a_store_attached_later_is_open_to_a_running_agent(
    api: Client,
    make_store: Callable[..., Json],
    make_session: MakeSession,
    binder: Binder,
    agent: MakeAgent,
    door: str,
) -> None:
    first, later = make_store("First")["id"], make_store("Later")["id"]
    binder.attached(first)
    session = make_session(**binder.reference)
    running = agent(session, door)
    refused(running.get(f"{STORES}/{later}"), FORBIDDEN)
    binder.attached(later)
    ok(StoreClient(running, later).create("/a"))
    assert [store["id"] for store in running.walk(STORES)] == [later, first]
    assert sorted(ids_of(SessionClient(running, session["id"]).resources())) == sorted([first, later])


@each_kind_and_door
@pytest.mark.parametrize("end", ["archive", "delete"])
def test_the_end_of_a_store_acts_inside_running_sessions(
    api: Client,
    notes: StoreClient,
    make_session: MakeSession,
    binder: Binder,
    agent: MakeAgent,
    door: str,
    end: str,
) -> None:
    binder.attached(notes.id)
    running = agent(make_session(**binder.reference), door)
    theirs = StoreClient(running, notes.id)
    memory = theirs.created("/a")
    if end == "archive":
        notes.archive()
        refused(theirs.create("/b"), INVALID)
        refused(theirs.delete(memory["id"]), INVALID)
        ok(theirs.get(memory["id"]))
        assert running.walk(STORES) == []
        assert [store["id"] for store in running.walk(STORES, {"include_archived": "true"})] == [notes.id]
    else:
        ok(api.delete(notes.url))
        for answer in (theirs.create("/b"), theirs.get(memory["id"]), theirs.list_memories(), running.get(notes.url)):
            refused(answer, NOT_FOUND)
        assert running.walk(STORES, {"include_archived": "true"}) == []


@each_kind_and_door
def test_the_end_of_a_deployment_or_bot_closes_its_stores_in_running_sessions(
    notes: StoreClient,
    make_store: Callable[..., Json],
    make_session: MakeSession,
    binder: Binder,
    agent: MakeAgent,
    door: str,
) -> None:
    """What the session has of its own stays."""
    fixed = make_store("Fixed")["id"]
    binder.attached(notes.id)
    session = make_session(mount(fixed), **binder.reference)
    running = agent(session, door)
    ok(binder.delete())
    refused(StoreClient(running, notes.id).create("/a"), FORBIDDEN)
    ok(StoreClient(running, fixed).create("/a"))
    assert [store["id"] for store in running.walk(STORES)] == [fixed]
    assert ids_of(SessionClient(binder.api, session["id"]).resources()) == [fixed]
    assert notes.paths() == []


@each_kind_and_door
def test_a_record_made_again_by_another_is_not_inherited(
    notes: StoreClient,
    make_store: Callable[..., Json],
    make_session: MakeSession,
    make_key: MakeKey,
    binder: Binder,
    agent: MakeAgent,
    door: str,
) -> None:
    """Sessions of the one that was deleted get nothing of the new one that took its id."""
    secret = make_store("Secret")["id"]
    binder.attached(notes.id)
    session = make_session(**binder.reference)
    running = agent(session, door)
    ok(binder.delete())
    other = binder.seen_by(make_key("admin"))
    for store_id in (notes.id, secret):
        other.attached(store_id)
    for store_id in (notes.id, secret):
        refused(running.get(f"{STORES}/{store_id}"), FORBIDDEN)
        refused(StoreClient(running, store_id).create("/a"), FORBIDDEN)
    assert running.walk(STORES) == []
    one = SessionClient(binder.api, session["id"])
    assert one.resources() == []
    assert ok(one.get())["resources"] == []
    later = agent(session, door)
    refused(later.get(f"{STORES}/{secret}"), FORBIDDEN)
    assert sorted(ids_of(make_session(**binder.reference)["resources"])) == sorted([notes.id, secret])


def test_a_deployment_lends_nothing_to_sessions_of_another_or_of_none(
    api: Client, notes: StoreClient, store: Json, make_session: MakeSession, binder: Binder, agent: MakeAgent
) -> None:
    binder.attached(notes.id)
    other = Binder(api, binder.kind, f"{binder.id}-2")
    other.attached(notes.id, "read_only")
    ok(other.detach(notes.id))
    same_id = Binder(api, "bots" if binder.kind == "deployments" else "deployments", binder.id)
    same_id.attached(notes.id)
    ok(same_id.detach(notes.id))
    for session in (make_session(), make_session(**other.reference), make_session(**same_id.reference)):
        assert session["resources"] == []
        refused(agent(session).get(notes.url), FORBIDDEN)


def test_two_sessions_of_one_deployment_feel_each_change(
    notes: StoreClient, make_session: MakeSession, binder: Binder, agent: MakeAgent
) -> None:
    binder.attached(notes.id)
    both = [StoreClient(agent(make_session(**binder.reference)), notes.id) for _ in range(2)]
    binder.attached(notes.id, "read_only")
    for theirs in both:
        refused(theirs.create("/a"), FORBIDDEN)
        ok(theirs.list_memories())


def test_a_store_that_is_fixed_and_of_the_deployment_too_is_the_same_store_twice(
    api: Client, store: Json, binder: Binder
) -> None:
    binder.attached(store["id"])
    refused(create_session(api, mount(store["id"], "read_only"), **binder.reference), INVALID, store["id"])


def test_what_is_fixed_stays_fixed_whatever_a_deployment_does_with_it_later(
    notes: StoreClient, make_store: Callable[..., Json], make_session: MakeSession, binder: Binder, agent: MakeAgent
) -> None:
    live = make_store("Live")["id"]
    binder.attached(live)
    session = make_session(mount(notes.id, "read_only"), **binder.reference)
    theirs = StoreClient(agent(session), notes.id)
    binder.attached(notes.id)
    one = SessionClient(binder.api, session["id"])
    assert [(each["memory_store_id"], each["access"]) for each in one.resources()] == [
        (notes.id, "read_only"),
        (live, "read_write"),
    ]
    refused(theirs.create("/a"), FORBIDDEN)
    ok(binder.detach(notes.id))
    ok(theirs.list_memories())
    refused(theirs.create("/a"), FORBIDDEN)
    assert one.resources() == session["resources"]
