"""Lists of versions: filters in any mix, pages that are full, cursors that fit."""

import itertools
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

import pytest

from tests.contract.conftest import MakeKey
from tests.contract.steps import INVALID, Json, StoreClient, full_pages, pages, refused
from tests.support.client import Client, ok


@pytest.fixture
def notes(api: Client, store: Json) -> StoreClient:
    return StoreClient(api, store["id"])


def ids(versions: Iterable[Json]) -> list[str]:
    return [version["id"] for version in versions]


def matches(version: Json, filters: Json) -> bool:
    """What the filters mean, said once more."""
    rules = {
        "memory_id": lambda wanted: version["memory_id"] == wanted,
        "operation": lambda wanted: version["operation"] == wanted,
        "api_key_id": lambda wanted: version["created_by"].get("api_key_id") == wanted,
        "created_at[gte]": lambda wanted: version["created_at"] >= wanted,
        "created_at[lte]": lambda wanted: version["created_at"] <= wanted,
    }
    return all(rules[name](wanted) for name, wanted in filters.items())


@pytest.fixture
def busy(notes: StoreClient, make_key: MakeKey) -> StoreClient:
    """Three memories with mixed histories by two authors: 16 versions."""
    writers = [notes, StoreClient(make_key("read_write"), notes.id)]
    memories = [writers[number % 2].created(f"/{number}", "start") for number in range(3)]
    for step in range(3):
        for number, memory in enumerate(memories):
            ok(writers[(step + number) % 2].update(memory["id"], {"content": f"step {step}"}))
    ok(writers[0].delete(memories[0]["id"]))
    ok(writers[1].delete(memories[2]["id"]))
    ok(writers[0].restore(memories[2]["memory_version_id"]))
    ok(writers[0].update(memories[1]["id"], {"path": "/moved"}))
    return notes


def test_filters_together_in_any_mix_and_in_pages(busy: StoreClient, subtests: pytest.Subtests) -> None:
    """Each combination of filters finds what each alone would leave, and no page is short but the last."""
    everything = busy.history(view="basic")
    assert len(everything) == 16
    middle = everything[8]
    alone: list[list[Json]] = [
        [{}, {"memory_id": middle["memory_id"]}, {"memory_id": everything[0]["memory_id"]}],
        [{}, {"operation": "created"}, {"operation": "modified"}, {"operation": "deleted"}],
        [{}, {"api_key_id": busy.api.key_id}],
        [{}, {"created_at[gte]": middle["created_at"]}, {"created_at[lte]": middle["created_at"]}],
    ]
    for number, mix in enumerate(itertools.product(*alone)):
        filters = {name: value for choice in mix for name, value in choice.items()}
        limit = (100, 1, 3)[number % 3]
        with subtests.test(filters=filters, limit=limit):
            expected = [version for version in everything if matches(version, filters)]
            sizes, found = [], []
            for page in pages(busy.api, busy.versions_url, **filters, limit=limit):
                sizes.append(len(page["data"]))
                found += page["data"]
            assert found == expected
            assert sizes == full_pages(len(expected), limit)


def test_a_range_of_one_instant_is_inclusive(busy: StoreClient) -> None:
    everything = busy.history()
    instant = everything[5]["created_at"]
    found = busy.history(**{"created_at[gte]": instant, "created_at[lte]": instant})
    assert found == [version for version in everything if version["created_at"] == instant]
    assert found


def test_a_range_is_compared_finer_than_milliseconds(busy: StoreClient) -> None:
    """The SDKs send microseconds: half a millisecond after a version is not the version's time."""
    everything = busy.history()
    version = everything[5]
    later = (datetime.fromisoformat(version["created_at"]) + timedelta(microseconds=500)).isoformat()
    assert version["id"] not in ids(busy.history(**{"created_at[gte]": later}))
    assert version["id"] in ids(busy.history(**{"created_at[lte]": later}))


def test_an_empty_range_finds_nothing(busy: StoreClient) -> None:
    page = ok(busy.list_versions(**{"created_at[gte]": "2999-01-01T00:00:00Z"}))
    assert page == {"data": [], "next_page": None}
    page = ok(
        busy.list_versions(**{"created_at[gte]": "2026-01-02T00:00:00Z", "created_at[lte]": "2026-01-01T00:00:00Z"})
    )
    assert page == {"data": [], "next_page": None}


def test_a_filter_that_nothing_meets_answers_an_empty_list(notes: StoreClient, subtests: pytest.Subtests) -> None:
    notes.created("/a")
    for name, value in (
        ("memory_id", "mem_" + "0" * 32),
        ("session_id", "sesn_" + "0" * 32),
        ("api_key_id", "apikey_" + "0" * 32),
        ("service_account_id", "arn:aws:iam::123456789012:role/Nobody"),
        ("operation", "deleted"),
    ):
        with subtests.test(name):
            assert ok(notes.list_versions(**{name: value})) == {"data": [], "next_page": None}


