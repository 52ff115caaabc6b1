"""Restore: an old text comes back as a new version; nothing that was erased does."""

from collections.abc import Callable
from functools import partial

import pytest

from tests.contract.steps import INVALID, NOT_FOUND, Json, StoreClient, conflict, refused, sha256
from tests.support.client import Answer, Client, ok
from tests.support.faults import Faults
from tests.support.parallel import run_parallel

ODD = "\ufeffone\r\n\u0000e\u0301"


@pytest.fixture
def notes(api: Client, store: Json) -> StoreClient:
    return StoreClient(api, store["id"])


def test_a_living_memory_gets_the_old_text_as_a_new_version_where_it_is(notes: StoreClient) -> None:
    """The path of the old version does not come back with its text."""
    memory = notes.created("/a", ODD)
    newer = ok(notes.update(memory["id"], {"content": "two", "path": "/b"}))
    answer = ok(notes.restore(memory["memory_version_id"]))
    now = ok(notes.get(memory["id"]))
    assert answer | {"content": None} == now | {"content": None}
    assert now == memory | {
        "path": "/b",
        "memory_version_id": now["memory_version_id"],
        "updated_at": now["updated_at"],
    }
    assert now["updated_at"] > newer["updated_at"]
    assert now["memory_version_id"] > newer["memory_version_id"]
    newest, *older = notes.history()
    assert (newest["id"], newest["operation"]) == (now["memory_version_id"], "modified")
    assert (newest["path"], newest["content"], newest["content_sha256"]) == ("/b", ODD, sha256(ODD))
    assert newest["created_by"] == {"type": "api_actor", "api_key_id": notes.api.key_id}
    assert [version["id"] for version in older] == [newer["memory_version_id"], memory["memory_version_id"]]
    assert notes.paths() == ["/b"]


