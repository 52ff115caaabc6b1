"""Lost writes and races: cases 1 to 5 and 8, in the order and under the names of the cases from the field."""

from functools import partial
from typing import Any

import pytest

from tests.contract.steps import (
    NOT_FOUND,
    PATH_CONFLICT,
    PRECONDITION_FAILED,
    Json,
    StoreClient,
    conflict,
    guard,
    refused,
    sha256,
)
from tests.support.client import Answer, ok
from tests.support.faults import TRANSACT, Faults
from tests.support.parallel import run_parallel


def by_status(answers: list[Answer]) -> dict[int, int]:
    """How many answers have each status."""
    return {status: [a.status for a in answers].count(status) for status in {a.status for a in answers}}


def test_case_1_forty_parallel_creates_all_land(notes: StoreClient) -> None:
    answers = run_parallel([partial(notes.create, f"/n/{i:02}", f"text {i}") for i in range(40)])
    assert by_status(answers) == {200: 40}
    assert notes.paths() == [f"/n/{i:02}" for i in range(40)]
    history = notes.history()
    assert {v["id"] for v in history} == {a.json["memory_version_id"] for a in answers}
    assert sorted(v["content"] for v in history) == sorted(f"text {i}" for i in range(40))
    assert {v["operation"] for v in history} == {"created"}


def test_case_1_parallel_creates_in_many_new_folders_all_land(notes: StoreClient) -> None:
    """Every create makes the same ancestors, so they meet on the directory nodes too."""
    answers = run_parallel([partial(notes.create, f"/x/y/z/{i % 4}/{i}") for i in range(24)])
    assert by_status(answers) == {200: 24}
    assert len(notes.paths()) == 24


def test_case_1_parallel_updates_of_different_memories_all_land(notes: StoreClient) -> None:
    ids = [notes.created(f"/n/{i}")["id"] for i in range(16)]
    answers = run_parallel([partial(notes.update, m, {"content": f"new {i}"}) for i, m in enumerate(ids)])
    assert by_status(answers) == {200: 16}
    assert [ok(notes.get(m))["content"] for m in ids] == [f"new {i}" for i in range(16)]


def test_parallel_updates_of_one_memory_without_a_precondition_all_land_in_one_order(notes: StoreClient) -> None:
    """Each answered update is a version of its own, none lost, and the current text is that of the newest."""
    memory = notes.created("/a", "first")
    answers = run_parallel([partial(notes.update, memory["id"], {"content": f"text {i}"}) for i in range(12)])
    assert by_status(answers) == {200: 12}
    history = notes.history(memory_id=memory["id"])
    assert sorted(v["content"] for v in history) == sorted(["first", *(f"text {i}" for i in range(12))])
    assert [v["id"] for v in history] == sorted((v["id"] for v in history), reverse=True)
    current = ok(notes.get(memory["id"]))
    assert (current["content"], current["memory_version_id"]) == (history[0]["content"], history[0]["id"])


def test_case_2_an_old_full_text_does_not_wipe_a_newer_edit(notes: StoreClient) -> None:
    memory = notes.created("/a", "base")
    ok(notes.update(memory["id"], {"content": "B's text"}))
    answer = notes.update(memory["id"], {"content": "A's text", "precondition": guard("base")})
    refused(answer, PRECONDITION_FAILED)
    assert ok(notes.get(memory["id"]))["content"] == "B's text"
    assert len(notes.history()) == 2


@pytest.mark.moto_only
@pytest.mark.parametrize("change", [{"content": "A's text"}, {"path": "/moved"}, {"content": "A's text", "path": "/b"}])
def test_case_2_a_conditional_write_is_not_retried_on_stale_facts(
    notes: StoreClient, faults: Faults, change: Json
) -> None:
    """B commits after A has read and before A commits."""
    memory = notes.created("/a", "base")
    with faults.meanwhile(TRANSACT, lambda: notes.update(memory["id"], {"content": "B's text"})) as b:
        answer = notes.update(memory["id"], {**change, "precondition": guard("base")})
    ok(b[0])
    refused(answer, PRECONDITION_FAILED)
    current = ok(notes.get(memory["id"]))
    assert (current["path"], current["content"]) == ("/a", "B's text")
    assert len(notes.history()) == 2


