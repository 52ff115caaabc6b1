"""Writes that race for one path, or for it as file and as directory: exactly one wins, and the tree stays a tree."""

import random
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from tests.contract.steps import PATH_CONFLICT, Json, StoreClient, refused
from tests.support.client import Answer, Client, ok
from tests.support.parallel import run_parallel

ROUNDS = range(6)


@pytest.fixture
def notes(api: Client, store: Json) -> StoreClient:
    return StoreClient(api, store["id"])


def race(*calls: Callable[[], Answer]) -> list[Answer]:
    """All calls at once: each must succeed or be refused for a path that another one took."""
    answers: list[Answer] = run_parallel(calls)
    for answer in answers:
        if answer.status != 200:
            refused(answer, PATH_CONFLICT)
    return answers


def winners(answers: list[Answer]) -> list[int]:
    return [index for index, answer in enumerate(answers) if answer.status == 200]


def assert_is_a_tree(paths: list[str]) -> None:
    assert len(set(paths)) == len(paths)
    taken = set(paths)
    for path in paths:
        segments = path.split("/")
        ancestors = {"/".join(segments[:depth]) for depth in range(2, len(segments))}
        assert not ancestors & taken, f"{path} lies below a file"


@pytest.mark.parametrize("below", ["/b", "/b/c/d"])
def test_a_file_and_a_file_below_it(notes: StoreClient, below: str) -> None:
    """Case 13, both at once: exactly one wins, and the loser is told by what it was blocked."""
    expected = []
    for number in ROUNDS:
        file, deep = f"/{number}", f"/{number}{below}"
        answers = race(partial(notes.create, file), partial(notes.create, deep))
        [winner] = winners(answers)
        expected.append((file, deep)[winner])
        error = answers[1 - winner].error
        blocked_by = answers[0].json["id"] if winner == 0 else ""
        assert (error["conflicting_path"], error["conflicting_memory_id"]) == (file, blocked_by)
    assert notes.paths() == sorted(expected)
    assert len(notes.history()) == len(expected)


def test_one_path_created_by_many(notes: StoreClient) -> None:
    answers = race(*[partial(notes.create, "/x/a", str(number), view="full") for number in range(12)])
    [winner] = winners(answers)
    memory = answers[winner].json
    assert memory["content"] == str(winner)
    for index, answer in enumerate(answers):
        if index != winner:
            assert answer.error["conflicting_memory_id"] == memory["id"]
    assert ok(notes.get(memory["id"])) == memory
    assert len(notes.history()) == 1


def test_an_emptied_directory_taken_as_file_and_as_directory(notes: StoreClient) -> None:
    """Case 14 under a race: the freed path goes to exactly one of the two."""
    expected = []
    for number in ROUNDS:
        file, old, new = f"/{number}", f"/{number}/old", f"/{number}/new"
        ok(notes.delete(notes.created(old)["id"]))
        [winner] = winners(race(partial(notes.create, file), partial(notes.create, new)))
        expected.append((file, new)[winner])
    assert notes.paths() == sorted(expected)


def test_a_directory_taken_as_file_while_its_last_file_is_deleted(notes: StoreClient) -> None:
    """Case 14: the create may come too early, but then the path is free afterwards."""
    for number in ROUNDS:
        last = notes.created(f"/{number}/last")
        path = f"/{number}"
        deleted, created = race(partial(notes.delete, last["id"]), partial(notes.create, path))
        ok(deleted)
        if created.status != 200:
            notes.created(path)
    assert notes.paths() == [f"/{number}" for number in ROUNDS]


def test_a_directory_taken_as_file_while_files_come_and_go_in_it(notes: StoreClient) -> None:
    last = notes.created("/d/last")
    answers = race(
        partial(notes.delete, last["id"]),
        partial(notes.create, "/d"),
        partial(notes.create, "/d/x"),
        partial(notes.create, "/d/x/y"),
        partial(notes.create, "/d"),
    )
    ok(answers[0])
    paths = notes.paths()
    assert_is_a_tree(paths)
    assert sorted(answer.json["path"] for answer in answers[1:] if answer.status == 200) == paths


