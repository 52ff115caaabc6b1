"""Access taken away under 32 writing agents: no write of theirs lands after the answer, and nobody else is held up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import pytest

from tests.contract.access_ends import ENDS, Scene, new_agent, new_session, new_store
from tests.contract.agents import Binder, SessionClient, ids_of, mount
from tests.contract.conftest import MakeKey
from tests.contract.steps import FORBIDDEN, INVALID, Json, StoreClient, refused
from tests.support.backend import Backend
from tests.support.client import Answer, Client, ok
from tests.support.parallel import run_parallel

WRITERS = 32
BYSTANDERS = 4
ROUNDS = 100
ONE_SESSION = ("revoke", "archive_session", "delete_session")
"""What ends one session only: all writers are agents of it. Else they are those of four sessions."""


@pytest.fixture
def scene(backend: Backend, workspace: str, api: Client) -> Scene:
    return Scene.set_up(backend, workspace, api, new_store(api, "Fixed"), new_store(api, "Live"))


def agents(scene: Scene, end: str) -> list[Client]:
    """The writers, each with a bearer token of its own."""
    sessions = [scene.session]
    if end not in ONE_SESSION:
        more = [new_session(scene.creator, mount(scene.fixed.id), scene.deployment) for _ in range(3)]
        sessions += [SessionClient(scene.api, session["id"]) for session in more]
    return [new_agent(scene.backend, sessions[number % len(sessions)]) for number in range(WRITERS)]


@dataclass
class Race:
    """Writers who all have written once when the end of their access begins, and go on until they are refused."""

    start: threading.Barrier = field(default_factory=lambda: threading.Barrier(WRITERS + 1))

    def writer(self, notes: StoreClient, number: int) -> list[Answer]:
        answers = [notes.create(f"/w{number}")]
        memory_id = ok(answers[0])["id"]
        self.start.wait(timeout=60)
        for turn in range(ROUNDS):
            change = {"path": f"/w{number}/{turn}"} if turn % 4 == 3 else {"content": f"text {turn}"}
            answers.append(notes.update(memory_id, change))
            if answers[-1].status != 200:
                break
        return answers

    def bystander(self, notes: StoreClient, number: int) -> list[Answer]:
        """Somebody whom it does not concern."""
        answers = [notes.create(f"/b{number}")]
        memory_id = ok(answers[0])["id"]
        answers += [notes.update(memory_id, {"content": f"text {turn}"}) for turn in range(4)]
        return answers

    def end(self, act: Callable[[], Answer], seen: Callable[[], set[str]]) -> tuple[Answer, set[str]]:
        self.start.wait(timeout=60)
        answer = act()
        return answer, seen()


@pytest.mark.parametrize("name", ENDS)
def test_no_write_of_32_agents_lands_after_their_access_has_ended(scene: Scene, name: str) -> None:
    end = ENDS[name]
    theirs = [
        StoreClient(agent, scene.store(end.stores[number % len(end.stores)]).id)
        for number, agent in enumerate(agents(scene, name))
    ]
    others = StoreClient(scene.api, scene.fixed.id if name in ("archive_store", "delete_store") else scene.live.id)
    witness = SessionClient(scene.api, ok(scene.api.post("/v1/sessions", bystanding(others.id)))["id"])
    race = Race()
    *told, (answer, landed) = run_parallel(
        [
            *(partial(race.writer, notes, number) for number, notes in enumerate(theirs)),
            *(
                partial(race.bystander, StoreClient(new_agent(scene.backend, witness), others.id), number)
                for number in range(BYSTANDERS)
            ),
            lambda: race.end(lambda: end.act(scene), lambda: of_writers(scene, witness)),
        ]
    )
    ok(answer)
    acknowledged = set()
    for answers in told[:WRITERS]:
        *written, last = answers
        refused(last, end.refusal)
        acknowledged |= {ok(answer)["memory_version_id"] for answer in written}
    for answers in told[WRITERS:]:
        for each in answers:
            ok(each)
    for notes in theirs:
        refused(notes.create("/late"), end.refusal)
    assert of_writers(scene, witness) == landed, "what was there at the answer is what stays"
    assert acknowledged <= landed, "an answered write is kept"


def bystanding(store_id: str) -> Json:
    return {"agent": "bystander", "environment_id": "env_local", "resources": [mount(store_id)]}


def of_writers(scene: Scene, witness: SessionClient) -> set[str]:
    """The versions that the agents wrote, whom the end concerns."""
    landed = scene.landed("fixed", "live")
    return {version for version, author in landed.items() if not author.endswith(witness.id)}
