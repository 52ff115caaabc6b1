"""Access taken away under 32 writing agents: no write of theirs lands after the answer, and nobody else is held up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import pytest

from tests.contract.access_ends import ACCESS_ENDS, BOTH, ENDS, Scene, new_agent, new_session, new_store
from tests.contract.agents import Binder, SessionClient, create_session, ids_of, mount, paths_of
from tests.contract.conftest import MakeKey
from tests.contract.steps import FORBIDDEN, INVALID, NOT_FOUND, UNAUTHENTICATED, Json, StoreClient, refused
from tests.support.backend import Backend
from tests.support.client import Answer, Client, ok
from tests.support.parallel import run_parallel

WRITERS = 32
BYSTANDERS = 4
ROUNDS = 100
# What ends one session only: all writers are agents of it. Else they are those of four sessions.
ONE_SESSION = ("revoke", "archive_session", "delete_session")
STORE_ENDS = ("archive_store", "delete_store")


@pytest.fixture
def scene(backend: Backend, workspace: str, api: Client) -> Scene:
    return Scene.set_up(backend, workspace, api, new_store(api, "Fixed"), new_store(api, "Live"))


def agents(scene: Scene, name: str) -> list[Client]:
    """All whom the end concerns, each with a bearer token of its own session."""
    if name in ONE_SESSION:
        return [scene.agent]
    more = [new_session(scene.creator, mount(scene.fixed.id), scene.deployment) for _ in range(3)]
    return [scene.agent, *(new_agent(scene.backend, SessionClient(scene.api, session["id"])) for session in more)]


def bystander(scene: Scene, store_id: str) -> tuple[str, StoreClient]:
    """Whom it does not concern: another key's session, with the store as its own. Its id, and the store for it."""
    session = ok(create_session(scene.api, mount(store_id)))
    return session["id"], StoreClient(new_agent(scene.backend, SessionClient(scene.api, session["id"])), store_id)


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
        answers = [notes.create(f"/b{number}")]
        memory_id = ok(answers[0])["id"]
        return answers + [notes.update(memory_id, {"content": f"text {turn}"}) for turn in range(4)]

    def end(self, act: Callable[[], Answer], seen: Callable[[], set[str]]) -> tuple[Answer, set[str]]:
        self.start.wait(timeout=60)
        answer = act()
        return answer, seen()


@pytest.mark.ministack_only  # test_session_interleavings.py has moto's share, moment by moment
@pytest.mark.parametrize("name", [name for name in ENDS if name != "replace_deployment"])
def test_no_write_of_32_agents_lands_after_their_access_has_ended(scene: Scene, name: str) -> None:
    end = ENDS[name]
    theirs = [StoreClient(agent, scene.store(at).id) for agent in agents(scene, name) for at in end.stores]
    witness, others = bystander(scene, (scene.fixed if name in STORE_ENDS else scene.live).id)

    def of_writers() -> set[str]:
        """The versions of those whom the end concerns."""
        return {version for version, author in scene.landed(*BOTH).items() if not author.endswith(witness)}

    race = Race()
    *told, (answer, landed) = run_parallel(
        [
            *(partial(race.writer, theirs[number % len(theirs)], number) for number in range(WRITERS)),
            *(partial(race.bystander, others, number) for number in range(BYSTANDERS)),
            lambda: race.end(lambda: end.act(scene), of_writers),
        ]
    )
    ok(answer)
    acknowledged = set()
    for *written, last in told[:WRITERS]:
        refused(last, end.refusal)
        acknowledged |= {ok(each)["memory_version_id"] for each in written}
    for answers in told[WRITERS:]:
        for each in answers:
            ok(each)
    for notes in theirs:
        refused(notes.create("/late"), end.refusal)
    assert of_writers() == landed, "what was there at the answer is what stays"
    assert acknowledged <= landed, "an answered write is kept"


# --- attachments that change together ---


def test_stores_attached_together_are_all_attached(api: Client) -> None:
    """The first of them makes the record."""
    deployment = Binder(api, "deployments")
    stores = [new_store(api, "Notes") for _ in range(8)]
    for answer in run_parallel([partial(deployment.attach, store_id) for store_id in stores]):
        ok(answer)
    attached = deployment.resources()
    assert sorted(ids_of(attached)) == sorted(stores)
    assert len(set(paths_of(attached))) == 8, "each has a path of its own"
    refused(deployment.attach(new_store(api, "Ninth")), INVALID)


def test_of_admins_who_attach_first_together_one_is_the_owner(
    api: Client, store: Json, make_key: MakeKey, binder: Binder
) -> None:
    admins = [binder.seen_by(make_key("admin")) for _ in range(6)]
    answers = run_parallel([partial(each.attach, store["id"]) for each in admins])
    [owner] = [admin for admin, answer in zip(admins, answers, strict=True) if answer.status == 200]
    for answer in answers:
        if answer.status != 200:
            refused(answer, FORBIDDEN)
    ok(owner.attach(store["id"], "read_only"))


def test_changes_of_one_attachment_made_together_leave_one_of_them(scene: Scene) -> None:
    """Whatever came last, it is told and enforced the same, and nothing is left under way."""
    attach, live = scene.deployment.attach, scene.live.id
    changes = [partial(attach, live, access) for access in ("read_only", "read_write")] * 3
    for answer in run_parallel([*changes, partial(scene.deployment.detach, live)]):
        ok(answer)
    left = {resource["memory_store_id"]: resource["access"] for resource in scene.deployment.resources()}
    answer = scene.theirs("live").create("/a")
    if left == {live: "read_write"}:
        ok(answer)
    else:
        assert left in ({live: "read_only"}, {})
        refused(answer, FORBIDDEN)
    ok(attach(live, "read_write"))
    ok(scene.theirs("live").create("/b"))


def test_ends_that_are_asked_for_many_times_at_once_all_come(scene: Scene) -> None:
    """Each is told that it is done, or that nothing is there any more."""
    ends = [ACCESS_ENDS[name] for name in ("archive_session", "delete_session", "delete_deployment")]
    answers = run_parallel([partial(end.act, scene) for end in ends * 4])
    assert {answer.status for answer in answers} <= {200, 404}
    for deletions in (answers[1::3], answers[2::3]):
        assert 200 in {answer.status for answer in deletions}
    refused(scene.session.get(), NOT_FOUND)
    refused(scene.deployment.list_resources(), NOT_FOUND)
    for store in BOTH:
        refused(scene.theirs(store).create("/late"), UNAUTHENTICATED)
