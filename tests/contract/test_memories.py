"""Create, read, update and delete memories: contract section 2, one memory at a time. Paths: see test_paths."""

import re
from collections.abc import Callable
from functools import partial

import pytest

from tests.contract.steps import (
    INVALID,
    MALFORMED_SHAS,
    NOT_FOUND,
    PATH_CONFLICT,
    PRECONDITION_FAILED,
    RFC3339_MILLISECONDS,
    Json,
    StoreClient,
    conflict,
    guard,
    refused,
    sha256,
)
from tests.support.backend import Backend
from tests.support.client import Answer, Client, ok

MEMORY_FIELDS = {
    "id",
    "type",
    "memory_store_id",
    "memory_version_id",
    "path",
    "content",
    "content_sha256",
    "content_size_bytes",
    "created_at",
    "updated_at",
}
MAX_BYTES = 102_400


@pytest.fixture
def notes(api: Client, store: Json) -> StoreClient:
    return StoreClient(api, store["id"])


# --- create ---


def test_a_new_memory_shows_every_documented_field_and_no_other(notes: StoreClient) -> None:
    memory = ok(notes.create("/notes/a.md", "hello"))
    assert set(memory) == MEMORY_FIELDS  # no metadata, no revision, no statistics in this dialect
    assert memory["type"] == "memory"
    assert memory["id"].startswith("mem_")
    assert memory["memory_version_id"].startswith("memver_")
    assert memory["memory_store_id"] == notes.id
    assert memory["path"] == "/notes/a.md"
    assert memory["content"] is None
    assert memory["content_sha256"] == sha256("hello")
    assert memory["content_size_bytes"] == 5
    assert re.fullmatch(RFC3339_MILLISECONDS, memory["created_at"])
    assert memory["updated_at"] == memory["created_at"]


def test_the_store_does_not_show_its_statistics(notes: StoreClient) -> None:
    notes.created("/a")
    store = ok(notes.api.get(notes.url))
    assert set(store) == {
        "id",
        "type",
        "name",
        "description",
        "metadata",
        "created_at",
        "updated_at",
        "archived_at",
    }


def test_memory_writes_do_not_move_updated_at_of_the_store(notes: StoreClient) -> None:
    before = ok(notes.api.get(notes.url))
    memory = notes.created("/a", "one")
    ok(notes.update(memory["id"], {"content": "two", "path": "/b"}))
    ok(notes.delete(memory["id"]))
    assert ok(notes.api.get(notes.url)) == before


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("a\u0000b", id="case 21, NUL"),
        pytest.param("a\r\nb\r", id="case 22, CRLF"),
        pytest.param("\ufeffx", id="case 23, byte-order mark"),
        pytest.param("", id="case 24, empty"),
        pytest.param("cafe\u0301 caf\u00e9", id="not normalised"),
        pytest.param("\u2028\u2029\u0085", id="line separators"),
        pytest.param("\U0001f600\U0010ffff", id="beyond the first plane"),
        pytest.param(' \t\n{"json": "\\u0041\\"}\n\n', id="looks like JSON"),
        pytest.param("\u0001" * MAX_BYTES, id="control characters, 614 KB of JSON"),
        pytest.param("é" * (MAX_BYTES // 2), id="case 25, as large as allowed"),
    ],
)
def test_content_is_stored_byte_for_byte(notes: StoreClient, content: str) -> None:
    """Cases 21 to 25."""
    memory = notes.created("/a", content)
    assert memory["content"] == content
    assert memory["content_sha256"] == sha256(content)
    assert memory["content_size_bytes"] == len(content.encode())
    assert ok(notes.get(memory["id"])) == memory
    assert ok(notes.version(memory["memory_version_id"]))["content"] == content