def test_the_memory_filter_stays_within_the_store(notes: StoreClient, make_store: Callable[..., Json]) -> None:
    """Case 39."""
    other = StoreClient(notes.api, make_store()["id"])
    other.created("/b")
    assert ok(other.list_versions(memory_id=notes.created("/a")["id"]))["data"] == []


def test_an_unknown_operation_is_refused(notes: StoreClient) -> None:
    for operation in ("", "updated", "CREATED", "created,deleted"):
        refused(notes.list_versions(operation=operation), INVALID, "operation")


def test_one_match_among_many_is_one_page(notes: StoreClient) -> None:
    """Case 32: the row, and no trail of empty pages, whether it stands behind all others or before them."""
    oldest, newest = notes.created("/oldest"), notes.created("/newest")
    ok(notes.delete(oldest["id"]))
    busy = notes.created("/a", "start")
    for number in range(145):
        ok(notes.update(busy["id"], {"content": str(number)}))
    page = ok(notes.list_versions(operation="deleted", limit=1))
    assert ([version["memory_id"] for version in page["data"]], page["next_page"]) == ([oldest["id"]], None)
    ok(notes.delete(newest["id"]))
    page = ok(notes.list_versions(operation="deleted", memory_id=newest["id"], limit=1))
    assert ([version["memory_id"] for version in page["data"]], page["next_page"]) == ([newest["id"]], None)
    found = list(pages(notes.api, notes.versions_url, operation="deleted", limit=1))
    assert [[version["memory_id"] for version in page["data"]] for page in found] == [[newest["id"]], [oldest["id"]]]


# --- pages and cursors ---


def test_pages_hold_20_by_default_and_when_full(notes: StoreClient) -> None:
    """Case 33 for versions, and the clamp of full views."""
    memory = notes.created("/a", "start")
    for number in range(19):
        ok(notes.update(memory["id"], {"content": str(number)}))
    page = ok(notes.list_versions())
    assert (len(page["data"]), page["next_page"]) == (20, None)
    ok(notes.update(memory["id"], {"content": "one more"}))
    page = ok(notes.list_versions())
    assert len(page["data"]) == 20
    assert len(ok(notes.list_versions(page=page["next_page"]))["data"]) == 1
    page = ok(notes.list_versions(view="full", limit=100))
    assert len(page["data"]) == 20
    assert all(version["content"] is not None for version in page["data"])
    assert len(ok(notes.list_versions(limit=100))["data"]) == 21


def test_a_cursor_is_bound_to_the_filters(busy: StoreClient, subtests: pytest.Subtests) -> None:
    unfiltered = ok(busy.list_versions(limit=1))["next_page"]
    assert unfiltered
    for name, value in (
        ("memory_id", busy.history()[8]["memory_id"]),
        ("operation", "modified"),
        ("created_at[gte]", "2020-01-01T00:00:00Z"),
        ("created_at[lte]", "2999-01-01T00:00:00Z"),
        ("api_key_id", busy.api.key_id),
    ):
        filters = {name: value}
        with subtests.test(name):
            filtered = ok(busy.list_versions(limit=1, **filters))["next_page"]
            assert filtered
            refused(busy.list_versions(page=unfiltered, **filters), INVALID, "page")
            refused(busy.list_versions(page=filtered), INVALID, "page")
            refused(busy.list_versions(page=filtered, **(filters | {"operation": "deleted"})), INVALID, "page")
            assert ok(busy.list_versions(page=filtered, limit=2, **filters))["data"]


def test_a_cursor_is_bound_to_its_store(busy: StoreClient, make_store: Callable[..., Json]) -> None:
    """Case 34 for versions."""
    other = StoreClient(busy.api, make_store()["id"])
    for number in range(3):
        other.created(f"/{number}")
    refused(other.list_versions(page=ok(busy.list_versions(limit=1))["next_page"]), INVALID, "page")


def test_a_walk_meets_each_version_exactly_once_while_others_write(busy: StoreClient) -> None:
    """New versions are newer than the cursor, so the walk sees none of them, and misses none of the old."""
    before = ids(busy.history())
    survivor = busy.history()[0]["memory_id"]
    seen: list[str] = []
    for number, page in enumerate(pages(busy.api, busy.versions_url, limit=3)):
        seen += ids(page["data"])
        ok(busy.update(survivor, {"content": f"page {number}"}))
        ok(busy.delete(busy.created(f"/new{number}")["id"]))
    assert seen == before