def test_a_rename_and_a_create_race_for_one_path(notes: StoreClient) -> None:
    """Case 17: exactly one gets it; the loser is told whose it is, and is still where it was."""
    for number in ROUNDS:
        source, target = notes.created(f"/{number}/source", "moved"), f"/{number}/target"
        renamed, created = race(
            partial(notes.update, source["id"], {"path": target}, view="full"),
            partial(notes.create, target, "new", view="full"),
        )
        assert len(winners([renamed, created])) == 1
        here = ok(notes.get(source["id"]))
        if renamed.status == 200:
            assert here == renamed.json
            assert created.error["conflicting_memory_id"] == source["id"]
        else:
            assert here == source
            assert renamed.error["conflicting_memory_id"] == created.json["id"]
            assert ok(notes.get(created.json["id"])) == created.json
    assert_is_a_tree(notes.paths())


def test_a_rename_and_a_create_below_its_target(notes: StoreClient) -> None:
    for number in ROUNDS:
        source, target = notes.created(f"/s{number}"), f"/t{number}"
        answers = race(
            partial(notes.update, source["id"], {"path": target}),
            partial(notes.create, f"{target}/below"),
        )
        [winner] = winners(answers)
        assert ok(notes.get(source["id"]))["path"] == (target, source["path"])[winner]
    assert_is_a_tree(notes.paths())


def test_one_memory_renamed_by_many_is_in_one_place(notes: StoreClient) -> None:
    memory = notes.created("/start")
    targets = ["/a", "/a/b", "/a/b/c", "/d", "/d/e", "/f"]
    answers: list[Answer] = run_parallel([partial(notes.update, memory["id"], {"path": path}) for path in targets])
    done = [answer.json["path"] for answer in answers if answer.status == 200]
    assert done
    for answer in answers:
        if answer.status != 200:  # a rename along the path where it was at that moment
            assert refused(answer, PATH_CONFLICT)["conflicting_memory_id"] == memory["id"]
    history = notes.history()
    assert sorted(version["path"] for version in history) == sorted([*done, "/start"])
    assert notes.paths() == [history[0]["path"]]
    assert ok(notes.get(memory["id"]))["memory_version_id"] == history[0]["id"]


@pytest.mark.parametrize("seed", range(3))
def test_a_storm_of_writes_leaves_a_tree_and_a_sound_history(notes: StoreClient, seed: int) -> None:
    """Every success is one version, every version belongs to a success, and the last ones are what is listed."""
    choose = random.Random(seed)
    paths = ["/a", "/a/b", "/a/b/c", "/a/d", "/e", "/e/f", "/g"]
    seeds = [notes.created(path) for path in ("/a/b/c", "/e", "/g")]
    calls: list[Callable[[], Answer]] = []
    for number in range(24):
        path, memory = choose.choice(paths), choose.choice(seeds)
        calls.append(
            choose.choice(
                [
                    partial(notes.create, path),
                    partial(notes.update, memory["id"], {"path": path}),
                    partial(notes.update, memory["id"], {"content": str(number)}),
                    partial(notes.delete, memory["id"]),
                ]
            )
        )
    answers: list[Answer] = run_parallel(calls)
    assert {answer.status for answer in answers} <= {200, 404, 409}

    listed = [memory for page in [ok(notes.list_memories(limit=100))] for memory in page["data"]]
    assert_is_a_tree([memory["path"] for memory in listed])
    history = notes.history()
    newest: dict[str, Json] = {}
    for version in history:
        newest.setdefault(version["memory_id"], version)
    living = {version["memory_id"]: version for version in newest.values() if version["operation"] != "deleted"}
    assert {memory["id"]: (memory["memory_version_id"], memory["path"]) for memory in listed} == {
        id_: (version["id"], version["path"]) for id_, version in living.items()
    }
    for id_ in newest:
        operations = [version["operation"] for version in reversed(history) if version["memory_id"] == id_]
        assert operations[0] == "created"
        assert set(operations[1:-1]) <= {"modified"}
        assert Counter(operations)["created"] == 1
    acknowledged = {answer.json["memory_version_id"] for answer in answers if "memory_version_id" in answer.json}
    deleted = [answer for answer in answers if answer.status == 200 and answer.json["type"] == "memory_deleted"]
    assert acknowledged <= {version["id"] for version in history}
    assert Counter(version["operation"] for version in history)["deleted"] == len(deleted)
    started = {memory["memory_version_id"] for memory in seeds}
    assert len(history) == len(started | acknowledged) + len(deleted)
