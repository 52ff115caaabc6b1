"""Redaction: the text is gone for good, the version stays for audit."""

import re
import secrets
from collections.abc import Callable

import pytest

from tests.contract.steps import INVALID, NOT_FOUND, RFC3339_MILLISECONDS, Json, StoreClient, refused, sha256
from tests.support.backend import Backend
from tests.support.client import Client, ok


@pytest.fixture
def notes(api: Client, store: Json) -> StoreClient:
    return StoreClient(api, store["id"])


@pytest.fixture
def secret() -> str:
    return f"secret-{secrets.token_hex(16)}"


@pytest.fixture
def stored(backend: Backend, workspace: str) -> Callable[[], str]:
    """All that the rows of the workspace, the queue and the bodies (named by workspace) hold, as one text."""

    def read() -> str:
        scan = backend.dynamodb.get_paginator("scan").paginate(
            TableName=backend.table_name,
            FilterExpression="contains(pk, :workspace) OR begins_with(pk, :queue)",
            ExpressionAttributeValues={":workspace": {"S": workspace}, ":queue": {"S": "work#"}},
        )
        texts = [str(item) for page in scan for item in page["Items"]]
        for name in bodies(backend, workspace):
            body = backend.s3.get_object(Bucket=backend.bucket_name, Key=name)["Body"].read()
            texts.append(f"{name} {body.decode()}")
        return "\n".join(texts)

    return read


def bodies(backend: Backend, workspace: str) -> set[str]:
    """The names of all bodies of a workspace."""
    listing = backend.s3.get_paginator("list_objects_v2").paginate(Bucket=backend.bucket_name, Prefix=f"{workspace}/")
    return {found["Key"] for page in listing for found in page.get("Contents", [])}


def redacted(version: Json, answer: Json) -> Json:
    """What a version must look like after this redaction."""
    erased = dict.fromkeys(("content", "path", "content_sha256", "content_size_bytes"))
    return version | erased | {"redacted_at": answer["redacted_at"], "redacted_by": answer["redacted_by"]}


