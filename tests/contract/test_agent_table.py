"""The whole table of access, walked over both doors: principal, operation, state of the store."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

import pytest
from botocore.awsrequest import AWSResponse
from memory_stores.routes import ROUTES

from tests.contract.access_table import (
    AGENTS,
    PRINCIPALS,
    REFUSALS,
    ROLES,
    STATES,
    TABLE,
    Row,
    World,
)
from tests.contract.agents import CREDENTIALS, SessionClient, agent_with, create_session, each_door, mount
from tests.contract.conftest import STORES
from tests.contract.steps import FORBIDDEN, StoreClient, refused
from tests.support.backend import Backend
from tests.support.client import Client, ok
from tests.support.moto_backend import MotoBackend
from tests.support.wire import Call, Proceed

READING_CALLS = {f"dynamodb.{name}" for name in ("GetItem", "BatchGetItem", "TransactGetItems", "Query")}


def test_every_route_has_a_row() -> None:
    assert {row.operation for row in TABLE} == {route.operation for route in ROUTES}


@dataclass(frozen=True)
class Cast:
    """All principals at one door, and a world of each state of a store, with what each of them calls its own."""

    admin: Client
    callers: dict[str, Client]
    worlds: dict[tuple[str, str], World]

    @classmethod
    def at(cls, door: str, backend: Backend, api: Client, workspace: str) -> Cast:
        callers = {role: _role(role, door, backend, api, workspace) for role in ROLES}
        made = {state: World.made_by(callers["admin"], state) for state in STATES}
        sessions = {name: _session(api, name, [world.store_id for world in made.values()]) for name in AGENTS}
        worlds = {}
        for principal in PRINCIPALS:
            own = {"own_session": sessions[principal]} if principal in AGENTS else {}
            for state, world in made.items():
                worlds[principal, state] = replace(world.with_memory(api, f"/{principal}"), **own)
        for principal, session_id in sessions.items():
            credentials = SessionClient(api, session_id).credentials(CREDENTIALS[door])
            callers[principal] = agent_with(backend, ok(credentials))
        ok(api.post(f"{STORES}/{made['archived'].store_id}/archive"))
        ok(api.delete(f"{STORES}/{made['deleted'].store_id}"))
        return cls(api, callers, worlds)

    def ask(self, row: Row, principal: str, state: str) -> None:
        """The principal must be answered what the table says."""
        answer = row.ask(self.callers[principal], self.worlds[principal, state])
        expected = row.status(principal, state)
        where = f"{row.operation} by {principal}, store {state}: {answer.status}, not {expected}: {answer.text[:300]}"
        assert answer.status == expected, where
        if expected != 200:
            refused(answer, REFUSALS[expected])

    def everything(self) -> object:
        """All that the refused must leave as it is."""
        return [self.worlds["admin", state].seen_by(self.admin) for state in STATES]


def _role(role: str, door: str, backend: Backend, api: Client, workspace: str) -> Client:
    if door == "key":
        key = ok(api.post("/v1/api_keys", {"name": role, "role": role}))
        return api.with_key(key["secret"], key["id"])
    arn = f"arn:aws:iam::123456789012:role/{secrets.token_hex(8)}"
    backend.command("map-principal", "--arn", arn, "--workspace", workspace, "--role", role)
    return Client(backend.signed_door(arn))


def _session(api: Client, agent: str, store_ids: list[str]) -> str:
    """The session of an agent, with the stores of all states."""
    access = agent.removeprefix("attached_")
    resources = [mount(store_id, access) for store_id in store_ids if agent != "not_attached"]
    return str(ok(create_session(api, *resources))["id"])


@each_door
def test_the_whole_table(backend: Backend, api: Client, workspace: str, door: str, subtests: pytest.Subtests) -> None:
    """First all that is refused, which changes nothing; then all that is granted, what ends things last."""
    cast = Cast.at(door, backend, api, workspace)
    before = cast.everything()
    cells = [(row, principal, state) for principal in reversed(PRINCIPALS) for row in TABLE for state in STATES]
    assert len(cells) == len(TABLE) * len(PRINCIPALS) * len(STATES)
    granted = [cell for cell in cells if cell[0].status(*cell[1:]) == 200]
    for row, principal, state in cells:
        if row.status(principal, state) != 200:
            with subtests.test(row.operation, principal=principal, state=state):
                cast.ask(row, principal, state)
    assert cast.everything() == before
    for row, principal, state in granted:
        with subtests.test(row.operation, principal=principal, state=state):
            cast.ask(row, principal, state)


@pytest.mark.moto_only
@pytest.mark.parametrize("door", ["key", "signed"])
def test_what_a_principal_may_not_do_is_refused_before_anything_is_touched(
    moto: MotoBackend, api: Client, workspace: str, door: str, subtests: pytest.Subtests
) -> None:
    """Who calls and what is attached is read; no body, no write, no credentials are asked of AWS."""
    cast = Cast.at(door, moto, api, workspace)
    made: list[str] = []

    def note(call: Call, proceed: Proceed) -> AWSResponse:
        made.append(call.operation)
        return proceed()

    with moto.wire.fault(note):
        for principal in PRINCIPALS:
            for row in TABLE:
                if row.status(principal, "active") == FORBIDDEN[0]:
                    with subtests.test(row.operation, principal=principal):
                        made.clear()
                        cast.ask(row, principal, "active")
                        assert made, "the credentials themselves are looked up"
                        assert set(made) <= READING_CALLS


@each_door
def test_an_agent_lists_its_own_stores_only(
    backend: Backend, api: Client, workspace: str, door: str, subtests: pytest.Subtests
) -> None:
    cast = Cast.at(door, backend, api, workspace)
    active, archived = (cast.worlds["admin", state].store_id for state in ("active", "archived"))
    for principal in AGENTS:
        attached = principal != "not_attached"
        agent = cast.callers[principal]
        with subtests.test(principal):
            assert [store["id"] for store in agent.walk(STORES)] == [active] * attached
            everything = [store["id"] for store in agent.walk(STORES, {"include_archived": "true", "limit": 1})]
            assert everything == [archived, active] * attached


@each_door
def test_an_agent_cannot_tell_a_store_it_lacks_from_one_that_never_was(
    backend: Backend, api: Client, other_api: Client, workspace: str, door: str
) -> None:
    cast = Cast.at(door, backend, api, workspace)
    agent = cast.callers["not_attached"]
    theirs = ok(other_api.post(STORES, {"name": "Theirs"}))["id"]
    ids = [cast.worlds["not_attached", state].store_id for state in STATES]
    words = set()
    for store_id in (*ids, theirs, "memstore_" + "0" * 32):
        for answer in (agent.get(f"{STORES}/{store_id}"), StoreClient(agent, store_id).create("/a")):
            words.add(refused(answer, FORBIDDEN)["message"].replace(store_id, "<id>"))
    assert len(words) <= 2
