"""A function killed at any of its AWS calls: nothing acknowledged is lost, nothing half-written is seen."""

import time

import pytest

from tests.contract.steps import Json, conflict, sha256
from tests.contract.writes import WRITES, Rehearsal, Scene
from tests.support.client import Client, ok
from tests.support.faults import TRANSACT, Faults, Killed
from tests.support.gateway import Context
from tests.support.moto_backend import MotoBackend

pytestmark = pytest.mark.moto_only


def sweep(moto: MotoBackend) -> None:
    """What the schedule does: two minutes later, when whoever made the work has had its time."""
    now = time.time_ns
    with pytest.MonkeyPatch.context() as clock:
        clock.setattr(time, "time_ns", lambda: now() + 120 * 10**9)
        moto.handler("maintenance")({}, Context("maintenance", 300))


@pytest.mark.parametrize("name", WRITES)
def test_a_kill_before_any_call_leaves_all_or_nothing_and_a_retry_finishes_it(
    moto: MotoBackend, api: Client, other_api: Client, faults: Faults, name: str
) -> None:
    write = WRITES[name]
    rehearsal = Rehearsal.of(write, Scene.set_up(other_api), moto.wire.operations)
    for nth in rehearsal.turns:
        where = f"{rehearsal.calls[nth - 1]} ({nth})"
        scene = Scene.set_up(api)
        with pytest.raises(Killed), faults.kill("", nth=nth):
            write(scene)
        state = scene.seen()
        assert state in (rehearsal.before, rehearsal.done), where
        assert write(scene).status in retried(rehearsal, state), where
        assert scene.seen() == rehearsal.done, where
        scene.tear_down()


def retried(rehearsal: Rehearsal, state: Json) -> set[int]:
    """What a caller that was cut off may be told when it asks again."""
    if state == rehearsal.before != rehearsal.done:
        return {200}
    return {200, 404, 409}  # it is done already: gone, there, or done once more


@pytest.mark.parametrize("name", WRITES)
def test_a_kill_after_the_last_call_loses_nothing(
    moto: MotoBackend, api: Client, other_api: Client, faults: Faults, name: str
) -> None:
    write = WRITES[name]
    rehearsal = Rehearsal.of(write, Scene.set_up(other_api), moto.wire.operations)
    scene = Scene.set_up(api)
    stores, keys = scene.counts()
    with pytest.raises(Killed), faults.kill("", nth=len(rehearsal.calls), after=True):
        write(scene)
    assert scene.seen() == rehearsal.done
    assert scene.counts() == (stores + rehearsal.more[0], keys + rehearsal.more[1])


def test_case_9_a_retried_create_after_a_kill_finds_the_first(api: Client, faults: Faults) -> None:
    """The kill falls between the database and the reply."""
    scene = Scene.set_up(api)
    with pytest.raises(Killed), faults.kill(TRANSACT, after=True):
        scene.notes.create("/new", "text")
    [landed] = [memory for memory in api.walk(scene.notes.memories_url) if memory["path"] == "/new"]
    conflict(scene.notes.create("/new", "text"), "/new", landed["id"])
    first = ok(scene.notes.get(landed["id"]))
    assert (first["content"], first["content_sha256"]) == ("text", sha256("text"))
    assert len(scene.notes.history(memory_id=landed["id"])) == 1


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_redaction_that_was_cut_short_is_finished_by_a_repeat(
    moto: MotoBackend, api: Client, faults: Faults, after: bool
) -> None:
    rehearsal = Rehearsal.of(WRITES["redact"], Scene.set_up(api), moto.wire.operations)
    for nth in rehearsal.turns:
        scene = Scene.set_up(api)
        secret = f"secret-{nth}-{after}"
        memory = scene.notes.created("/secret", secret)
        ok(scene.notes.delete(memory["id"]))
        with pytest.raises(Killed), faults.kill("", nth=nth, after=after):
            scene.notes.redact(memory["memory_version_id"])
        repeat = ok(scene.notes.redact(memory["memory_version_id"]))
        assert repeat["redacted_at"]
        assert moto.traces_of(secret) == [], f"{rehearsal.calls[nth - 1]} ({nth})"
        assert ok(scene.notes.redact(memory["memory_version_id"])) == repeat
        scene.tear_down()


def test_a_redaction_that_was_cut_short_is_finished_by_the_sweep(
    moto: MotoBackend, api: Client, faults: Faults
) -> None:
    """Once the version reads as redacted, its body goes, whether anybody asks again or not."""
    rehearsal = Rehearsal.of(WRITES["redact"], Scene.set_up(api), moto.wire.operations)
    cut_short = 0
    for nth in rehearsal.turns:
        scene = Scene.set_up(api)
        secret = f"secret-{nth}"
        memory = scene.notes.created("/secret", secret)
        ok(scene.notes.delete(memory["id"]))
        with pytest.raises(Killed), faults.kill("", nth=nth):
            scene.notes.redact(memory["memory_version_id"])
        if ok(scene.notes.version(memory["memory_version_id"]))["redacted_at"] is not None:
            cut_short += 1
            sweep(moto)
            assert moto.traces_of(secret) == [], f"{rehearsal.calls[nth - 1]} ({nth})"
    assert cut_short, "one kill at least falls between the row and the body"


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_deletion_of_a_store_that_was_cut_short_is_finished_by_a_repeat_and_the_sweep(
    moto: MotoBackend, api: Client, faults: Faults, after: bool
) -> None:
    rehearsal = Rehearsal.of(WRITES["delete_store"], Scene.set_up(api), moto.wire.operations)
    for nth in rehearsal.turns:
        scene = Scene.set_up(api)
        text = f"text-{nth}-{after}"
        ok(scene.notes.create("/b", text))
        with pytest.raises(Killed), faults.kill("", nth=nth, after=after):
            api.delete(scene.notes.url)
        assert api.delete(scene.notes.url).status in (200, 404)
        assert api.get(scene.notes.url).status == 404
        sweep(moto)
        assert moto.traces_of(text) == [], f"{rehearsal.calls[nth - 1]} ({nth})"
        bodies = moto.s3.list_objects_v2(Bucket=moto.bucket_name).get("Contents", [])
        assert not [body for body in bodies if scene.notes.id in body["Key"]]


def test_a_kill_during_the_sweep_loses_no_work(moto: MotoBackend, api: Client, faults: Faults) -> None:
    scene = Scene.set_up(api)
    ok(scene.notes.create("/b", "text-of-the-store"))
    ok(api.delete(scene.notes.url))
    kept = Scene.set_up(api)
    seen = kept.seen()
    for nth in range(1, 200):
        try:
            with faults.kill("", nth=nth):
                sweep(moto)
        except Killed:
            continue
        break
    else:
        pytest.fail("the sweep never came to its end")
    assert moto.traces_of("text-of-the-store") == []
    assert kept.seen() == seen, "the sweep touches no living store"
