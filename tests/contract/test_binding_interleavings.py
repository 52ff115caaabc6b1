"""Attachments, sessions and credentials that are made while something else ends or changes, in chosen orders."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tests.contract.access_ends import ENDS, Scene, moments, new_store
from tests.contract.agents import SESSIONS, SessionClient, agent_with, create_session, ids_of, mount
from tests.contract.conftest import STORES
from tests.contract.steps import FORBIDDEN, INVALID, NOT_FOUND, UNAUTHENTICATED, StoreClient, refused
from tests.support.client import Answer, Client, ok
from tests.support.faults import TRANSACT, Faults
from tests.support.moto_backend import MotoBackend

pytestmark = pytest.mark.moto_only

PUT = "dynamodb.PutItem"


@pytest.fixture
def set_scene(moto: MotoBackend, workspace: str, api: Client) -> Callable[[], Scene]:
    fixed, live = new_store(api, "Fixed"), new_store(api, "Live")
    return lambda: Scene.set_up(moto, workspace, api, fixed, live)


@pytest.fixture
def scene(set_scene: Callable[[], Scene]) -> Scene:
    return set_scene()


# --- two changes of one attachment ---

CHANGES: dict[str, Callable[[Scene], Answer]] = {
    "attach": lambda scene: scene.deployment.attach(scene.live.id),
    "downgrade": ENDS["downgrade"].act,
    "detach": ENDS["detach"].act,
}


@pytest.mark.parametrize(
    ("outer", "inner"),
    [("attach", "detach"), ("attach", "downgrade"), ("detach", "attach"), ("downgrade", "attach")],
)
def test_a_change_amid_another_of_the_same_attachment_leaves_one_of_them(
    moto: MotoBackend, scene: Scene, faults: Faults, outer: str, inner: str
) -> None:
    """Both are answered; what is told then is what is enforced, and nothing is left under way."""
    accesses = {"attach": ["read_write"], "downgrade": ["read_only"], "detach": []}
    start = "detach" if outer == "attach" else "attach"
    if start == "detach":
        ok(CHANGES[start](scene))
    for number, nth in enumerate(moments(moto, lambda: CHANGES[outer](scene))):
        assert CHANGES[start](scene).status in (200, 404)
        with faults.meanwhile("", lambda: CHANGES[inner](scene), nth=nth) as between:
            ok(CHANGES[outer](scene))
        assert between[0].status in ((200, 404) if inner == "detach" else (200,))
        left = [resource["access"] for resource in scene.deployment.resources()]
        assert left in (accesses[outer], accesses[inner]), nth
        answer = scene.theirs("live").create(f"/{number}")
        if left == ["read_write"]:
            ok(answer)
        else:
            refused(answer, FORBIDDEN)


@pytest.mark.parametrize("outer", ["attach", "delete"])
def test_an_attachment_amid_the_end_of_its_deployment_is_none_for_the_sessions_there_were(
    moto: MotoBackend, set_scene: Callable[[], Scene], api: Client, faults: Faults, outer: str
) -> None:
    """Either it comes first and goes with the deployment, or it makes a new one."""
    another = new_store(api, "Another")
    changes: dict[str, Callable[[Scene], Answer]] = {
        "attach": lambda scene: scene.deployment.attach(another),
        "delete": ENDS["delete_deployment"].act,
    }
    inner = changes["delete" if outer == "attach" else "attach"]
    rehearsed = set_scene()
    for nth in moments(moto, lambda: changes[outer](rehearsed)):
        scene = set_scene()
        with faults.meanwhile("", partial(inner, scene), nth=nth) as between:
            ok(changes[outer](scene))
        ok(between[0])
        left = scene.deployment.list_resources()
        assert left.status == 404 or ids_of(left.json["data"]) == [another], nth
        for store_id in (scene.live.id, another):
            refused(StoreClient(scene.agent, store_id).create("/late"), FORBIDDEN)


@pytest.mark.parametrize(("end", "error"), [("archive", INVALID), ("delete", NOT_FOUND)])
def test_a_store_that_ends_while_it_is_attached_takes_no_write(
    moto: MotoBackend, scene: Scene, faults: Faults, end: str, error: tuple[int, str]
) -> None:
    rehearsed = new_store(scene.api, "Later")
    for nth in moments(moto, lambda: scene.deployment.attach(rehearsed), until=PUT):
        later = StoreClient(scene.api, new_store(scene.api, "Later"))
        with faults.meanwhile("", partial(finish, later, end), nth=nth):
            answer = scene.deployment.attach(later.id)
        late = StoreClient(scene.agent, later.id).create("/late")
        if answer.status == 200:
            refused(late, error)
        else:
            refused(answer, error)
            refused(late, FORBIDDEN)


def finish(notes: StoreClient, end: str) -> None:
    ok(notes.api.post(f"{notes.url}/archive") if end == "archive" else notes.api.delete(notes.url))


# --- sessions and credentials that are being made ---


@pytest.mark.parametrize(("end", "error"), [("archive", INVALID), ("delete", NOT_FOUND)])
def test_no_session_gets_a_store_that_ended_while_it_was_made(
    moto: MotoBackend, api: Client, faults: Faults, end: str, error: tuple[int, str]
) -> None:
    kept = new_store(api, "Kept")

    def create(store_id: str) -> Answer:
        return create_session(api, mount(kept), mount(store_id, "read_only"))

    rehearsed = new_store(api, "Ending")
    for nth in moments(moto, lambda: create(rehearsed), until=TRANSACT):
        before = api.walk(SESSIONS)
        ending = StoreClient(api, new_store(api, "Ending"))
        with faults.meanwhile("", partial(finish, ending, end), nth=nth):
            refused(create(ending.id), error)
        assert api.walk(SESSIONS) == before, "and no session is there"


def test_a_session_made_while_its_deployment_ends_gets_nothing_of_it(
    moto: MotoBackend, api: Client, scene: Scene, faults: Faults
) -> None:
    """Nor of the one that takes its place."""

    def create() -> Answer:
        return create_session(api, mount(scene.fixed.id), **scene.deployment.reference)

    for nth in moments(moto, create, until=TRANSACT):
        with faults.meanwhile("", lambda: ok(ENDS["replace_deployment"].act(scene)), nth=nth):
            answer = create()
        session = SessionClient(api, ok(answer)["id"])
        agent = agent_with(moto, ok(session.credentials()))
        ok(StoreClient(agent, scene.fixed.id).create(f"/{nth}"))
        if ids_of(session.resources()) == [scene.fixed.id]:
            refused(StoreClient(agent, scene.live.id).create("/late"), FORBIDDEN)
        else:
            ok(StoreClient(agent, scene.live.id).create(f"/{nth}"))


@pytest.mark.parametrize("name", ["archive_session", "delete_session", "delete_key"])
def test_credentials_made_while_their_session_ends_open_nothing(
    moto: MotoBackend, set_scene: Callable[[], Scene], faults: Faults, name: str
) -> None:
    rehearsed = set_scene()
    for nth in moments(moto, rehearsed.session.credentials):
        scene = set_scene()
        with faults.meanwhile("", partial(ENDS[name].act, scene), nth=nth) as ended:
            answer = scene.session.credentials()
        ok(ended[0])
        if answer.status == 200:
            refused(agent_with(moto, answer.json).get(STORES), UNAUTHENTICATED)
        else:
            assert answer.failure in (INVALID, NOT_FOUND)


def test_credentials_made_while_the_earlier_ones_are_revoked_are_good_or_never_were(
    moto: MotoBackend, scene: Scene, faults: Faults
) -> None:
    """And the earlier ones are not, in any case."""
    for nth in moments(moto, scene.session.credentials):
        earlier = agent_with(moto, ok(scene.session.credentials()))
        with faults.meanwhile("", lambda: ok(scene.session.revoke()), nth=nth):
            later = agent_with(moto, ok(scene.session.credentials()))
        refused(earlier.get(STORES), UNAUTHENTICATED)
        answer = later.get(STORES)
        assert answer.status == 200 or answer.failure == UNAUTHENTICATED


def test_a_session_made_while_its_makers_key_is_deleted_is_dead(
    moto: MotoBackend, set_scene: Callable[[], Scene], faults: Faults
) -> None:
    rehearsed = set_scene()
    for nth in moments(moto, lambda: create_session(rehearsed.creator, mount(rehearsed.fixed.id)), until=TRANSACT):
        scene = set_scene()
        with faults.meanwhile("", partial(ENDS["delete_key"].act, scene), nth=nth) as deleted:
            answer = create_session(scene.creator, mount(scene.fixed.id))
        ok(deleted[0])
        refused(SessionClient(scene.api, ok(answer)["id"]).credentials(), INVALID)
