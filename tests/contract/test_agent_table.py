"""The whole table of access, walked over both doors: principal, operation, state of the store."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

import pytest
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
from tests.contract.steps import FORBIDDEN
from tests.support.backend import Backend
from tests.support.client import Client, ok
from tests.support.moto_backend import MotoBackend

Cell = tuple[Row, str, str]
# Admins come last: they end what the others need.
CELLS = [(row, principal, state) for principal in reversed(PRINCIPALS) for row in TABLE for state in row.states]
READING_CALLS = {f"dynamodb.{name}" for name in ("GetItem", "BatchGetItem", "TransactGetItems", "Query")}


def test_every_route_has_a_row() -> None:
    assert {row.operation for row in TABLE} == {route.operation for route in ROUTES}


def is_granted(cell: Cell) -> bool:
    row, principal, state = cell
    return row.status(principal, state) == 200


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
                worlds[principal, state] = replace(world, **own)
        for writer in ("read_write", "attached_read_write"):
            worlds[writer, "active"] = worlds[writer, "active"].with_memory(api, f"/{writer}")
        for principal, session_id in sessions.items():
            credentials = SessionClient(api, session_id).credentials(CREDENTIALS[door])
            callers[principal] = agent_with(backend, ok(credentials))
        ok(api.post(f"{STORES}/{made['archived'].store_id}/archive"))
        ok(api.delete(f"{STORES}/{made['deleted'].store_id}"))
        return cls(api, callers, worlds)

    def wrong(self, cell: Cell) -> str | None:
        """How the answer differs from what the table says, if it does."""
        row, principal, state = cell
        answer = row.ask(self.callers[principal], self.worlds[principal, state])
        expected = row.status(principal, state)
        if answer.status == expected and (expected == 200 or answer.failure == REFUSALS[expected]):
            return None
        return f"{row.operation} by {principal}, store {state}: not {expected}: {answer.status} {answer.text[:200]}"

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
def test_the_whole_table(backend: Backend, api: Client, workspace: str, door: str) -> None:
    """First all that is refused, which changes nothing; then all that is granted, what ends things last."""
    cast = Cast.at(door, backend, api, workspace)
    before = cast.everything()
    assert [wrong for cell in CELLS if not is_granted(cell) and (wrong := cast.wrong(cell))] == []
    assert cast.everything() == before
    assert [wrong for cell in CELLS if is_granted(cell) and (wrong := cast.wrong(cell))] == []


@pytest.mark.moto_only
@pytest.mark.parametrize("door", ["key", "signed"])
def test_what_a_principal_may_not_do_is_refused_before_anything_is_touched(
    moto: MotoBackend, api: Client, workspace: str, door: str
) -> None:
    """Who calls and what is attached is read; no body, no write, no credentials are asked of AWS."""
    cast = Cast.at(door, moto, api, workspace)
    for row, principal, state in CELLS:
        if state == "active" and row.status(principal, state) == FORBIDDEN[0]:
            moto.wire.operations.clear()
            assert cast.wrong((row, principal, state)) is None
            asked = set(moto.wire.operations)
            assert asked, "the credentials themselves are looked up"
            assert asked <= READING_CALLS, f"{row.operation} by {principal}"
