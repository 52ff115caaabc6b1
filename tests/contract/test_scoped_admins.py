"""Admin keys that are limited to some stores: what they attach, which sessions they make, and how far those reach."""

from __future__ import annotations

from collections.abc import Callable

from tests.contract.agents import (
    SESSIONS,
    Binder,
    MakeSession,
    SessionClient,
    agent_with,
    create_session,
    ids_of,
    mount,
)
from tests.contract.conftest import STORES, MakeKey
from tests.contract.steps import FORBIDDEN, Json, StoreClient, refused
from tests.support.backend import Backend
from tests.support.client import Client, ok


def test_a_scoped_admin_attaches_its_own_stores_only(
    make_key: MakeKey, make_store: Callable[..., Json], binder: Binder
) -> None:
    mine, other = make_store()["id"], make_store()["id"]
    scoped = binder.seen_by(make_key("admin", [mine]))
    scoped.attached(mine)
    for answer in (scoped.attach(other), scoped.get(other), scoped.detach(other)):
        refused(answer, FORBIDDEN)
    assert ids_of(binder.resources()) == [mine]


def test_a_scoped_admin_sees_and_takes_away_no_more_than_its_stores(
    make_key: MakeKey, make_store: Callable[..., Json], binder: Binder
) -> None:
    mine, other = make_store()["id"], make_store()["id"]
    for store_id in (mine, other):
        binder.attached(store_id)
    scoped = binder.seen_by(make_key("admin", [mine]))
    assert ids_of(scoped.resources()) == [mine]
    for answer in (scoped.get(other), scoped.detach(other), scoped.delete()):
        refused(answer, FORBIDDEN)
    ok(scoped.detach(mine))
    assert ids_of(binder.resources()) == [other]


def test_a_scoped_admin_makes_and_handles_sessions_within_its_scope(
    api: Client, make_key: MakeKey, make_store: Callable[..., Json], make_session: MakeSession, binder: Binder
) -> None:
    """No caller makes a session stronger than itself, by what is fixed or by what a deployment or bot attaches."""
    mine, other = make_store()["id"], make_store()["id"]
    scoped = make_key("admin", [mine])
    within, beyond = mount(mine), mount(other, "read_only")
    refused(create_session(scoped, within, beyond), FORBIDDEN)
    binder.attached(other)
    refused(create_session(scoped, within, **binder.reference), FORBIDDEN)
    own = SessionClient(scoped, ok(create_session(scoped, within))["id"])
    wide = SessionClient(scoped, make_session(within, beyond)["id"])
    live = SessionClient(scoped, make_session(**binder.reference)["id"])
    for one in (wide, live):
        for answer in (one.get(), one.list_resources(), one.prompt(), one.credentials(), one.credentials("aws")):
            refused(answer, FORBIDDEN)
        for answer in (one.archive(), one.revoke(), one.delete()):
            refused(answer, FORBIDDEN)
    assert [session["id"] for session in scoped.walk(SESSIONS)] == [own.id]
    for answer in (own.get(), own.list_resources(), own.prompt(), own.credentials(), own.credentials("aws")):
        ok(answer)
    for answer in (own.archive(), own.revoke(), own.delete()):
        ok(answer)
    assert len(api.walk(SESSIONS)) == 2


def test_a_session_never_reaches_beyond_the_scope_of_the_key_that_made_it(
    api: Client, make_store: Callable[..., Json], make_key: MakeKey, binder: Binder, backend: Backend
) -> None:
    """Whatever the owner of the deployment or bot attaches to it later."""
    mine, other = make_store("Mine")["id"], make_store("Other")["id"]
    binder.attached(mine)
    scoped = make_key("admin", [mine])
    session = ok(create_session(scoped, **binder.reference))
    for maker in (scoped, api):
        running = agent_with(backend, ok(SessionClient(maker, session["id"]).credentials()))
        binder.attached(other)
        ok(StoreClient(running, mine).create(f"/{maker.key_id}"))
        refused(running.get(f"{STORES}/{other}"), FORBIDDEN)
        refused(StoreClient(running, other).create("/a"), FORBIDDEN)
        assert [store["id"] for store in running.walk(STORES)] == [mine]
    assert ids_of(SessionClient(api, session["id"]).resources()) == [mine]