@pytest.mark.parametrize("content", ["é" * (MAX_BYTES // 2) + "x", "x" * (MAX_BYTES + 1)], ids=["characters", "bytes"])
def test_content_over_the_limit_is_refused(notes: StoreClient, content: str) -> None:
    """Case 25: the size is counted in bytes."""
    refused(notes.create("/a", content), INVALID, "content")
    memory = notes.created("/b", "short")
    refused(notes.update(memory["id"], {"content": content}), INVALID, "content")
    assert ok(notes.get(memory["id"])) == memory
    assert notes.paths() == ["/b"]


@pytest.mark.parametrize("body", [{"path": "/a"}, {"path": "/a", "content": None}], ids=["left out", "null"])
def test_content_is_required(notes: StoreClient, body: Json) -> None:
    """Case 24: empty is a content, missing is not."""
    refused(notes.api.post(notes.memories_url, json=body), INVALID, "content")
    assert notes.paths() == []


def test_create_never_overwrites(notes: StoreClient) -> None:
    """Case 8: a create that is sent again, or with other content, names the first memory and changes nothing."""
    first = notes.created("/a", "one")
    for content in ("one", "two"):
        conflict(notes.create("/a", content), "/a", first["id"])
    assert ok(notes.get(first["id"])) == first
    assert len(notes.history()) == 1


# --- views ---


@pytest.mark.parametrize(
    ("query", "shown"),
    [({}, None), ({"view": "basic"}, None), ({"view": "full"}, "text")],
    ids=["default", "basic", "full"],
)
def test_view_of_writes(notes: StoreClient, query: dict[str, str], shown: str | None) -> None:
    memory = ok(notes.create("/a", "text", **query))
    assert memory["content"] == shown
    assert ok(notes.update(memory["id"], {"path": "/b"}, **query))["content"] == shown
    assert ok(notes.update(memory["id"], {"path": "/b"}, **query))["content"] == shown  # nothing to do this time
    assert ok(notes.update(memory["id"], {"content": "text", "path": "/c"}, **query))["content"] == shown


@pytest.mark.parametrize(
    ("query", "shown"),
    [({}, "text"), ({"view": "basic"}, None), ({"view": "full"}, "text")],
    ids=["default", "basic", "full"],
)
def test_view_of_retrieve(notes: StoreClient, query: dict[str, str], shown: str | None) -> None:
    memory = notes.created("/a")
    assert ok(notes.get(memory["id"], **query)) == memory | {"content": shown}


def test_an_unknown_view_is_refused(notes: StoreClient, subtests: pytest.Subtests) -> None:
    memory = notes.created("/a", "one")
    calls: list[Callable[..., Answer]] = [
        partial(notes.create, "/b"),
        partial(notes.get, memory["id"]),
        partial(notes.update, memory["id"], {"content": "two"}),
        notes.list_memories,
        notes.list_versions,
        partial(notes.version, memory["memory_version_id"]),
    ]
    for view in ("FULL", "", "summary", "full,basic"):
        for call in calls:
            with subtests.test(repr(view), call=call):
                refused(call(view=view), INVALID, "view")
    assert ok(notes.get(memory["id"])) == memory
    assert notes.paths() == ["/a"]


# --- delete ---


def test_delete_frees_the_path_and_keeps_the_history(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    assert ok(notes.delete(memory["id"])) == {"id": memory["id"], "type": "memory_deleted"}
    refused(notes.get(memory["id"]), NOT_FOUND)
    refused(notes.update(memory["id"], {"content": "two"}), NOT_FOUND)
    refused(notes.delete(memory["id"]), NOT_FOUND)
    assert notes.paths() == []
    gone, text = notes.history()
    assert (gone["operation"], gone["path"]) == ("deleted", "/a")
    assert (gone["content"], gone["content_sha256"], gone["content_size_bytes"]) == (None, None, None)
    assert (text["operation"], text["content"]) == ("created", "one")
    assert notes.created("/a", "new")["id"] != memory["id"]


def test_a_deleted_version_keeps_the_last_path(notes: StoreClient) -> None:
    memory = notes.created("/a")
    ok(notes.update(memory["id"], {"path": "/b"}))
    ok(notes.delete(memory["id"]))
    assert notes.history()[0]["path"] == "/b"


def test_delete_with_the_sha_of_the_current_content(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    ok(notes.delete(memory["id"], expected_content_sha256=sha256("one")))
    assert notes.paths() == []


def test_delete_with_the_sha_of_an_older_version_is_refused(notes: StoreClient) -> None:
    """Case 4."""
    memory = notes.created("/a", "one")
    newer = ok(notes.update(memory["id"], {"content": "two"}, view="full"))
    refused(notes.delete(memory["id"], expected_content_sha256=sha256("one")), PRECONDITION_FAILED)
    assert ok(notes.get(memory["id"])) == newer


def test_a_malformed_sha_never_deletes(notes: StoreClient, subtests: pytest.Subtests) -> None:
    memory = notes.created("/a", "one")
    for sha in MALFORMED_SHAS:
        with subtests.test(repr(sha)):
            refused(notes.delete(memory["id"], expected_content_sha256=sha), INVALID, "expected_content_sha256")
    assert notes.paths() == ["/a"]


def test_unknown_query_keys_are_ignored_by_delete(notes: StoreClient) -> None:
    memory = notes.created("/a")
    ok(notes.delete(memory["id"], beta="true", order="asc"))
    assert notes.paths() == []


# --- the 409 the SDKs must not repeat, archived stores, limits ---


def test_every_conflict_tells_the_sdk_not_to_retry(notes: StoreClient) -> None:
    """Case 38."""
    memory = notes.created("/a", "one")
    ok(notes.update(memory["id"], {"content": "two"}))
    conflicts = [
        (notes.create("/a"), PATH_CONFLICT),
        (notes.update(memory["id"], {"path": "/a/b"}), PATH_CONFLICT),
        (notes.update(memory["id"], {"content": "x", "precondition": guard("one")}), PRECONDITION_FAILED),
        (notes.delete(memory["id"], expected_content_sha256=sha256("one")), PRECONDITION_FAILED),
    ]
    for answer, error in conflicts:
        refused(answer, error)
        assert answer.headers["x-should-retry"] == "false"


def test_an_archived_store_refuses_every_write_and_serves_every_read(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    notes.archive()
    before = notes.snapshot()
    for answer in (
        notes.create("/b"),
        notes.update(memory["id"], {"content": "two"}),
        notes.update(memory["id"], {"content": "one"}),  # even one that would change nothing
        notes.update(memory["id"], {"path": "/b"}),
        notes.update(memory["id"], {"path": "/b", "precondition": guard("one")}),
        notes.delete(memory["id"]),
    ):
        refused(answer, INVALID, "archived")
    assert notes.snapshot() == before
    assert ok(notes.get(memory["id"])) == memory
    assert ok(notes.version(memory["memory_version_id"]))["content"] == "one"


def test_writes_to_a_deleted_store_find_nothing(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    ok(notes.api.delete(notes.url))
    for answer in (
        notes.create("/b"),
        notes.get(memory["id"]),
        notes.update(memory["id"], {"content": "two"}),
        notes.delete(memory["id"]),
        notes.list_memories(),
        notes.list_versions(),
        notes.version(memory["memory_version_id"]),
        notes.redact(memory["memory_version_id"]),
        notes.restore(memory["memory_version_id"]),
    ):
        refused(answer, NOT_FOUND)


def test_a_store_holds_no_more_memories_than_its_limit(backend: Backend, notes: StoreClient) -> None:
    if backend.max_memories > 500:
        pytest.skip("the deployment's limit is too high to reach here")
    first, *_ = [notes.created(f"/{number}") for number in range(backend.max_memories)]
    refused(notes.create("/one-more"), INVALID, str(backend.max_memories))
    ok(notes.update(first["id"], {"content": "changed", "path": "/renamed"}))
    refused(notes.create("/one-more"), INVALID)
    ok(notes.delete(first["id"]))
    notes.created("/one-more")
    refused(notes.restore(first["memory_version_id"]), INVALID)
    assert len(notes.paths()) == backend.max_memories