def test_an_equal_text_makes_no_version(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    ok(notes.update(memory["id"], {"content": "two"}))
    back = ok(notes.update(memory["id"], {"content": "one", "path": "/b"}))
    for version_id in (memory["memory_version_id"], back["memory_version_id"]):
        assert ok(notes.restore(version_id)) | {"content": None} == back
    assert len(notes.history()) == 3


def test_a_repeated_restore_is_one_version(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    ok(notes.update(memory["id"], {"content": "two"}))
    first = ok(notes.restore(memory["memory_version_id"]))
    assert ok(notes.restore(memory["memory_version_id"])) == first
    assert len(notes.history()) == 3


def test_a_deleted_memory_comes_back_under_its_id_where_it_was_deleted(notes: StoreClient) -> None:
    memory = notes.created("/x/a", ODD)
    ok(notes.update(memory["id"], {"content": "two", "path": "/y/b"}))
    ok(notes.delete(memory["id"]))
    answer = ok(notes.restore(memory["memory_version_id"]))
    now = ok(notes.get(memory["id"]))
    assert answer | {"content": None} == now | {"content": None}
    assert (now["id"], now["path"], now["content"]) == (memory["id"], "/y/b", ODD)
    assert notes.paths() == ["/y/b"]
    history = notes.history(memory_id=memory["id"])
    assert [version["operation"] for version in history] == ["created", "deleted", "modified", "created"]
    assert [version["path"] for version in history] == ["/y/b", "/y/b", "/y/b", "/x/a"]
    assert history[0]["id"] == now["memory_version_id"]
    assert [version["id"] for version in history] == sorted((version["id"] for version in history), reverse=True)


def test_the_last_text_of_a_deleted_memory_comes_back(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    last = ok(notes.update(memory["id"], {"content": "two"}))
    ok(notes.delete(memory["id"]))
    ok(notes.restore(last["memory_version_id"]))
    assert ok(notes.get(memory["id"]))["content"] == "two"


def test_a_memory_that_came_back_is_a_memory_like_any_other(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    for _ in range(2):
        ok(notes.delete(memory["id"]))
        ok(notes.restore(memory["memory_version_id"]))
    conflict(notes.create("/a"), "/a", memory["id"])
    conflict(notes.create("/a/b"), "/a", memory["id"])
    ok(notes.update(memory["id"], {"content": "two", "path": "/b"}))
    ok(notes.delete(memory["id"], expected_content_sha256=sha256("two")))
    operations = [version["operation"] for version in notes.history()]
    assert operations == ["deleted", "modified", "created", "deleted", "created", "deleted", "created"]
    assert notes.paths() == []


@pytest.mark.parametrize(
    ("gone", "taken", "conflicting"),
    [("/a", "/a", "/a"), ("/a/b", "/a", "/a"), ("/a/b/c", "/a/b", "/a/b"), ("/a", "/a/b", "")],
    ids=["exact", "a file above", "a file further up", "a directory"],
)
def test_a_taken_path_is_a_conflict(notes: StoreClient, gone: str, taken: str, conflicting: str) -> None:
    memory = notes.created(gone, "one")
    ok(notes.delete(memory["id"]))
    other = notes.created(taken, "other")
    before = notes.snapshot()
    conflict(notes.restore(memory["memory_version_id"]), conflicting or gone, other["id"] if conflicting else "")
    assert notes.snapshot() == before
    refused(notes.get(memory["id"]), NOT_FOUND)


def test_a_path_that_was_taken_meanwhile_and_is_free_again(notes: StoreClient) -> None:
    memory = notes.created("/a/b", "one")
    ok(notes.delete(memory["id"]))
    ok(notes.delete(notes.created("/a")["id"]))
    ok(notes.restore(memory["memory_version_id"]))
    assert notes.paths() == ["/a/b"]


def redact_old(notes: StoreClient, memory: Json) -> str:
    ok(notes.update(memory["id"], {"content": "two"}))
    ok(notes.redact(memory["memory_version_id"]))
    return str(memory["memory_version_id"])


def redact_after_deletion(notes: StoreClient, memory: Json) -> str:
    ok(notes.delete(memory["id"]))
    ok(notes.redact(memory["memory_version_id"]))
    return str(memory["memory_version_id"])


def delete(notes: StoreClient, memory: Json) -> str:
    ok(notes.delete(memory["id"]))
    return str(notes.history()[0]["id"])


def delete_and_bring_back(notes: StoreClient, memory: Json) -> str:
    version_id = delete(notes, memory)
    ok(notes.restore(memory["memory_version_id"]))
    return version_id


def delete_and_redact_the_deletion(notes: StoreClient, memory: Json) -> str:
    version_id = delete(notes, memory)
    ok(notes.redact(version_id))
    return version_id


def archive(notes: StoreClient, memory: Json) -> str:
    ok(notes.update(memory["id"], {"content": "two"}))
    notes.archive()
    return str(memory["memory_version_id"])


def archive_unchanged(notes: StoreClient, memory: Json) -> str:
    notes.archive()
    return str(memory["memory_version_id"])


def archive_after_deletion(notes: StoreClient, memory: Json) -> str:
    ok(notes.delete(memory["id"]))
    notes.archive()
    return str(memory["memory_version_id"])


@pytest.mark.parametrize(
    "prepare",
    [
        redact_old,
        redact_after_deletion,
        delete,
        delete_and_bring_back,
        delete_and_redact_the_deletion,
        archive,
        archive_unchanged,
        archive_after_deletion,
    ],
)
def test_what_cannot_be_restored(notes: StoreClient, prepare: Callable[[StoreClient, Json], str]) -> None:
    """Case 44, and: a deletion has no text, an archived store takes no write."""
    version_id = prepare(notes, notes.created("/a", "one"))
    before = notes.snapshot()
    refused(notes.restore(version_id), INVALID)
    assert notes.snapshot() == before


def test_an_unknown_version_is_not_found(notes: StoreClient) -> None:
    memory = notes.created("/a")
    for version_id in ("memver_" + "0" * 32, "memver_x", "x", memory["id"]):
        refused(notes.restore(version_id), NOT_FOUND)


def test_many_restores_of_one_deleted_memory_bring_it_back_once(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    ok(notes.delete(memory["id"]))
    answers: list[Answer] = run_parallel([partial(notes.restore, memory["memory_version_id"])] * 6)
    assert {ok(answer)["memory_version_id"] for answer in answers} == {notes.history()[0]["id"]}
    assert [version["operation"] for version in notes.history()] == ["created", "deleted", "created"]


def test_a_restore_and_a_create_race_for_the_path(notes: StoreClient) -> None:
    memory = notes.created("/a", "old")
    ok(notes.delete(memory["id"]))
    restored, created = run_parallel(
        [partial(notes.restore, memory["memory_version_id"]), partial(notes.create, "/a", "new")]
    )
    assert sorted([restored.status, created.status]) == [200, 409]
    loser = created if restored.status == 200 else restored
    winner = restored if restored.status == 200 else created
    conflict(loser, "/a", winner.json["id"])
    assert notes.paths() == ["/a"]


@pytest.mark.moto_only
def test_a_redaction_at_any_moment_of_a_restore_wins(notes: StoreClient, faults: Faults) -> None:
    """Case 44 as a race: a redaction that answers before the restore commits keeps the text from coming back."""
    moments = 0
    for nth in range(1, 30):
        memory = notes.created(f"/{nth}", "secret")
        ok(notes.update(memory["id"], {"content": "clean"}))
        with faults.meanwhile("", partial(notes.redact, memory["memory_version_id"]), nth=nth) as redacted:
            restored = notes.restore(memory["memory_version_id"])
        if not redacted:
            break  # the restore was over before
        moments += 1
        assert ok(redacted[0])["content"] is None
        refused(restored, INVALID)
        assert ok(notes.get(memory["id"]))["content"] == "clean"
    assert moments > 3
