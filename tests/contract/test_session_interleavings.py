"""An agent's write beside whatever ends its access, in chosen orders: it never lands after the answer.

Threads meet the narrow moments by chance; here each of them is chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial

import pytest

from tests.contract.access_ends import ACCESS_ENDS, BOTH, ENDS, Scene, moments, new_agent, new_session, new_store
from tests.contract.agents import SessionClient, ids_of, mount
from tests.contract.conftest import Signed
from tests.contract.steps import FORBIDDEN, UNAUTHENTICATED, Json, StoreClient
from tests.support.client import Answer, Client, ok
from tests.support.faults import TRANSACT, Faults, Killed
from tests.support.moto_backend import MotoBackend

pytestmark = pytest.mark.moto_only

FENCES = 16
PUT = "dynamodb.PutItem"
UPDATE = "dynamodb.UpdateItem"
RULES_OF_A_CREATE = 2
"""Which of its batch reads are the rules: the first are the fences."""

# Where a change of an attachment is cut short. Its only updates are the bumps of one store's fences: before them it is
# begun, after them it takes effect.
each_cut = pytest.mark.parametrize(
    ("nth", "after"),
    [(1, False), (FENCES // 2, True), (FENCES, True)],
    ids=["before the bumps", "amid the bumps", "after the bumps"],
)


@pytest.fixture
def set_scene(moto: MotoBackend, workspace: str, api: Client) -> Callable[[], Scene]:
    """A new session and deployment, always on the same two stores, in which nobody has written."""
    fixed, live = new_store(api, "Fixed"), new_store(api, "Live")
    return lambda: Scene.set_up(moto, workspace, api, fixed, live)


@pytest.fixture
def scene(set_scene: Callable[[], Scene]) -> Scene:
    return set_scene()


def attach(scene: Scene) -> Answer:
    return scene.deployment.attach(scene.live.id)


def write(scene: Scene, store: str = "live") -> Answer:
    """What must not land, whenever that is asked."""
    return scene.theirs(store).create("/late")


def did_not_land(scene: Scene, answer: Answer, *refusals: tuple[int, str]) -> None:
    assert answer.failure in refusals
    assert scene.of_agents(*BOTH) == set()


def is_deployment(item: Json) -> bool:
    """Of an item on the wire."""
    return bool(item["sk"]["S"].startswith("deployment#"))


# --- a write that has checked everything and not committed ---


@pytest.mark.parametrize("name", ENDS)
def test_a_write_in_flight_when_its_access_ends_never_lands_after_the_answer(
    scene: Scene, faults: Faults, name: str
) -> None:
    with ExitStack() as held:
        finishing = [
            held.enter_context(faults.held(TRANSACT, partial(write, scene, store))) for store in ENDS[name].stores
        ]
        ok(ENDS[name].act(scene))
        for finish in finishing:
            did_not_land(scene, finish(), ENDS[name].refusal)


def test_no_kind_of_write_in_flight_lands_after_a_downgrade(scene: Scene, faults: Faults) -> None:
    theirs = scene.theirs("live")
    memory, gone = (scene.live.created(path, "old") for path in ("/a", "/gone"))
    ok(scene.live.update(memory["id"], {"content": "new"}))
    ok(scene.live.delete(gone["id"]))
    writes: list[Callable[[], Answer]] = [
        lambda: theirs.create("/b"),
        lambda: theirs.update(memory["id"], {"content": "late"}),
        lambda: theirs.update(memory["id"], {"path": "/late"}),
        lambda: theirs.restore(memory["memory_version_id"]),
        lambda: theirs.restore(gone["memory_version_id"]),
        lambda: theirs.delete(memory["id"]),
    ]
    for each in writes:
        with faults.held(TRANSACT, each) as finish:
            ok(ENDS["downgrade"].act(scene))
            did_not_land(scene, finish(), FORBIDDEN)
        ok(attach(scene))


@pytest.mark.parametrize("name", ["detach", "revoke"])
def test_a_write_in_flight_at_the_signed_door_lands_no_more_than_at_the_other(
    moto: MotoBackend, scene: Scene, faults: Faults, name: str
) -> None:
    theirs = StoreClient(new_agent(moto, scene.session, "aws"), scene.live.id)
    with faults.held(TRANSACT, lambda: theirs.create("/late")) as finish:
        ok(ENDS[name].act(scene))
        did_not_land(scene, finish(), FORBIDDEN)


@pytest.mark.parametrize(
    "change", [["unmap-principal"], ["map-principal", "--role", "read_write"]], ids=lambda it: it[0]
)
def test_a_write_in_flight_when_the_role_that_made_its_session_is_no_admin_any_more_does_not_land(
    moto: MotoBackend, scene: Scene, signed: Signed, faults: Faults, change: list[str]
) -> None:
    arn = ["--arn", "arn:aws:iam::123456789012:role/Maker"]
    workspace = ["--workspace", scene.workspace]
    moto.command("map-principal", *arn, *workspace, "--role", "admin")
    session = new_session(signed(arn[1]), mount(scene.fixed.id), scene.deployment)
    agent = new_agent(moto, SessionClient(scene.api, session["id"]))
    with ExitStack() as held:
        finishing = [
            held.enter_context(faults.held(TRANSACT, partial(StoreClient(agent, store.id).create, "/late")))
            for store in (scene.fixed, scene.live)
        ]
        name, *role = change
        moto.command(name, *arn, *(workspace + role if role else []))
        for finish in finishing:
            did_not_land(scene, finish(), UNAUTHENTICATED)


def test_a_write_in_flight_lands_whatever_ends_for_others_in_its_store(
    set_scene: Callable[[], Scene], faults: Faults
) -> None:
    scene, other = set_scene(), set_scene()
    ends = [name for name in ACCESS_ENDS if name != "delete_deployment"] + ["delete_deployment"]
    with faults.held(TRANSACT, lambda: write(scene)) as finish:
        for name in ends:
            assert ACCESS_ENDS[name].act(other).status == 200, name
        ok(finish())
    assert scene.live.paths() == ["/late"]


# --- a change cut short, then another that finds what is left to do ---


@each_cut
@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("detach", "revoke"),
        ("detach", "delete_deployment"),
        ("downgrade", "archive_session"),
        ("delete_deployment", "delete_key"),
    ],
)
def test_no_write_lands_after_an_end_that_came_upon_another_cut_short(
    scene: Scene, faults: Faults, first: str, then: str, nth: int, after: bool
) -> None:
    """The write saw its access before the first, which died; the second was answered."""
    with faults.held(TRANSACT, lambda: write(scene)) as finish:
        with pytest.raises(Killed), faults.kill(UPDATE, nth=nth, after=after):
            ENDS[first].act(scene)
        ok(ENDS[then].act(scene))
        did_not_land(scene, finish(), ENDS[then].refusal, ENDS[first].refusal)


def test_a_change_that_others_have_overtaken_does_not_settle_theirs(scene: Scene, faults: Faults) -> None:
    """An attachment is about to take effect; meanwhile two others did, a write saw it, and a detachment died early."""
    ok(ENDS["detach"].act(scene))
    with ExitStack() as held:

        def overtake() -> Callable[[], Answer]:
            ok(ENDS["downgrade"].act(scene))
            ok(attach(scene))
            finish = held.enter_context(faults.held(TRANSACT, partial(write, scene)))
            with pytest.raises(Killed), faults.kill(UPDATE):
                ENDS["detach"].act(scene)
            return finish

        with faults.meanwhile(PUT, overtake, nth=2) as overtaken:
            ok(attach(scene))
        ok(ENDS["revoke"].act(scene))
        did_not_land(scene, overtaken[0](), UNAUTHENTICATED)


# --- a store attached while the end of the session is being decided ---


@pytest.mark.parametrize(
    ("nth", "after"),
    [(1, False), (FENCES, True), (FENCES + 1, False)],
    ids=["before the bumps", "after the bumps", "never"],
)
@pytest.mark.parametrize(
    ("name", "ends_first"), [("revoke", False), ("revoke", True), ("delete_key", False), ("delete_key", True)]
)
def test_no_write_lands_that_saw_the_session_before_its_end_and_the_attachment_after_it(
    scene: Scene, faults: Faults, name: str, ends_first: bool, nth: int, after: bool
) -> None:
    """Reads of several items are no snapshot. The attachment is cut short."""
    ok(ENDS["detach"].act(scene))

    def attach_in_part() -> None:
        with suppress(Killed), faults.kill(UPDATE, nth=nth, after=after):
            ok(attach(scene))

    def amid() -> None:
        if not ends_first:
            attach_in_part()
        ok(ENDS[name].act(scene))
        if ends_first:
            attach_in_part()

    with faults.torn(amid, is_deployment, nth=RULES_OF_A_CREATE):
        answer = write(scene)
    did_not_land(scene, answer, UNAUTHENTICATED, FORBIDDEN)


@pytest.mark.parametrize("name", ["revoke", "delete_key", "delete_deployment"])
def test_no_write_lands_in_a_store_attached_amid_the_end_of_its_access(
    moto: MotoBackend, set_scene: Callable[[], Scene], faults: Faults, name: str
) -> None:
    """Between two calls of the end, a store is attached, and a write begins that may see it."""
    end, rehearsed = ENDS[name], set_scene()
    ok(ENDS["detach"].act(rehearsed))
    for nth in moments(moto, lambda: end.act(rehearsed)):
        scene = set_scene()
        ok(ENDS["detach"].act(scene))
        with ExitStack() as held:

            def attach_and_begin(scene: Scene = scene, held: ExitStack = held) -> Callable[[], Answer]:
                ok(attach(scene))
                return held.enter_context(faults.held(TRANSACT, lambda: write(scene)))

            with faults.meanwhile("", attach_and_begin, nth=nth) as begun:
                ok(end.act(scene))
            did_not_land(scene, begun[0](), end.refusal)


def test_a_write_that_reads_the_attachment_of_a_deployment_made_anew_gets_nothing_of_it(
    scene: Scene, faults: Faults
) -> None:
    with faults.torn(lambda: ok(ENDS["replace_deployment"].act(scene)), is_deployment, nth=RULES_OF_A_CREATE):
        answer = write(scene)
    did_not_land(scene, answer, FORBIDDEN)
    assert ids_of(scene.deployment.resources()) == [scene.live.id]
