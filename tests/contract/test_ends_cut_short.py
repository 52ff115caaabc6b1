"""The end of an agent's access, cut short: a repeat of the request does all that was left, the fences included."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from tests.contract.access_ends import ACCESS_ENDS, BOTH, End, Scene, new_agent, new_store
from tests.contract.agents import SESSIONS, SessionClient, create_session, mount
from tests.contract.steps import FORBIDDEN, NOT_FOUND, UNAUTHENTICATED, StoreClient, refused
from tests.contract.writes import API_KEYS
from tests.support.client import Answer, Client, ok
from tests.support.faults import FOREVER, TRANSACT, Faults, Killed, dynamodb
from tests.support.moto_backend import MotoBackend

pytestmark = pytest.mark.moto_only

UPDATE = "dynamodb.UpdateItem"
READS = ("Get", "BatchGet", "Query")


@pytest.fixture
def set_scene(moto: MotoBackend, workspace: str, api: Client) -> Callable[[], Scene]:
    """A new session and deployment, always on the same two stores, in which nobody has written."""
    fixed, live = new_store(api, "Fixed"), new_store(api, "Live")
    return lambda: Scene.set_up(moto, workspace, api, fixed, live)


def writes_of(moto: MotoBackend, act: Callable[[], Answer]) -> list[int]:
    """The numbers of its AWS calls that change something; of equal ones in a row the first and the last."""
    moto.wire.operations.clear()
    ok(act())
    calls = ["", *moto.wire.operations, ""]
    return [
        number
        for number in range(1, len(calls) - 1)
        if not calls[number].partition(".")[2].startswith(READS)
        and not calls[number - 1] == calls[number] == calls[number + 1]
    ]


def attach(scene: Scene) -> Answer:
    return scene.deployment.attach(scene.live.id)


def write(scene: Scene) -> Answer:
    """What must not land, whenever that is asked."""
    return scene.theirs("live").create("/late")


def did_not_land(scene: Scene, answer: Answer, refusal: tuple[int, str]) -> None:
    refused(answer, refusal)
    assert scene.of_agents(*BOTH) == set()


@pytest.mark.parametrize("name", ACCESS_ENDS)
def test_an_end_that_was_killed_is_finished_by_a_repeat(
    moto: MotoBackend, set_scene: Callable[[], Scene], faults: Faults, name: str
) -> None:
    """All the time a write is under way that saw its access before."""
    end, rehearsed = ACCESS_ENDS[name], set_scene()
    for nth in writes_of(moto, lambda: end.act(rehearsed)):
        scene = set_scene()
        with faults.held(TRANSACT, partial(write, scene)) as finish:
            with pytest.raises(Killed), faults.kill("", nth=nth, after=True):
                end.act(scene)
            assert end.act(scene).status in (200, 404), nth
            did_not_land(scene, finish(), end.refusal)


def in_a_hurry(moto: MotoBackend, scene: Scene) -> Scene:
    """The same with an admin whose requests have little time, and give up soon."""
    api = Client(moto.key_gateway(timeout=5.5), scene.api.key)
    session = SessionClient(api, scene.session.id)
    return replace(scene, api=api, session=session, deployment=scene.deployment.seen_by(api))


@pytest.mark.parametrize("name", ACCESS_ENDS)
def test_an_end_that_could_not_be_finished_says_so_and_is_finished_by_a_repeat(
    moto: MotoBackend, set_scene: Callable[[], Scene], faults: Faults, name: str
) -> None:
    end, scene = ACCESS_ENDS[name], set_scene()
    with faults.held(TRANSACT, partial(write, scene)) as finish:
        with faults.refuse(UPDATE, dynamodb("ThrottlingException"), nth=3, times=FOREVER):
            assert end.act(in_a_hurry(moto, scene)).status in (429, 503)
        ok(end.act(scene))
        did_not_land(scene, finish(), end.refusal)


@pytest.mark.parametrize("then", ["attach", "detach", "delete_deployment"])
def test_an_attachment_that_could_not_be_finished_gives_nothing_and_can_be_repeated_or_taken_back(
    moto: MotoBackend, set_scene: Callable[[], Scene], faults: Faults, then: str
) -> None:
    scene = set_scene()
    ok(ACCESS_ENDS["detach"].act(scene))
    with faults.refuse(UPDATE, dynamodb("ThrottlingException"), nth=3, times=FOREVER):
        assert attach(in_a_hurry(moto, scene)).status in (429, 503)
    refused(write(scene), FORBIDDEN)
    assert scene.deployment.resources() == []
    if then == "attach":
        ok(attach(scene))
        ok(write(scene))
    else:
        ok(ACCESS_ENDS[then].act(scene))
        refused(ACCESS_ENDS[then].act(scene), NOT_FOUND)
        refused(write(scene), FORBIDDEN)


DELETES_ITSELF = End(lambda scene: scene.creator.delete(f"{API_KEYS}/{scene.creator.key_id}"), UNAUTHENTICATED, BOTH)


def test_a_key_that_was_killed_while_it_deleted_itself_finds_its_sessions_ended_or_can_finish_it(
    moto: MotoBackend, set_scene: Callable[[], Scene], faults: Faults
) -> None:
    """Told that there is no such key any more, it has nothing left to do."""
    rehearsed = set_scene()
    for nth in writes_of(moto, lambda: DELETES_ITSELF.act(rehearsed)):
        scene = set_scene()
        with faults.held(TRANSACT, partial(write, scene)) as finish:
            with pytest.raises(Killed), faults.kill("", nth=nth, after=True):
                DELETES_ITSELF.act(scene)
            repeat = DELETES_ITSELF.act(scene)
            assert repeat.status == 200 or repeat.failure == UNAUTHENTICATED
            did_not_land(scene, finish(), UNAUTHENTICATED)


def test_a_session_whose_creation_was_killed_is_not_there_or_is_whole(
    moto: MotoBackend, set_scene: Callable[[], Scene], api: Client, faults: Faults
) -> None:
    """A whole one ends with the key that made it, too, although nobody was told of it."""
    rehearsed, there = new_store(api, "Own"), 0
    for nth in writes_of(moto, lambda: create_session(api, mount(rehearsed))):
        scene, own = set_scene(), new_store(api, "Own")
        with pytest.raises(Killed), faults.kill("", nth=nth, after=True):
            create_session(scene.creator, mount(own))
        made = api.walk(SESSIONS, {"memory_store_id": own})
        there += len(made)
        for session in made:
            agent = new_agent(moto, SessionClient(api, session["id"]))
            with faults.held(TRANSACT, partial(StoreClient(agent, own).create, "/late")) as finish:
                ok(ACCESS_ENDS["delete_key"].act(scene))
                refused(finish(), UNAUTHENTICATED)
            assert StoreClient(api, own).paths() == []
    assert there == 1, "after its last write, and never before"