def test_redaction_nulls_text_path_size_and_digest_and_keeps_the_rest(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    head = ok(notes.update(memory["id"], {"content": "two", "path": "/b"}, view="full"))
    version = ok(notes.version(memory["memory_version_id"]))
    answer = ok(notes.redact(version["id"]))
    assert answer == redacted(version, answer)
    assert re.fullmatch(RFC3339_MILLISECONDS, answer["redacted_at"])
    assert answer["redacted_at"] >= version["created_at"]
    assert answer["redacted_by"] == {"type": "api_actor", "api_key_id": notes.api.key_id}
    for view in ("full", "basic"):
        assert ok(notes.version(version["id"], view=view)) == answer
        assert notes.history(view=view)[1] == answer
    assert ok(notes.get(memory["id"])) == head


def test_a_repeat_answers_the_same_object(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    ok(notes.update(memory["id"], {"content": "two"}))
    first = ok(notes.redact(memory["memory_version_id"]))
    assert ok(notes.redact(memory["memory_version_id"])) == first
    assert ok(notes.redact(memory["memory_version_id"])) == first


def test_the_current_version_of_a_living_memory_is_refused(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    refused(notes.redact(memory["memory_version_id"]), INVALID)
    assert ok(notes.get(memory["id"])) == memory
    renamed = ok(notes.update(memory["id"], {"path": "/b"}, view="full"))
    refused(notes.redact(renamed["memory_version_id"]), INVALID)
    assert ok(notes.get(memory["id"])) == renamed
    ok(notes.delete(memory["id"]))
    back = ok(notes.restore(renamed["memory_version_id"]))
    refused(notes.redact(back["memory_version_id"]), INVALID)
    assert ok(notes.get(memory["id"]))["content"] == "one"


def test_the_stored_body_is_really_gone(notes: StoreClient, backend: Backend, workspace: str) -> None:
    memory = notes.created("/a", "one")
    ok(notes.update(memory["id"], {"content": "two"}))
    before = bodies(backend, workspace)
    [body] = [name for name in before if name.endswith(memory["memory_version_id"])]
    ok(notes.redact(memory["memory_version_id"]))
    assert bodies(backend, workspace) == before - {body}


def test_equal_texts_are_redacted_one_by_one(notes: StoreClient, backend: Backend, workspace: str) -> None:
    """Case 18: a rename and a second memory with the same text have bodies of their own."""
    memory, twin = notes.created("/a", "same"), notes.created("/twin", "same")
    ok(notes.update(memory["id"], {"path": "/b"}))
    before = bodies(backend, workspace)
    ok(notes.redact(memory["memory_version_id"]))
    assert len(before - bodies(backend, workspace)) == 1
    assert ok(notes.get(memory["id"]))["content"] == "same"
    assert ok(notes.get(twin["id"]))["content"] == "same"
    assert [version["content"] for version in notes.history(memory_id=memory["id"])] == ["same", None]


def test_a_secret_in_five_versions_is_found_nowhere_after_redaction(
    notes: StoreClient, stored: Callable[[], str], secret: str
) -> None:
    """Case 42: redact all but the head, write a newer version, redact the old head too."""
    texts = [f"{number} {secret}" for number in range(5)]
    memory = notes.created("/a", texts[0])
    for text in texts[1:]:
        ok(notes.update(memory["id"], {"content": text}))
    assert secret in stored()
    head, *older = notes.history()
    for version in older:
        ok(notes.redact(version["id"]))
    refused(notes.redact(head["id"]), INVALID)
    ok(notes.update(memory["id"], {"content": "clean"}))
    ok(notes.redact(head["id"]))
    left = stored()
    assert secret not in left
    for text in texts:
        assert sha256(text) not in left  # a short secret can be guessed from its digest
    assert [version["content"] for version in notes.history()] == ["clean"] + [None] * 5
    assert ok(notes.get(memory["id"]))["content"] == "clean"


@pytest.mark.moto_only
def test_a_secret_is_not_in_the_logs(notes: StoreClient, secret: str, logs: object) -> None:
    """Case 42, the part that no redaction could mend."""
    memory = notes.created("/a", secret)
    refused(notes.create("/a", secret), (409, "memory_path_conflict_error"))
    ok(notes.update(memory["id"], {"content": f"{secret} again"}))
    ok(notes.redact(memory["memory_version_id"]))
    assert secret not in logs.text  # type: ignore[attr-defined]


def test_a_renamed_memory_leaves_no_trace_of_its_old_path_once_redacted(
    notes: StoreClient, stored: Callable[[], str], secret: str
) -> None:
    memory = notes.created(f"/{secret}")
    assert secret in stored()
    ok(notes.update(memory["id"], {"path": "/b"}))
    ok(notes.redact(memory["memory_version_id"]))
    assert secret not in stored()
    assert [version["path"] for version in notes.history()] == ["/b", None]


def test_the_last_text_of_a_deleted_memory_can_be_redacted(
    notes: StoreClient, stored: Callable[[], str], secret: str
) -> None:
    """Case 43."""
    memory = notes.created("/a", secret)
    assert sha256(secret) in stored()
    refused(notes.redact(memory["memory_version_id"]), INVALID)
    ok(notes.delete(memory["id"]))
    assert ok(notes.redact(memory["memory_version_id"]))["content"] is None
    left = stored()
    assert secret not in left
    assert sha256(secret) not in left


def test_redacting_a_deleted_version_hides_its_path(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    ok(notes.delete(memory["id"]))
    deleted = notes.history()[0]
    assert deleted["path"] == "/a"
    answer = ok(notes.redact(deleted["id"]))
    assert answer == redacted(deleted, answer)
    assert answer["redacted_at"]
    assert ok(notes.redact(deleted["id"])) == answer
    assert notes.history()[0] == answer
    assert notes.history()[1]["content"] == "one"


def test_the_text_of_a_memory_that_came_back_can_be_redacted_where_it_is_old(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    ok(notes.delete(memory["id"]))
    ok(notes.restore(memory["memory_version_id"]))
    for version in notes.history()[1:]:
        ok(notes.redact(version["id"]))
    assert ok(notes.get(memory["id"]))["content"] == "one"
    assert [version["content"] for version in notes.history()] == ["one", None, None]


def test_filters_still_find_a_redacted_version(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    ok(notes.update(memory["id"], {"content": "two"}))
    answer = ok(notes.redact(memory["memory_version_id"]))
    assert notes.history(memory_id=memory["id"], operation="created") == [answer]
    assert notes.history(api_key_id=notes.api.key_id, operation="created") == [answer]


def test_redaction_works_on_an_archived_store(notes: StoreClient, stored: Callable[[], str], secret: str) -> None:
    """An archive must not keep what has to be erased; the head of a living memory stays protected there too."""
    memory = notes.created("/a", secret)
    assert secret in stored()
    head = ok(notes.update(memory["id"], {"content": "two"}))
    notes.archive()
    assert ok(notes.redact(memory["memory_version_id"]))["content"] is None
    assert secret not in stored()
    refused(notes.redact(head["memory_version_id"]), INVALID)
    assert ok(notes.get(memory["id"]))["content"] == "two"


def test_redaction_moves_neither_memory_nor_store(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    ok(notes.update(memory["id"], {"content": "two"}))
    store, memories, _ = notes.snapshot()
    ok(notes.redact(memory["memory_version_id"]))
    assert notes.snapshot()[:2] == (store, memories)
    assert len(notes.history()) == 2


def test_an_unknown_version_is_not_found(notes: StoreClient) -> None:
    memory = notes.created("/a")
    for version_id in ("memver_" + "0" * 32, "memver_x", "x", memory["id"]):
        refused(notes.redact(version_id), NOT_FOUND)
