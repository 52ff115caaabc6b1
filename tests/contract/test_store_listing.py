"""The list of stores: newest first, filters, pages, cursors."""

from datetime import datetime, timedelta, timezone
from urllib.parse import quote

import pytest

from tests.contract.conftest import STORES, MakeKey
from tests.contract.steps import INVALID, Json, pages, refused
from tests.support.client import Client, ok


@pytest.fixture
def seven(api: Client) -> list[Json]:
    """Seven stores, newest first."""
    return [ok(api.post(STORES, {"name": f"{i}"})) for i in range(7)][::-1]


def test_an_empty_list(api: Client) -> None:
    assert ok(api.get(STORES)) == {"data": [], "next_page": None}


def test_newest_first_with_all_fields(api: Client, seven: list[Json]) -> None:
    assert ok(api.get(STORES)) == {"data": seven, "next_page": None}


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 8, 100])
def test_a_walk_shows_each_once_whatever_the_limit(api: Client, seven: list[Json], limit: int) -> None:
    walked = list(pages(api, STORES, limit=limit))
    assert [item for page in walked for item in page["data"]] == seven
    assert [len(page["data"]) for page in walked[:-1]] == [limit] * (len(walked) - 1)
    assert 0 < len(walked[-1]["data"]) <= limit


def test_the_default_limit_is_20_and_a_full_page_has_no_ghost_after_it(api: Client) -> None:
    """Case 33."""
    stores = [ok(api.post(STORES, {"name": f"{i}"})) for i in range(20)][::-1]
    assert ok(api.get(STORES)) == {"data": stores, "next_page": None}
    newest = ok(api.post(STORES, {"name": "one more"}))
    first = ok(api.get(STORES))
    assert first["data"] == [newest, *stores[:19]]
    assert ok(api.get(STORES, {"page": first["next_page"]})) == {"data": [stores[19]], "next_page": None}


@pytest.mark.parametrize(
    "limit", ["0", "101", "-1", "1.0", "1e1", "+5", "%2B5", "0x5", "", "%20", "5%20", "five", "%D9%A5", "9" * 30]
)
def test_a_limit_that_is_no_plain_integer_in_range_is_refused(api: Client, limit: str) -> None:
    refused(api.get(STORES, f"limit={limit}"), INVALID, "limit")


def test_archived_stores_are_left_out_unless_asked_for(api: Client, seven: list[Json]) -> None:
    archived = ok(api.post(f"{STORES}/{seven[2]['id']}/archive"))
    living = [store for store in seven if store["id"] != archived["id"]]
    assert api.walk(STORES, {"limit": 2}) == living
    assert api.walk(STORES, {"limit": 2, "include_archived": "false"}) == living
    everything = api.walk(STORES, {"limit": 2, "include_archived": "true"})
    assert everything == [*seven[:2], archived, *seven[3:]], "in the order of creation, not of archiving"


def test_pages_are_full_although_archived_stores_lie_between(api: Client, seven: list[Json]) -> None:
    for store in seven[:4]:
        ok(api.post(f"{STORES}/{store['id']}/archive"))
    assert ok(api.get(STORES, {"limit": 3})) == {"data": seven[4:], "next_page": None}


def test_include_archived_is_true_or_false(api: Client) -> None:
    refused(api.get(STORES, "include_archived=maybe"), INVALID, "include_archived")


def test_created_at_bounds_are_inclusive(api: Client, seven: list[Json]) -> None:
    middle = seven[3]["created_at"]
    since = [store for store in seven if store["created_at"] >= middle]
    until = [store for store in seven if store["created_at"] <= middle]
    assert api.walk(STORES, {"created_at[gte]": middle}) == since
    assert api.walk(STORES, {"created_at[lte]": middle}) == until
    assert api.walk(STORES, {"created_at[lte]": middle, "limit": 1}) == until
    both = [store for store in seven if store["created_at"] == middle]
    assert api.walk(STORES, {"created_at[gte]": middle, "created_at[lte]": middle}) == both
    assert seven[3] in both


def test_created_at_bounds_a_millisecond_off_leave_the_store_out(api: Client, store: Json) -> None:
    instant = datetime.fromisoformat(store["created_at"])
    later, earlier = instant + timedelta(milliseconds=1), instant - timedelta(milliseconds=1)
    assert api.walk(STORES, {"created_at[gte]": later.isoformat()}) == []
    assert api.walk(STORES, {"created_at[lte]": earlier.isoformat()}) == []
    assert api.walk(STORES, {"created_at[gte]": earlier.isoformat(), "created_at[lte]": later.isoformat()}) == [store]


