"""A store archived or deleted under 32 writers: both finish, and nothing lands after the answer."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.contract.steps import INVALID, NOT_FOUND, Json, StoreClient, refused
from tests.support.backend import Backend
from tests.support.client import Answer, Client, ok
from tests.support.faults import TRANSACT, Faults
from tests.support.parallel import run_parallel

WRITERS = 32
ROUNDS = 4


def writer(notes: StoreClient, number: int, memory_id: str) -> Callable[[], list[Answer]]:
    """Creates, updates, renames and deletes, until it is told that the store takes no more."""

    def write() -> list[Answer]:
        answers = []
        for turn in range(ROUNDS):
            steps: list[Callable[[], Answer]] = [
                partial(notes.create, f"/w{number}/{turn}"),
                partial(notes.update, memory_id, {"content": f"text {turn}"}),
                partial(notes.update, memory_id, {"path": f"/m/{number}-{turn}"}),
            ]
            for step in steps:
                answers.append(step())
                if answers[-1].status != 200:
                    return answers
        return answers

    return write


def race(notes: StoreClient, end: Callable[[], Any]) -> tuple[list[Answer], Any]:
    """All writers and the end of their store at once; what the writers were told, and what `end` answered."""
    ids = [notes.created(f"/start/{i:02}")["id"] for i in range(WRITERS)]
    *told, ended = run_parallel([*(writer(notes, i, m) for i, m in enumerate(ids)), end])
    return [answer for answers in told for answer in answers], ended


def test_an_archive_under_32_writers_finishes_and_nothing_lands_after_its_answer(notes: StoreClient) -> None:
    seen: list[Any] = []

    def archive() -> Json:
        archived = notes.archive()
        seen.append(notes.snapshot())
        return archived

    told, archived = race(notes, archive)
    assert archived["archived_at"]
    for answer in told:
        if answer.status != 200:
            refused(answer, INVALID)
    assert notes.snapshot() == seen[0], "what was there when the archive answered is what stays"
    acknowledged = {answer.json["memory_version_id"] for answer in told if answer.status == 200}
    assert acknowledged <= {version["id"] for version in notes.history()}, "an answered write is kept"
    refused(notes.create("/after"), INVALID)


def test_a_delete_of_the_store_under_32_writers_finishes_and_nothing_is_left(
    api: Client, backend: Backend, notes: StoreClient
) -> None:
    def delete() -> tuple[Answer, int]:
        answer = api.delete(notes.url)
        return answer, notes.list_memories().status

    told, (answer, status_after) = race(notes, delete)
    assert ok(answer) == {"id": notes.id, "type": "memory_store_deleted"}
    assert status_after == 404
    for answer in told:
        if answer.status != 200:
            refused(answer, NOT_FOUND)
    for gone in (api.get(notes.url), notes.list_memories(), notes.list_versions(), notes.create("/after")):
        refused(gone, NOT_FOUND)


@pytest.mark.moto_only
@pytest.mark.parametrize("write", ["create", "update", "rename", "delete", "restore"])
@pytest.mark.parametrize("end", ["archive", "delete"])
def test_a_write_in_flight_when_the_store_ends_never_lands_after_the_answer(
    api: Client, notes: StoreClient, faults: Faults, write: str, end: str
) -> None:
    """The end begins and answers after the write has checked every rule and before it commits."""
    memory = notes.created("/a", "old")
    first = memory["memory_version_id"]
    ok(notes.update(memory["id"], {"content": "new"}))
    writes = {
        "create": lambda: notes.create("/b"),
        "update": lambda: notes.update(memory["id"], {"content": "late"}),
        "rename": lambda: notes.update(memory["id"], {"path": "/late"}),
        "delete": lambda: notes.delete(memory["id"]),
        "restore": lambda: notes.restore(first),
    }
    before = notes.snapshot()[1:]

    def finish() -> Answer:
        return api.post(f"{notes.url}/archive") if end == "archive" else api.delete(notes.url)

    with faults.meanwhile(TRANSACT, finish) as ended:
        answer = writes[write]()
    ok(ended[0])
    if end == "archive":
        refused(answer, INVALID)
        assert notes.snapshot()[1:] == before
    else:
        refused(answer, NOT_FOUND)
        refused(notes.list_versions(), NOT_FOUND)


@pytest.mark.moto_only
def test_a_store_update_in_flight_when_the_archive_answers_never_lands_after_it(
    api: Client, notes: StoreClient, faults: Faults
) -> None:
    """Whatever call carries the update: the archive goes between its reads and that call."""
    for operation in ("dynamodb.UpdateItem", "dynamodb.PutItem", TRANSACT):
        fresh = StoreClient(api, ok(api.post("/v1/memory_stores", {"name": "before"}))["id"])
        with faults.meanwhile(operation, fresh.archive) as archived:
            answer = api.post(fresh.url, {"name": "after"})
        current = ok(api.get(fresh.url))
        if archived:
            refused(answer, INVALID)
            assert current == archived[0]
        else:
            assert ok(answer)["name"] == current["name"] == "after"


def test_parallel_archives_answer_one_object(api: Client, notes: StoreClient) -> None:
    answers = run_parallel([lambda: api.post(f"{notes.url}/archive")] * 8)
    assert len({ok(answer)["archived_at"] for answer in answers}) == 1
    assert ok(answers[0]) == ok(api.get(notes.url))


def test_parallel_deletes_of_a_store_all_finish(api: Client, notes: StoreClient) -> None:
    ok(notes.create("/a"))
    answers = run_parallel([lambda: api.delete(notes.url)] * 6)
    assert {answer.status for answer in answers} <= {200, 404}
    assert 200 in {answer.status for answer in answers}
    refused(api.get(notes.url), NOT_FOUND)