@pytest.mark.moto_only
def test_an_unconditional_write_that_lost_a_race_starts_over_from_what_is_there_now(
    notes: StoreClient, faults: Faults
) -> None:
    """A renames, B's new text lands first: the rename keeps B's text, and nothing is lost."""
    memory = notes.created("/a", "base")
    with faults.meanwhile(TRANSACT, lambda: notes.update(memory["id"], {"content": "B's text"})) as b:
        answer = notes.update(memory["id"], {"path": "/moved"}, view="full")
    ok(b[0])
    assert (ok(answer)["path"], answer.json["content"]) == ("/moved", "B's text")
    assert ok(notes.get(memory["id"]))["content"] == "B's text"
    assert [v["path"] for v in notes.history()] == ["/moved", "/a", "/a"]


@pytest.mark.moto_only
def test_an_update_whose_memory_is_deleted_meanwhile_finds_nothing(notes: StoreClient, faults: Faults) -> None:
    memory = notes.created("/a", "base")
    with faults.meanwhile(TRANSACT, lambda: notes.delete(memory["id"])) as gone:
        answer = notes.update(memory["id"], {"content": "too late"})
    ok(gone[0])
    refused(answer, NOT_FOUND)
    assert notes.paths() == []
    assert [v["operation"] for v in notes.history()] == ["deleted", "created"]


def test_case_3_of_eight_editors_with_one_base_one_is_told_saved(notes: StoreClient) -> None:
    memory = notes.created("/a", "base")
    edits = [{"content": f"editor {i}", "precondition": guard("base")} for i in range(8)]
    answers = run_parallel([partial(notes.update, memory["id"], edit) for edit in edits])
    assert by_status(answers) == {200: 1, 409: 7}
    for answer in answers:
        if answer.status == 409:
            refused(answer, PRECONDITION_FAILED)
    saved = next(edits[i]["content"] for i, answer in enumerate(answers) if answer.status == 200)
    assert ok(notes.get(memory["id"]))["content"] == saved
    assert [v["content"] for v in notes.history()] == [saved, "base"]


def test_case_3_parallel_guarded_deletes_and_updates_agree_on_one_winner(notes: StoreClient) -> None:
    memory = notes.created("/a", "base")
    changes: list[Any] = [lambda: notes.delete(memory["id"], expected_content_sha256=sha256("base"))] * 4
    changes += [lambda: notes.update(memory["id"], {"content": "new", "precondition": guard("base")})] * 4
    answers = run_parallel(changes)
    deleted = [a for a in answers[:4] if a.status == 200]
    updated = [a for a in answers[4:] if a.status == 200]
    history = notes.history(memory_id=memory["id"])
    assert len(history) == 2
    if deleted:
        assert (len(deleted), updated) == (1, [])
        assert history[0]["operation"] == "deleted"
        assert {a.status for a in answers[4:]} <= {404, 409}
    else:  # the four updates want the same, so each is told that it holds
        assert len(updated) == 4
        assert history[0]["content"] == "new"
        assert {a.status for a in answers[:4]} == {409}


def test_case_4_a_delete_with_the_sha_of_an_older_version_is_refused(notes: StoreClient) -> None:
    memory = notes.created("/a", "old")
    ok(notes.update(memory["id"], {"content": "new"}))
    refused(notes.delete(memory["id"], expected_content_sha256=sha256("old")), PRECONDITION_FAILED)
    assert ok(notes.get(memory["id"]))["content"] == "new"
    assert len(notes.history()) == 2