def test_any_offset_names_the_right_instant(api: Client, store: Json) -> None:
    """Case 36: encoded, an offset counts; raw, its `+` became a space and must not be read as UTC."""
    instant = datetime.fromisoformat(store["created_at"])
    for hours in (2, -7):
        local = instant.astimezone(timezone(timedelta(hours=hours))).isoformat(timespec="milliseconds")
        assert api.walk(STORES, {"created_at[gte]": local, "created_at[lte]": local}) == [store]
    plus = instant.astimezone(timezone(timedelta(hours=2))).isoformat(timespec="milliseconds")
    assert "+" in plus
    assert ok(api.get(STORES, f"created_at%5Bgte%5D={quote(plus)}"))["data"] == [store]
    refused(api.get(STORES, f"created_at%5Bgte%5D={plus}"), INVALID, "created_at")


@pytest.mark.parametrize("bound", ["gte", "lte"])
@pytest.mark.parametrize(
    "time",
    [
        "2026-01-01T00:00:00",
        "2026-01-01",
        "yesterday",
        "1767225600",
        "",
        "2026-13-01T00:00:00Z",
        "2026-01-01T25:00:00Z",
    ],
)
def test_a_time_that_is_none_or_has_no_offset_is_refused(api: Client, bound: str, time: str) -> None:
    refused(api.get(STORES, {f"created_at[{bound}]": time}), INVALID, "created_at")


def test_unknown_query_keys_are_ignored(api: Client, seven: list[Json]) -> None:
    assert ok(api.get(STORES, "beta=true&order=asc&order_by=name&x=y&x=z"))["data"] == seven


def test_a_walk_shows_each_once_whatever_else_is_created_and_deleted(api: Client, seven: list[Json]) -> None:
    first = ok(api.get(STORES, {"limit": 3}))
    ok(api.post(STORES, {"name": "new"}))
    ok(api.delete(f"{STORES}/{seven[2]['id']}"))
    ok(api.delete(f"{STORES}/{seven[5]['id']}"))
    rest = api.walk(STORES, {"limit": 3, "page": first["next_page"]})
    assert first["data"] + rest == [store for store in seven if store is not seven[5]]


def test_a_walk_goes_on_although_all_that_was_ahead_is_gone(api: Client, seven: list[Json]) -> None:
    first = ok(api.get(STORES, {"limit": 3}))
    for store in seven[3:]:
        ok(api.delete(f"{STORES}/{store['id']}"))
    assert api.walk(STORES, {"limit": 3, "page": first["next_page"]}) == []


def test_cursors_that_are_forged_damaged_or_carried_elsewhere_are_refused(api: Client, seven: list[Json]) -> None:
    cursor = ok(api.get(STORES, {"limit": 3}))["next_page"]
    half = len(cursor) // 2
    flipped = cursor[:half] + ("A" if cursor[half] != "A" else "B") + cursor[half + 1 :]
    for forged in (
        "x",
        cursor[:-2],
        cursor + "x",
        flipped,
        cursor[::-1],
        "e30",
        "e30=",
        "%00",
        "\U0001f600",
        "x" * 5000,
    ):
        refused(api.get(STORES, {"limit": 3, "page": forged}), INVALID, "page")
    elsewhere = [
        (STORES, {"include_archived": "true"}),
        (STORES, {"created_at[gte]": seven[-1]["created_at"]}),
        (f"{STORES}/{seven[0]['id']}/memories", {}),
        (f"{STORES}/{seven[0]['id']}/memory_versions", {}),
        ("/v1/api_keys", {}),
    ]
    for path, filters in elsewhere:
        refused(api.get(path, {**filters, "page": cursor}), INVALID, "page")


def test_a_cursor_goes_with_any_limit(api: Client, seven: list[Json]) -> None:
    cursor = ok(api.get(STORES, {"limit": 3}))["next_page"]
    assert ok(api.get(STORES, {"limit": 50, "page": cursor})) == {"data": seven[3:], "next_page": None}


def test_a_cursor_shows_no_other_workspaces_stores(api: Client, other_api: Client, seven: list[Json]) -> None:
    cursor = ok(api.get(STORES, {"limit": 3}))["next_page"]
    answer = other_api.get(STORES, {"limit": 3, "page": cursor})
    if answer.status == 200:
        assert answer.json["data"] == []
    else:
        refused(answer, INVALID, "page")


def test_a_scoped_key_sees_its_stores_page_by_page(api: Client, make_key: MakeKey, seven: list[Json]) -> None:
    own = [seven[1], seven[4], seven[6]]
    scoped = make_key("read_only", [store["id"] for store in own])
    assert scoped.walk(STORES, {"limit": 1}) == own
    assert ok(scoped.get(STORES, {"limit": 3})) == {"data": own, "next_page": None}
