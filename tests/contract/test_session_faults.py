"""Sessions and attachments where AWS throttles, replies are lost or the function is killed at any of its calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.contract.agents import SESSIONS, Binder, SessionClient, agent_with, create_session
from tests.contract.conftest import STORES
from tests.contract.steps import Json, StoreClient
from tests.contract.writes import API_KEYS, Rehearsal
from tests.support.backend import first_client, fresh_workspace
from tests.support.client import Answer, Client, ok
from tests.support.faults import Faults, Killed, throttled
from tests.support.moto_backend import MotoBackend

pytestmark = pytest.mark.moto_only


@dataclass(frozen=True)
class SessionScene:
    """A workspace with a deployment that attaches a store, and a session of it with a running agent. They were made
    with another key than that of the admin who watches.
    """

    admin: Client
    deployment: Binder
    session: SessionClient
    theirs: StoreClient

    @classmethod
    def set_up(cls, moto: MotoBackend, access: str) -> SessionScene:
        admin = first_client(moto, fresh_workspace())
        key = ok(admin.post(API_KEYS, {"name": "maker", "role": "admin"}))
        maker = admin.with_key(key["secret"], key["id"])
        deployment = Binder(maker, "deployments")
        store_id = ok(maker.post(STORES, {"name": "Notes"}))["id"]
        deployment.attached(store_id, access)
        session = SessionClient(maker, ok(create_session(maker, title="running", **deployment.reference))["id"])
        return cls(admin, deployment, session, StoreClient(agent_with(moto, ok(session.credentials())), store_id))

    def seen(self) -> Json:
        """What the admin and the agent see, without what differs from scene to scene."""
        attached = self.deployment.seen_by(self.admin).list_resources()
        sessions = self.admin.walk(SESSIONS, {"include_archived": "true"})
        return {
            "attached": [each["access"] for each in attached.json["data"]] if attached.status == 200 else None,
            "bot": Binder(self.admin, "bots").list_resources().status,
            "sessions": {(each["title"], each["archived_at"] is not None) for each in sessions},
            "agent": self.theirs.api.get(self.theirs.url).status,
        }

    def counts(self) -> tuple[int, int]:
        """How many sessions and keys the workspace has."""
        return len(self.admin.walk(SESSIONS, {"include_archived": "true"})), len(self.admin.walk(API_KEYS))


@dataclass(frozen=True)
class Write:
    """One change, where the store is attached with `access` before it."""

    do: Callable[[SessionScene], Answer]
    access: str = "read_write"

    def __call__(self, scene: SessionScene) -> Answer:
        return self.do(scene)


# What opens something; what closes it has a file of its own, for the fences that it takes.
WIDENING = {
    "attach": Write(lambda scene: Binder(scene.deployment.api, "bots").attach(scene.theirs.id)),
    "upgrade": Write(lambda scene: scene.deployment.attach(scene.theirs.id, "read_write"), "read_only"),
}
WRITES = WIDENING | {
    "downgrade": Write(lambda scene: scene.deployment.attach(scene.theirs.id, "read_only")),
    "detach": Write(lambda scene: scene.deployment.detach(scene.theirs.id)),
    "delete_deployment": Write(lambda scene: scene.deployment.delete()),
    "create_session": Write(lambda scene: create_session(scene.admin, title="new", **scene.deployment.reference)),
    "create_token": Write(lambda scene: scene.session.credentials("bearer")),
    "create_aws_credentials": Write(lambda scene: scene.session.credentials("aws")),
    "revoke": Write(lambda scene: scene.session.revoke()),
    "archive_session": Write(lambda scene: scene.session.archive()),
    "delete_session": Write(lambda scene: scene.session.delete()),
    "delete_makers_key": Write(lambda scene: scene.admin.delete(f"{API_KEYS}/{scene.session.api.key_id}")),
}


# Throttled calls are repeated in one place, whoever makes them; what a lost reply means, each write has to know.
THROTTLED = ("attach", "detach", "create_session", "create_aws_credentials")


@pytest.mark.parametrize(
    ("fault", "name"), [*(("lost reply", name) for name in WRITES), *(("throttled", name) for name in THROTTLED)]
)
def test_every_call_disturbed_once_is_no_failure_and_doubles_nothing(
    moto: MotoBackend, faults: Faults, name: str, fault: str
) -> None:
    write = WRITES[name]
    rehearsal = Rehearsal.of(write, SessionScene.set_up(moto, write.access), [])
    scene = SessionScene.set_up(moto, write.access)
    sessions, keys = scene.counts()
    lost = faults.lose_reply("", each_once=True)
    with lost if fault == "lost reply" else faults.refuse("", throttled, each_once=True):
        ok(write(scene))
    assert scene.seen() == rehearsal.done
    assert scene.counts() == (sessions + rehearsal.more[0], keys + rehearsal.more[1])


@pytest.mark.parametrize("name", WIDENING)
def test_a_kill_at_any_call_leaves_all_or_nothing_and_a_retry_finishes_it(
    moto: MotoBackend, faults: Faults, name: str
) -> None:
    write = WIDENING[name]
    rehearsal = Rehearsal.of(write, SessionScene.set_up(moto, write.access), moto.wire.operations)
    for nth in rehearsal.turns:
        where = f"{rehearsal.calls[nth - 1]} ({nth})"
        scene = SessionScene.set_up(moto, write.access)
        with pytest.raises(Killed), faults.kill("", nth=nth):
            write(scene)
        assert scene.seen() in (rehearsal.before, rehearsal.done), where
        assert write(scene).status == 200, where
        assert scene.seen() == rehearsal.done, where
        assert ok(scene.theirs.create("/a")), "the agent may write then"
