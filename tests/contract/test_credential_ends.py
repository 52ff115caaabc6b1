"""What ends the credentials of an agent: at once, and for good."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from memory_stores.domain import clock

from tests.contract.agents import (
    CLOSED,
    CREDENTIALS,
    MakeAgent,
    MakeSession,
    SessionClient,
    agent_with,
    create_session,
    each_door,
    mount,
)
from tests.contract.conftest import STORES, MakeKey, Signed
from tests.contract.steps import INVALID, Json, StoreClient, refused
from tests.support.backend import Backend
from tests.support.client import Answer, Client, ok

API_KEYS = "/v1/api_keys"


END: dict[str, Callable[[SessionClient], Answer]] = {
    "revoked": SessionClient.revoke,
    "archived": SessionClient.archive,
    "deleted": SessionClient.delete,
}


@each_door
@pytest.mark.parametrize("end", END)
def test_ended_credentials_open_nothing(
    one: SessionClient, session: Json, notes: StoreClient, agent: MakeAgent, door: str, end: str
) -> None:
    theirs = StoreClient(agent(session, door), notes.id)
    memory = theirs.created("/a")
    ok(END[end](one))
    before = notes.snapshot()
    for answer in asked(theirs, one.id, memory["id"]):
        refused(answer, CLOSED[door])
    assert notes.snapshot() == before


def asked(theirs: StoreClient, session_id: str, memory_id: str) -> list[Answer]:
    """What an agent does, of every kind."""
    own = SessionClient(theirs.api, session_id)
    return [
        theirs.create("/b"),
        theirs.update(memory_id, {"content": "new"}),
        theirs.delete(memory_id),
        theirs.get(memory_id),
        theirs.list_memories(),
        theirs.list_versions(),
        theirs.api.get(theirs.url),
        theirs.api.get(STORES),
        own.get(),
        own.list_resources(),
        own.prompt(),
    ]


def test_revoking_is_answered_and_repeatable(one: SessionClient) -> None:
    revoked = {"id": one.id, "type": "session_credentials_revoked"}
    assert ok(one.revoke()) == revoked
    ok(one.credentials("bearer"))
    assert ok(one.revoke()) == revoked
    ok(one.archive())
    assert ok(one.revoke()) == revoked


@each_door
def test_revoking_ends_all_that_were_handed_out_and_no_later_ones(
    one: SessionClient, session: Json, make_session: MakeSession, agent: MakeAgent, door: str
) -> None:
    earlier = [(agent(session, at), CLOSED[at]) for at in ("key", door, door)]
    witness = agent(make_session(), door)
    for running, _ in earlier:
        ok(running.get(STORES))
    ok(one.revoke())
    later = agent(session, door)
    ok(later.get(STORES))
    for running, closed in earlier:
        refused(running.get(STORES), closed)
    ok(one.revoke())
    refused(later.get(STORES), CLOSED[door])
    ok(witness.get(STORES))


@each_door
def test_the_key_that_made_a_session_takes_it_along(
    backend: Backend, api: Client, make_key: MakeKey, notes: StoreClient, door: str
) -> None:
    """Whoever asked for the credentials."""
    creator = make_key("admin")
    session_id = ok(create_session(creator, mount(notes.id)))["id"]
    asking = [SessionClient(caller, session_id).credentials(CREDENTIALS[door]) for caller in (creator, api)]
    agents = [agent_with(backend, ok(answer)) for answer in asking]
    for running in agents:
        ok(running.get(STORES))
    ok(api.delete(f"{API_KEYS}/{creator.key_id}"))
    for running in agents:
        refused(StoreClient(running, notes.id).create("/a"), CLOSED[door])
        refused(running.get(STORES), CLOSED[door])
    refused(SessionClient(api, session_id).credentials(CREDENTIALS[door]), INVALID)
    assert notes.paths() == []


@pytest.mark.moto_only
@pytest.mark.parametrize("door", CREDENTIALS)
def test_the_end_of_the_key_that_made_a_session_ends_it_too(
    backend: Backend, api: Client, make_key: MakeKey, notes: StoreClient, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    """An agent does not outlive it, whoever asked for the credentials, and they say so."""
    end = clock.now() + 60_000
    creator = make_key("admin", expires_at=clock.to_text(end))
    session_id = ok(create_session(creator, mount(notes.id)))["id"]
    credentials = ok(SessionClient(api, session_id).credentials(CREDENTIALS[door]))
    assert credentials["expires_at"] == clock.to_text(end)
    running = agent_with(backend, credentials)
    monkeypatch.setattr(clock, "now", lambda: end - 1_000)
    ok(StoreClient(running, notes.id).create("/a"))
    monkeypatch.setattr(clock, "now", lambda: end + 1_000)
    refused(StoreClient(running, notes.id).create("/b"), CLOSED[door])
    refused(running.get(STORES), CLOSED[door])
    assert notes.paths() == ["/a"]


@pytest.mark.moto_only
@pytest.mark.parametrize("door", CREDENTIALS)
def test_credentials_end_when_they_say(
    backend: Backend, one: SessionClient, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    """At the signed door, STS and the gateway see to it as well."""
    credentials = ok(one.credentials(CREDENTIALS[door]))
    end = datetime.fromisoformat(credentials["expires_at"])
    running = agent_with(backend, credentials)
    for seconds in (-1, 1):
        moment = end + timedelta(seconds=seconds)
        monkeypatch.setattr(clock, "now", lambda moment=moment: int(moment.timestamp() * 1000))
        answer = running.get(STORES)
        if seconds < 0:
            ok(answer)
        else:
            refused(answer, CLOSED[door])


@pytest.mark.moto_only
def test_the_end_of_its_makers_mapping_ends_a_session(
    backend: Backend, signed: Signed, workspace: str, notes: StoreClient
) -> None:
    """The operator takes away what an IAM role stands for: the sessions that it made go with it."""
    arn = "arn:aws:iam::123456789012:role/SessionMaker"
    backend.command("map-principal", "--arn", arn, "--workspace", workspace, "--role", "admin")
    maker = signed(arn)
    session = ok(create_session(maker, mount(notes.id)))
    assert session["created_by"]["type"] == "service_account_actor"
    running = agent_with(backend, ok(SessionClient(maker, session["id"]).credentials("bearer")))
    ok(StoreClient(running, notes.id).create("/a"))
    backend.command("unmap-principal", "--arn", arn)
    refused(StoreClient(running, notes.id).create("/b"), CLOSED["key"])
    assert notes.paths() == ["/a"]
