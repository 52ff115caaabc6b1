"""A running agent, and all that ends what it may write: for races, for chosen interleavings and for faults."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from tests.contract.agents import Binder, SessionClient, agent_with, create_session, mount
from tests.contract.conftest import STORES
from tests.contract.steps import FORBIDDEN, INVALID, NOT_FOUND, UNAUTHENTICATED, Json, StoreClient
from tests.contract.writes import API_KEYS
from tests.support.backend import Backend
from tests.support.client import Answer, Client, ok
from tests.support.moto_backend import MotoBackend


@dataclass(frozen=True)
class Scene:
    """An agent that may write to a store of its session's own (`fixed`) and to one of its deployment (`live`).

    The session was made by a key of its own, `creator`; stores and deployment are seen by the workspace's admin, who
    attached the one to the other.
    """

    backend: Backend
    workspace: str
    api: Client
    creator: Client
    fixed: StoreClient
    live: StoreClient
    deployment: Binder
    session: SessionClient
    agent: Client

    @classmethod
    def set_up(cls, backend: Backend, workspace: str, api: Client, fixed_id: str, live_id: str) -> Scene:
        """A new session of a new deployment, on stores that are there."""
        key = ok(api.post(API_KEYS, {"name": "creator", "role": "admin"}))
        creator = api.with_key(key["secret"], key["id"])
        deployment = Binder(api, "deployments", secrets.token_hex(8))
        deployment.attached(live_id)
        session = SessionClient(api, new_session(creator, mount(fixed_id), deployment)["id"])
        fixed, live = StoreClient(api, fixed_id), StoreClient(api, live_id)
        agent = new_agent(backend, session)
        return cls(backend, workspace, api, creator, fixed, live, deployment, session, agent)

    def theirs(self, store: str) -> StoreClient:
        """The store of that name, as the agent sees it."""
        return StoreClient(self.agent, self.store(store).id)

    def store(self, name: str) -> StoreClient:
        """The store of that name, `fixed` or `live`, as the admin sees it."""
        return {"fixed": self.fixed, "live": self.live}[name]

    def landed(self, *stores: str) -> dict[str, str]:
        """Who wrote each version that is stored, by its id: read from the table, so of a deleted store as well."""
        found: dict[str, str] = {}
        for name in stores:
            pages = self.backend.dynamodb.get_paginator("query").paginate(
                TableName=self.backend.table_name,
                KeyConditionExpression="pk = :pk AND begins_with(sk, :version)",
                ExpressionAttributeValues={
                    ":pk": {"S": f"{self.workspace}#{self.store(name).id}"},
                    ":version": {"S": "memver_"},
                },
                ConsistentRead=True,
            )
            found |= {item["sk"]["S"]: item["created_by"]["S"] for page in pages for item in page["Items"]}
        return found

    def of_agents(self, *stores: str) -> set[str]:
        """The versions that agents wrote."""
        return {version for version, author in self.landed(*stores).items() if author.startswith("session")}


def new_session(creator: Client, resource: Json, deployment: Binder) -> Json:
    return dict(ok(create_session(creator, resource, **deployment.reference)))


def new_agent(backend: Backend, session: SessionClient, type: str = "bearer") -> Client:
    return agent_with(backend, ok(session.credentials(type)))


def replace_deployment(scene: Scene) -> Answer:
    """Delete it; then somebody else makes one of the same id and attaches the same store."""
    ok(scene.deployment.delete())
    return scene.deployment.seen_by(scene.creator).attach(scene.live.id)


class End(NamedTuple):
    """What takes the agent's access to `stores` away, and what the agent's writes meet then."""

    act: Callable[[Scene], Answer]
    refusal: tuple[int, str]
    stores: tuple[str, ...] = ("live",)


BOTH = ("fixed", "live")
# Of attachments and sessions: these leave the stores as they are.
ACCESS_ENDS: dict[str, End] = {
    "detach": End(lambda scene: scene.deployment.detach(scene.live.id), FORBIDDEN),
    "downgrade": End(lambda scene: scene.deployment.attach(scene.live.id, "read_only"), FORBIDDEN),
    "delete_deployment": End(lambda scene: scene.deployment.delete(), FORBIDDEN),
    "revoke": End(lambda scene: scene.session.revoke(), UNAUTHENTICATED, BOTH),
    "archive_session": End(lambda scene: scene.session.archive(), UNAUTHENTICATED, BOTH),
    "delete_session": End(lambda scene: scene.session.delete(), UNAUTHENTICATED, BOTH),
    "delete_key": End(lambda scene: scene.api.delete(f"{API_KEYS}/{scene.creator.key_id}"), UNAUTHENTICATED, BOTH),
}
ENDS: dict[str, End] = ACCESS_ENDS | {
    "replace_deployment": End(replace_deployment, FORBIDDEN),
    "archive_store": End(lambda scene: scene.api.post(f"{scene.live.url}/archive"), INVALID),
    "delete_store": End(lambda scene: scene.api.delete(scene.live.url), NOT_FOUND),
}


def new_store(api: Client, name: str) -> str:
    return str(ok(api.post(STORES, {"name": name}))["id"])


def moments(moto: MotoBackend, request: Callable[[], Answer], until: str = "") -> list[int]:
    """The numbers of its AWS calls but the first, which says who asks; of equal ones in a row the first.

    With `until`, none behind the first call of that operation.
    """
    moto.wire.operations.clear()
    ok(request())
    calls = [*moto.wire.operations]
    last = calls.index(until) + 1 if until else len(calls)
    return [number for number in range(2, last + 1) if number == 2 or calls[number - 1] != calls[number - 2]]
