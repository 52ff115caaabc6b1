"""Items that a transaction holds while a single write wants them, which no emulator does by itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.contract.steps import StoreClient, conflict
from tests.support.client import Client, ok
from tests.support.faults import Faults, dynamodb

pytestmark = pytest.mark.moto_only

UPDATE = "dynamodb.UpdateItem"
HELD = dynamodb("TransactionConflictException")
FENCES = 16


@pytest.mark.parametrize("nth", [1, 2, 9, 1 + FENCES])
def test_an_archive_outlasts_the_transactions_that_hold_what_it_writes(
    faults: Faults, notes: StoreClient, nth: int
) -> None:
    with faults.refuse(UPDATE, HELD, nth=nth, times=3):
        assert notes.archive()["archived_at"]
    assert notes.create("/late").status == 400


@pytest.mark.parametrize("nth", [1, 8, FENCES])
def test_a_deletion_outlasts_the_transactions_that_hold_its_fences(
    faults: Faults, api: Client, store: dict[str, Any], nth: int
) -> None:
    with faults.refuse(UPDATE, HELD, nth=nth, times=3):
        ok(api.delete(f"/v1/memory_stores/{store['id']}"))
    assert api.get(f"/v1/memory_stores/{store['id']}").status == 404


@pytest.mark.parametrize("fault", ["TransactionConflictException", "ThrottlingException"])
@pytest.mark.parametrize("nth", [2, 3, 9, 1 + FENCES])
def test_a_file_never_replaces_a_directory_that_a_write_under_way_saw_open(
    faults: Faults, notes: StoreClient, fault: str, nth: int
) -> None:
    """A create below `/a` has read its fence and the open directory; the fences are then bumped with trouble."""
    ok(notes.delete(notes.created("/a/old")["id"]))
    outcome: list[int] = []

    def replace_directory() -> None:
        with faults.refuse(UPDATE, dynamodb(fault), nth=nth, times=12):
            outcome.append(notes.create("/a").status)

    with faults.meanwhile("dynamodb.TransactWriteItems", replace_directory):
        below = notes.create("/a/x").status
    assert sorted(notes.paths()) in (["/a"], ["/a/x"])
    assert [below, *outcome].count(200) == 1


@pytest.mark.parametrize("wanted", ["/a"])
def test_a_close_whose_reply_was_lost_still_drains_the_writes_under_way(
    faults: Faults, notes: StoreClient, wanted: str
) -> None:
    ok(notes.delete(notes.created("/a/old")["id"]))
    outcome: list[int] = []

    def replace_directory() -> None:
        with faults.lose_reply(UPDATE):
            outcome.append(notes.create(wanted).status)

    with faults.meanwhile("dynamodb.TransactWriteItems", replace_directory):
        below = notes.create("/a/x").status
    assert sorted(notes.paths()) in (["/a"], ["/a/x"])
    assert [below, *outcome].count(200) == 1


@pytest.mark.parametrize("nth", [1, 2, 3, 4])
def test_a_restore_that_finds_its_memory_restored_meanwhile_has_what_it_wanted(
    faults: Faults, notes: StoreClient, nth: int
) -> None:
    memory = notes.created("/a", "text")
    ok(notes.delete(memory["id"]))
    version = memory["memory_version_id"]
    with faults.meanwhile("dynamodb.BatchGetItem", lambda: ok(notes.restore(version)), nth=nth) as first:
        second = ok(notes.restore(version))
    assert [restored["id"] for restored in (*first, second)] == [memory["id"]] * 2
    assert [found["operation"] for found in notes.history()] == ["created", "deleted", "created"]


def test_a_rename_that_finds_its_memory_renamed_meanwhile_has_what_it_wanted(
    faults: Faults, notes: StoreClient
) -> None:
    memory = notes.created("/a", "text")
    rename = {"path": "/b"}
    with faults.meanwhile("dynamodb.TransactWriteItems", lambda: ok(notes.update(memory["id"], rename))):
        assert ok(notes.update(memory["id"], rename))["path"] == "/b"
    assert [found["operation"] for found in notes.history()] == ["modified", "created"]


def test_a_directory_that_was_closed_in_vain_is_open_again(faults: Faults, notes: StoreClient) -> None:
    ok(notes.delete(notes.created("/a/old")["id"]))
    created: list[dict[str, Any]] = []
    # The child comes between the look that found nothing and the close.
    with faults.meanwhile(UPDATE, lambda: created.append(notes.created("/a/x"))):
        conflict(notes.create("/a"), "/a", "")
    assert ok(notes.create("/a/y"))["path"] == "/a/y"


def test_two_lists_that_make_the_workspaces_first_cursor_agree_on_its_secret(
    faults: Faults, api: Client, make_store: Callable[..., dict[str, Any]]
) -> None:
    for _ in range(3):
        make_store()
    stores = "/v1/memory_stores"
    with faults.meanwhile("dynamodb.PutItem", lambda: ok(api.get(stores, {"limit": 1}))) as inner:
        outer = ok(api.get(stores, {"limit": 1}))
    cursors = {outer["next_page"], *(page["next_page"] for page in inner)}
    assert len(cursors) == 1
    assert len(ok(api.get(stores, {"limit": 1, "page": cursors.pop()}))["data"]) == 1


def test_a_field_name_of_any_length_is_told_in_an_answer_of_bearable_length(api: Client) -> None:
    answer = api.post("/v1/memory_stores", data=json.dumps({"name": "n", "x" * 500_000: 1}))
    assert answer.failure == (400, "invalid_request_error")
    assert len(answer.text) < 1_000


@pytest.mark.parametrize("expires_at", ["9999-12-31T23:59:59-01:00"])
def test_a_key_cannot_outlive_the_calendar(api: Client, expires_at: str) -> None:
    answer = api.post("/v1/api_keys", {"name": "n", "role": "admin", "expires_at": expires_at})
    assert answer.failure == (400, "invalid_request_error")
    assert "expires_at" in answer.error["message"]
    ok(api.get("/v1/api_keys"))


@pytest.mark.parametrize("store_id", ["", "cursor_key", "x" * 2000, "memstore_0"])
def test_the_scope_of_a_key_holds_ids_of_stores(api: Client, store_id: str) -> None:
    answer = api.post("/v1/api_keys", {"name": "n", "role": "admin", "memory_store_ids": [store_id]})
    assert answer.failure == (400, "invalid_request_error")
    assert "memory_store_ids" in answer.error["message"]
