"""Update and rename: one atomic change, its precondition, and what is no change at all."""

from typing import Any

import pytest

from tests.contract.steps import (
    INVALID,
    MALFORMED_SHAS,
    PRECONDITION_FAILED,
    Json,
    StoreClient,
    conflict,
    guard,
    refused,
    sha256,
)
from tests.support.client import Client, ok


@pytest.fixture
def notes(api: Client, store: Json) -> StoreClient:
    return StoreClient(api, store["id"])


@pytest.mark.parametrize(
    ("change", "path", "content"),
    [
        ({"content": "two"}, "/a", "two"),
        ({"path": "/b"}, "/b", "one"),
        ({"content": "two", "path": "/x/y"}, "/x/y", "two"),
        ({"content": ""}, "/a", ""),
        ({"content": "two", "path": None, "precondition": None}, "/a", "two"),
        ({"content": None, "path": "/b"}, "/b", "one"),
    ],
    ids=["content", "path", "both", "emptied", "other fields null", "content null"],
)
def test_update_is_one_change_and_one_version(notes: StoreClient, change: Json, path: str, content: str) -> None:
    before = notes.created("/a", "one")
    after = ok(notes.update(before["id"], change, view="full"))
    assert after == before | {
        "path": path,
        "content": content,
        "content_sha256": sha256(content),
        "content_size_bytes": len(content.encode()),
        "memory_version_id": after["memory_version_id"],
        "updated_at": after["updated_at"],
    }
    assert after["memory_version_id"] > before["memory_version_id"]
    assert after["updated_at"] > before["updated_at"]
    assert ok(notes.get(before["id"])) == after
    assert notes.paths() == [path]
    newest, oldest = notes.history()
    assert (newest["id"], newest["operation"]) == (after["memory_version_id"], "modified")
    assert (newest["path"], newest["content"]) == (path, content)
    assert (oldest["id"], oldest["path"], oldest["content"]) == (before["memory_version_id"], "/a", "one")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"content": None, "path": None, "precondition": None},
        {"precondition": guard("one")},
    ],
    ids=["empty", "all null", "only a precondition"],
)
def test_an_update_must_change_something(notes: StoreClient, body: Json) -> None:
    memory = notes.created("/a", "one")
    refused(notes.update(memory["id"], body), INVALID)
    assert ok(notes.get(memory["id"])) == memory


@pytest.mark.parametrize(
    "body",
    [{"content": "one"}, {"path": "/a"}, {"content": "one", "path": "/a"}],
    ids=["same content", "same path", "both"],
)
def test_an_update_to_what_is_already_there_writes_no_version(notes: StoreClient, body: Json) -> None:
    memory = notes.created("/a", "one")
    assert ok(notes.update(memory["id"], body, view="full")) == memory
    assert len(notes.history()) == 1


def test_rename_keeps_the_text_and_both_bodies(notes: StoreClient) -> None:
    """Case 18, up to the redaction (which test_redaction shows)."""
    before = notes.created("/a", "text")
    after = ok(notes.update(before["id"], {"path": "/b"}))
    assert after["content_sha256"] == before["content_sha256"]
    assert [version["content"] for version in notes.history()] == ["text", "text"]


def test_a_moved_note_and_its_successor_are_two_memories(notes: StoreClient) -> None:
    """Case 19."""
    moved = notes.created("/a", "one")
    ok(notes.update(moved["id"], {"path": "/b"}))
    successor = notes.created("/a", "two")
    assert successor["id"] != moved["id"]
    assert ok(notes.get(moved["id"]))["path"] == "/b"
    assert [version["path"] for version in notes.history(memory_id=moved["id"])] == ["/b", "/a"]
    assert [version["content"] for version in notes.history(memory_id=successor["id"])] == ["two"]


@pytest.mark.parametrize("change", [{"path": "/b"}, {"path": "/b", "content": "three"}], ids=["rename", "with content"])
def test_rename_onto_a_taken_path_changes_nothing(notes: StoreClient, change: Json) -> None:
    """Case 17."""
    source, target = notes.created("/a", "one"), notes.created("/b", "two")
    conflict(notes.update(source["id"], change), "/b", target["id"])
    assert ok(notes.get(source["id"])) == source
    assert ok(notes.get(target["id"])) == target
    assert len(notes.history()) == 2


