"""Cases 6 and 7: a conflict is no error, and each reason of a cancelled transaction has its own answer."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from tests.contract.steps import INVALID, NOT_FOUND, PATH_CONFLICT, Json, StoreClient, conflict, refused, sha256
from tests.contract.writes import MEMORY_WRITES, WRITES, Rehearsal, Scene
from tests.support.client import Answer, Client, ok
from tests.support.faults import (
    FOREVER,
    TRANSACT,
    Faults,
    cancelled,
    dynamodb,
    transaction_size,
)
from tests.support.logs import Logs
from tests.support.moto_backend import MotoBackend
from tests.support.wire import Call, Proceed

pytestmark = pytest.mark.moto_only

UNEXPECTED = (500, "api_error")
# Reasons for which DynamoDB cancels a transaction although every condition holds.
PASSING = ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")


def size_of(moto: MotoBackend, act: Callable[[], Answer]) -> int:
    """How many items the transaction of a write has."""
    sizes: list[int] = []

    def look(call: Call, proceed: Proceed) -> AWSResponse:
        if call.operation == TRANSACT:
            sizes.append(transaction_size(call))
        return proceed()

    with moto.wire.fault(look):
        ok(act())
    return sizes[-1]


# --- 6: a refusal is no error ---


def error_metrics(logs: Logs) -> list[Json]:
    """Records that count a failure, in CloudWatch's embedded metric format."""
    return [
        record
        for record in logs.records
        if "_aws" in record
        and any(word in name.lower() and record[name] for name in record for word in ("error", "fault", "failure"))
    ]


def test_case_6_a_conflict_pages_nobody(notes: StoreClient, logs: Logs) -> None:
    memory = notes.created("/a")
    stale = {"type": "content_sha256", "content_sha256": sha256("stale")}
    logs.clear()
    refused(notes.create("/a"), PATH_CONFLICT)
    assert notes.update(memory["id"], {"content": "new", "precondition": stale}).status == 409
    assert {record["level"] for record in logs.records if "level" in record} == {"INFO"}
    assert error_metrics(logs) == []


def test_an_unexpected_error_pages_somebody_and_shows_nothing_internal(
    notes: StoreClient, faults: Faults, logs: Logs
) -> None:
    with faults.refuse("dynamodb", dynamodb("AccessDeniedException"), times=FOREVER):
        answer = notes.create("/a", "the-text")
    refused(answer, UNEXPECTED)
    for internal in ("AccessDenied", "Traceback", "dynamodb", "DynamoDB", "botocore", "injected", "the-text"):
        assert internal not in answer.text
    assert "ERROR" in {record.get("level") for record in logs.records}
    assert "the-text" not in logs.text


# --- 7: why a transaction was cancelled, at each position ---


@pytest.mark.parametrize("name", MEMORY_WRITES)
def test_case_7_passing_reasons_at_any_position_are_retried(
    moto: MotoBackend, api: Client, other_api: Client, faults: Faults, name: str
) -> None:
    write = MEMORY_WRITES[name]
    rehearsal = Rehearsal.of(write, Scene.set_up(other_api), [])
    for position in range(size_of(moto, lambda: write(Scene.set_up(other_api)))):
        scene = Scene.set_up(api)
        with ExitStack() as refused_in_turn:
            for turn, reason in enumerate(PASSING, start=1):
                refused_in_turn.enter_context(faults.refuse(TRANSACT, cancelled(reason, position), nth=turn))
            ok(write(scene))
        assert scene.seen() == rehearsal.done, position
        scene.tear_down()


@pytest.mark.parametrize("name", ["create", "update", "rename", "delete", "restore_deleted"])
def test_case_7_a_failed_condition_that_nothing_explains_is_neither_success_nor_a_crash(
    moto: MotoBackend, api: Client, other_api: Client, faults: Faults, name: str
) -> None:
    """Who failed it may be gone by the time the function looks: it starts over, or says what it saw."""
    write = MEMORY_WRITES[name]
    rehearsal = Rehearsal.of(write, Scene.set_up(other_api), [])
    for position in range(size_of(moto, lambda: write(Scene.set_up(other_api)))):
        scene = Scene.set_up(api)
        with faults.refuse(TRANSACT, cancelled("ConditionalCheckFailed", position)):
            answer = write(scene)
        assert answer.status in (200, 400, 404, 409, 503), answer.text
        assert scene.seen() == (rehearsal.done if answer.status == 200 else rehearsal.before), position
        scene.tear_down()


Meanwhile = Callable[[Scene], Any]
RACES: dict[str, tuple[str, Meanwhile, Callable[[Answer, Any], object]]] = {
    "the path was taken": (
        "create",
        lambda scene: scene.notes.created("/x/y"),
        lambda answer, other: conflict(answer, "/x/y", other["id"]),
    ),
    "an ancestor became a file": (
        "create",
        lambda scene: scene.notes.created("/x"),
        lambda answer, other: conflict(answer, "/x", other["id"]),
    ),
    "the path became a directory": (
        "create",
        lambda scene: scene.notes.created("/x/y/z"),
        lambda answer, _: conflict(answer, "/x/y", ""),
    ),
    "the target of the rename was taken": (
        "rename",
        lambda scene: scene.notes.created("/d/b"),
        lambda answer, other: conflict(answer, "/d/b", other["id"]),
    ),
    "the memory was deleted before the update": (
        "update",
        lambda scene: ok(scene.notes.delete(scene.a["id"])),
        lambda answer, _: refused(answer, NOT_FOUND),
    ),
    "the memory was deleted before the delete": (
        "delete",
        lambda scene: ok(scene.notes.delete(scene.a["id"])),
        lambda answer, _: refused(answer, NOT_FOUND),
    ),
    "the old path of the deleted memory was taken": (
        "restore_deleted",
        lambda scene: scene.notes.created("/gone"),
        lambda answer, other: conflict(answer, "/gone", other["id"]),
    ),
    "the version was redacted before it was restored": (
        "restore",
        lambda scene: ok(scene.notes.redact(scene.a["memory_version_id"])),
        lambda answer, _: refused(answer, INVALID),
    ),
    "the store was archived": (
        "create",
        lambda scene: scene.notes.archive(),
        lambda answer, _: refused(answer, INVALID),
    ),
    "the store was deleted": (
        "create",
        lambda scene: ok(scene.api.delete(scene.notes.url)),
        lambda answer, _: refused(answer, NOT_FOUND),
    ),
}


@pytest.mark.parametrize("race", RACES)
def test_case_7_each_failed_condition_is_its_own_error(api: Client, faults: Faults, race: str) -> None:
    name, meanwhile, expected = RACES[race]
    scene = Scene.set_up(api)
    with faults.meanwhile(TRANSACT, lambda: meanwhile(scene)) as happened:
        answer = WRITES[name](scene)
    assert happened, "the race took place"
    expected(answer, happened[0])