@pytest.mark.moto_only
def test_case_4_the_guard_of_a_delete_holds_at_the_moment_of_the_delete(notes: StoreClient, faults: Faults) -> None:
    memory = notes.created("/a", "old")
    with faults.meanwhile(TRANSACT, lambda: notes.update(memory["id"], {"content": "new"})) as b:
        answer = notes.delete(memory["id"], expected_content_sha256=sha256("old"))
    ok(b[0])
    refused(answer, PRECONDITION_FAILED)
    assert ok(notes.get(memory["id"]))["content"] == "new"


@pytest.mark.parametrize("change", [{"content": "new"}, {"path": "/b"}, {"content": "new", "path": "/b"}])
def test_case_5_a_retried_update_is_a_success(notes: StoreClient, change: Json) -> None:
    memory = notes.created("/a", "base")
    body = {**change, "precondition": guard("base")}
    first, second = notes.update(memory["id"], body), notes.update(memory["id"], body)
    assert ok(second) == ok(first)
    assert len(notes.history()) == 2


def test_case_5_a_retry_is_no_success_once_somebody_else_wrote(notes: StoreClient) -> None:
    memory = notes.created("/a", "base")
    body = {"content": "new", "precondition": guard("base")}
    ok(notes.update(memory["id"], body))
    ok(notes.update(memory["id"], {"content": "newer"}))
    refused(notes.update(memory["id"], body), PRECONDITION_FAILED)
    assert ok(notes.get(memory["id"]))["content"] == "newer"


def test_case_8_a_second_create_names_the_first(notes: StoreClient) -> None:
    first = notes.created("/a", "text")
    conflict(notes.create("/a", "text"), "/a", first["id"])
    assert ok(notes.get(first["id"]))["content"] == "text"
    assert len(notes.history()) == 1


def test_case_8_of_eight_parallel_creates_of_one_path_one_wins_and_the_others_name_it(notes: StoreClient) -> None:
    answers = run_parallel([partial(notes.create, "/a", f"text {i}") for i in range(8)])
    assert by_status(answers) == {200: 1, 409: 7}
    winner = next(a.json["id"] for a in answers if a.status == 200)
    for answer in answers:
        if answer.status == 409:
            conflict(answer, "/a", winner)
    assert len(notes.history()) == 1


def test_parallel_renames_onto_one_path_have_one_winner(notes: StoreClient) -> None:
    ids = [notes.created(f"/from/{i}", f"text {i}")["id"] for i in range(8)]
    answers = run_parallel([partial(notes.update, m, {"path": "/to"}) for m in ids])
    assert by_status(answers) == {200: 1, 409: 7}
    winner = next(a.json["id"] for a in answers if a.status == 200)
    for answer in answers:
        if answer.status == 409:
            conflict(answer, "/to", winner)
    assert len(notes.paths()) == 8
    assert ok(notes.get(winner))["content"] == f"text {ids.index(winner)}"


def test_two_memories_cannot_swap_paths_by_racing(notes: StoreClient) -> None:
    one, two = notes.created("/1", "one"), notes.created("/2", "two")
    answers = run_parallel(
        [lambda: notes.update(one["id"], {"path": "/2"}), lambda: notes.update(two["id"], {"path": "/1"})]
    )
    assert by_status(answers) == {409: 2}
    refused(answers[0], PATH_CONFLICT)
    assert notes.paths() == ["/1", "/2"]


def test_create_and_delete_in_turns_of_one_path_leave_one_story(notes: StoreClient) -> None:
    """Six workers fight for one path: a 200 of a create is a version, a 200 of a delete is another, and no more."""
    landed: list[str] = []

    def work() -> None:
        for _ in range(5):
            created = notes.create("/a", "mine")
            assert created.status in (200, 409), created.text
            if created.status == 200:
                landed.append("created")
                ok(notes.delete(created.json["id"]))
                landed.append("deleted")

    run_parallel([work] * 6)
    history = [v["operation"] for v in notes.history()]
    assert sorted(history) == sorted(landed)
    assert notes.paths() == []
    ok(notes.create("/a"))
