"""What agents' calls cost, and what sessions and live attachments do."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache

from tests.bench.operations import (
    API_KEYS,
    LIST,
    OPERATIONS,
    STORES,
    Budget,
    Operation,
    Request,
    Scene,
)
from tests.contract.agents import Binder, SessionClient, create_session, mount
from tests.contract.steps import StoreClient
from tests.support.client import ok

_numbers = itertools.count()

BY_AGENTS = (
    "create memory",
    "update content",
    "delete memory",
    "retrieve memory, full",
    "retrieve memory, basic",
    "list memories, 20 basic",
    "list versions, 20 basic",
    "get version",
    "restore, living memory",
)
"""Operations that agents run, too: within the same budget, for the rules ride in the reads that are made anyway."""


def _deployment(at: Scene) -> Binder:
    """A deployment that the store is attached to."""
    deployment = Binder(at.place.api, "deployments", f"bench-{next(_numbers)}")
    deployment.attached(at.store.id)
    return deployment


def _session(at: Scene, *, is_live: bool) -> SessionClient:
    if is_live:
        created = create_session(at.place.api, **_deployment(at).reference)
    else:
        created = create_session(at.place.api, mount(at.store.id))
    return SessionClient(at.place.api, ok(created)["id"])


@cache
def _agent_of(at: Scene, is_live: bool) -> Scene:
    """The same, seen by the agent of a session that has the store itself, or by its deployment."""
    token = ok(_session(at, is_live=is_live).credentials())["token"]
    return Scene(at.place, StoreClient(at.place.api.with_key(token), at.store.id))


def _by_agent(operation: Operation, name: str, *, is_live: bool) -> Operation:
    def prepare(at: Scene) -> Request:
        return operation.prepare(_agent_of(at, is_live))

    return Operation(f"{operation.name}, {name}", operation.budget, prepare)


def _with_session(request: Callable[[SessionClient], Request]) -> Callable[[Scene], Request]:
    return lambda at: request(_session(at, is_live=True))


def _create_session(at: Scene) -> Request:
    return lambda: create_session(at.place.api, mount(at.store.id))


def _listed_stores(at: Scene) -> Request:
    agent = _agent_of(at, is_live=True)
    return lambda: agent.store.api.get(STORES)


def _new_attachment(at: Scene) -> Request:
    deployment = Binder(at.place.api, "deployments", f"bench-{next(_numbers)}")
    return lambda: deployment.attach(at.store.id)


def _downgrade(at: Scene) -> Request:
    deployment = _deployment(at)
    return lambda: deployment.attach(at.store.id, "read_only")


def _detach(at: Scene) -> Request:
    deployment = _deployment(at)
    return lambda: deployment.detach(at.store.id)


def _delete_deployment(at: Scene) -> Request:
    deployment = _deployment(at)
    return deployment.delete


def _delete_key_with_a_session(at: Scene) -> Request:
    key = ok(at.place.api.post(API_KEYS, {"name": "Bench", "role": "admin"}))
    ok(create_session(at.place.api.with_key(key["secret"]), mount(at.store.id)))
    return lambda: at.place.api.delete(f"{API_KEYS}/{key['id']}")


# Where stores are bumped, one read says which of them exist, and 16 updates a store follow side by side.
SESSION_OPERATIONS = (
    Operation("create session, one store", Budget(5, 5), _create_session),
    Operation("get session", Budget(3, 3), _with_session(lambda session: session.get)),
    Operation("memory prompt", Budget(3, 3), _with_session(lambda session: session.prompt)),
    Operation("create bearer token", Budget(3, 3), _with_session(lambda session: session.credentials)),
    Operation("revoke credentials", Budget(5, 20), _with_session(lambda session: session.revoke)),
    Operation("archive session", Budget(8, 23), _with_session(lambda session: session.archive)),
    Operation("delete session", Budget(6, 21), _with_session(lambda session: session.delete)),
    Operation("attach store to a deployment", Budget(5, 20), _new_attachment),
    Operation("downgrade its access", Budget(5, 20), _downgrade),
    Operation("detach store", Budget(5, 20), _detach),
    Operation("delete deployment", Budget(5, 20), _delete_deployment),
    Operation("delete API key with a session", Budget(8, 23), _delete_key_with_a_session),
    Operation("list stores, agent", LIST, _listed_stores),
    *(
        _by_agent(operation, name, is_live=is_live)
        for name, is_live in (("agent", False), ("agent of a deployment", True))
        for operation in OPERATIONS
        if operation.name in BY_AGENTS
    ),
)