@pytest.mark.parametrize("path", ["/A", "/a.md", "/a "], ids=["case", "longer", "space"])
def test_rename_to_a_path_that_only_looks_alike(notes: StoreClient, path: str) -> None:
    memory = notes.created("/a", "one")
    assert ok(notes.update(memory["id"], {"path": path}))["path"] == path
    assert notes.paths() == [path]


# --- preconditions ---


@pytest.mark.parametrize(
    "change",
    [{"content": "two"}, {"path": "/b"}, {"content": "two", "path": "/b"}],
    ids=["content", "path", "both"],
)
def test_a_met_precondition_lets_the_update_through_and_its_retry_too(notes: StoreClient, change: Json) -> None:
    """Case 5: the lost reply of a guarded update is not a conflict when it is sent again."""
    memory = notes.created("/a", "one")
    body = change | {"precondition": guard("one")}
    first = ok(notes.update(memory["id"], body, view="full"))
    assert first["content"] == change.get("content", "one")
    assert first["path"] == change.get("path", "/a")
    assert ok(notes.update(memory["id"], body, view="full")) == first
    assert len(notes.history()) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"content": "three"},
        {"path": "/b"},
        {"content": "three", "path": "/b"},
        {"content": "two", "path": "/b"},
        {"content": "three", "path": "/a"},
    ],
    ids=["content", "path", "both", "only the content is there", "only the path is there"],
)
def test_a_missed_precondition_changes_nothing(notes: StoreClient, change: Json) -> None:
    """Case 2: the newer text stays."""
    memory = notes.created("/a", "one")
    newer = ok(notes.update(memory["id"], {"content": "two"}, view="full"))
    refused(notes.update(memory["id"], change | {"precondition": guard("one")}), PRECONDITION_FAILED)
    assert ok(notes.get(memory["id"])) == newer
    assert len(notes.history()) == 2


@pytest.mark.parametrize("change", [{"content": "two"}, {"path": "/a"}], ids=["content", "path"])
def test_a_missed_precondition_is_no_conflict_where_nothing_is_left_to_do(notes: StoreClient, change: Json) -> None:
    memory = notes.created("/a", "one")
    newer = ok(notes.update(memory["id"], {"content": "two"}, view="full"))
    assert ok(notes.update(memory["id"], change | {"precondition": guard("one")}, view="full")) == newer
    assert len(notes.history()) == 2


def test_the_precondition_is_about_the_content_not_about_the_target(notes: StoreClient) -> None:
    source, target = notes.created("/a", "one"), notes.created("/b", "two")
    refused(notes.update(source["id"], {"path": "/c", "precondition": guard("two")}), PRECONDITION_FAILED)
    conflict(notes.update(source["id"], {"path": "/b", "precondition": guard("one")}), "/b", target["id"])
    assert notes.paths() == ["/a", "/b"]


MALFORMED: list[tuple[Any, str]] = [
    *(({"type": "content_sha256", "content_sha256": sha}, "content_sha256") for sha in MALFORMED_SHAS),
    ({"type": "content_sha256", "content_sha256": 1}, "content_sha256"),
    ({"type": "content_sha256", "content_sha256": None}, "content_sha256"),
    ({"type": "content_sha256"}, "content_sha256"),
    ({"type": "path", "content_sha256": sha256("one")}, "type"),
    ({"type": 1, "content_sha256": sha256("one")}, "type"),
    ({"content_sha256": sha256("one")}, "type"),
    ({}, "precondition"),
    ({"type": "content_sha256", "content_sha256": sha256("one"), "path": "/a"}, "path"),
    (sha256("one"), "precondition"),
    ([], "precondition"),
    (False, "precondition"),
]


def test_a_malformed_precondition_is_refused(notes: StoreClient, subtests: pytest.Subtests) -> None:
    memory = notes.created("/a", "one")
    for precondition, field in MALFORMED:
        with subtests.test(precondition=precondition):
            refused(notes.update(memory["id"], {"content": "two", "precondition": precondition}), INVALID, field)
    assert ok(notes.get(memory["id"])) == memory
