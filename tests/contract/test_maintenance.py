"""The scheduled function: deleted stores are purged, crashed redactions finished, and a run can stop anywhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.contract.steps import StoreClient
from tests.support.backend import stored
from tests.support.client import Client, ok
from tests.support.faults import TRANSACT, Faults, Killed, s3
from tests.support.logs import Logs
from tests.support.moto_backend import MotoBackend

pytestmark = pytest.mark.moto_only

SECRET = "the text that must be gone"


class Clock:
    """The wall clock of the functions, which a test can set forward."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = 0
        real = time.time_ns
        monkeypatch.setattr(time, "time_ns", lambda: real() + self.ahead)

    def forward(self, *, minutes: int) -> None:
        self.ahead += minutes * 60_000_000_000


class Run:
    """What Lambda tells a function about the time it has left."""

    def __init__(self, seconds: int) -> None:
        self.milliseconds = seconds * 1000

    def get_remaining_time_in_millis(self) -> int:
        return self.milliseconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def maintain(moto: MotoBackend, seconds: int = 300) -> dict[str, Any]:
    return dict(moto.handler("maintenance")({}, Run(seconds)))


def traces(moto: MotoBackend, store_id: str) -> list[str]:
    """The rows and objects that still name a store."""
    return [name for name, held in stored(moto) if store_id in name or store_id in held]


def test_nothing_to_do_is_a_complete_run(moto: MotoBackend, api: Client) -> None:
    assert maintain(moto)["is_complete"] is True


def test_a_deleted_store_is_purged_and_its_tombstone_goes_after_an_hour(
    moto: MotoBackend, api: Client, notes: StoreClient, make_store: Callable[..., dict[str, Any]], clock: Clock
) -> None:
    other = StoreClient(api, make_store()["id"])
    kept = other.created("/kept", "other text")
    for number in range(30):
        notes.create(f"/n/{number}", SECRET)
    ok(api.delete(f"/v1/memory_stores/{notes.id}"))
    assert moto.traces_of(SECRET)
    totals = maintain(moto)
    assert totals["bodies"] == 30
    assert moto.traces_of(SECRET) == []
    assert not [name for name in traces(moto, notes.id) if "/n/" in name]
    clock.forward(minutes=61)
    assert maintain(moto)["stores"] == 1
    assert traces(moto, notes.id) == []
    assert maintain(moto)["stores"] == 0
    assert ok(other.get(kept["id"]))["content"] == "other text"


def test_a_purge_that_ran_out_of_time_goes_on_in_the_next_run(
    moto: MotoBackend, api: Client, notes: StoreClient, clock: Clock
) -> None:
    for number in range(30):
        notes.create(f"/n/{number}", SECRET)
    ok(api.delete(f"/v1/memory_stores/{notes.id}"))
    assert maintain(moto, seconds=0)["is_complete"] is False
    clock.forward(minutes=61)
    runs = 0
    while not maintain(moto, seconds=0)["is_complete"]:
        runs += 1
        assert runs < 200, "no run makes progress"
    assert traces(moto, notes.id) == []


def test_a_redaction_that_was_killed_before_the_body_was_removed_is_finished(
    moto: MotoBackend, notes: StoreClient, faults: Faults, clock: Clock
) -> None:
    memory = notes.created("/a", SECRET)
    ok(notes.update(memory["id"], {"content": "harmless"}))
    version = f"/v1/memory_stores/{notes.id}/memory_versions/{memory['memory_version_id']}"
    with faults.kill("s3.DeleteObject"), pytest.raises(Killed):
        notes.api.post(f"{version}/redact")
    assert moto.traces_of(SECRET), "the kill came before the body was removed"
    assert ok(notes.api.get(version))["content"] is None
    maintain(moto)
    assert moto.traces_of(SECRET), "a redaction that may still be running is left alone"
    clock.forward(minutes=2)
    assert maintain(moto)["redactions"] == 1
    assert moto.traces_of(SECRET) == []
    assert maintain(moto)["redactions"] == 0
    assert ok(notes.get(memory["id"]))["content"] == "harmless"


def test_a_copy_that_a_restore_made_before_it_lost_against_the_redaction_goes_too(
    moto: MotoBackend, notes: StoreClient, faults: Faults, clock: Clock
) -> None:
    memory = notes.created("/a", SECRET)
    ok(notes.update(memory["id"], {"content": "harmless"}))
    source = memory["memory_version_id"]
    with faults.meanwhile(TRANSACT, lambda: ok(notes.redact(source))):
        assert notes.restore(source).status == 400
    assert moto.traces_of(SECRET), "the copy was made, and lost"
    clock.forward(minutes=2)
    maintain(moto)
    assert moto.traces_of(SECRET) == []
    assert ok(notes.get(memory["id"]))["content"] == "harmless"


def test_a_redaction_in_a_store_that_was_deleted_since_is_finished(
    moto: MotoBackend, api: Client, notes: StoreClient, clock: Clock
) -> None:
    memory = notes.created("/a", SECRET)
    ok(notes.update(memory["id"], {"content": "harmless"}))
    ok(notes.redact(memory["memory_version_id"]))
    ok(api.delete(f"/v1/memory_stores/{notes.id}"))
    maintain(moto)
    clock.forward(minutes=61)
    assert maintain(moto)["redactions"] == 1
    assert traces(moto, notes.id) == []


def test_work_that_fails_does_not_keep_the_rest_from_being_done(
    moto: MotoBackend, api: Client, make_store: Callable[..., dict[str, Any]], faults: Faults, clock: Clock
) -> None:
    stores = [StoreClient(api, make_store()["id"]) for _ in range(2)]
    for notes in stores:
        notes.created("/a", SECRET)
        ok(api.delete(f"/v1/memory_stores/{notes.id}"))
    with faults.refuse("s3.DeleteObjects", s3("AccessDenied", 403)), pytest.raises(Exception, match="1 pieces of work"):
        maintain(moto)
    assert len(moto.traces_of(SECRET)) == 1
    assert maintain(moto)["bodies"] == 1
    assert moto.traces_of(SECRET) == []


def test_the_log_of_a_run_says_what_it_did(moto: MotoBackend, logs: Logs, api: Client, notes: StoreClient) -> None:
    notes.create("/a", SECRET)
    ok(api.delete(f"/v1/memory_stores/{notes.id}"))
    maintain(moto)
    printed = logs.text
    assert [record["bodies"] for record in logs.records if record.get("message") == "maintenance"] == [1]
    assert SECRET not in printed
