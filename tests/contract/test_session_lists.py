"""The list of sessions: newest first, filters in any mix, pages, cursors."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from tests.contract.agents import SESSIONS, Binder, MakeSession, SessionClient, mount
from tests.contract.conftest import STORES
from tests.contract.steps import INVALID, Json, pages, refused
from tests.support.client import Client, ok


@pytest.fixture
def seven(make_session: MakeSession) -> list[Json]:
    """Seven sessions, newest first."""
    return [make_session(title=f"{number}") for number in range(7)][::-1]


def test_an_empty_list(api: Client) -> None:
    assert ok(api.get(SESSIONS)) == {"data": [], "next_page": None}


def test_newest_first_with_all_fields(api: Client, store: Json, make_session: MakeSession) -> None:
    sessions = [make_session(mount(store["id"], "read_only")), make_session(title="two", metadata={"k": "v"})]
    assert ok(api.get(SESSIONS)) == {"data": sessions[::-1], "next_page": None}


@pytest.mark.parametrize("limit", [1, 3, 7, 100])
def test_a_walk_shows_each_once_whatever_the_limit(api: Client, seven: list[Json], limit: int) -> None:
    walked = list(pages(api, SESSIONS, limit=limit))
    assert [session for page in walked for session in page["data"]] == seven
    assert [len(page["data"]) for page in walked[:-1]] == [limit] * (len(walked) - 1)
    assert 0 < len(walked[-1]["data"]) <= limit, "no ghost page"


def test_the_default_limit_is_20(api: Client, make_session: MakeSession) -> None:
    ids = [make_session()["id"] for _ in range(21)]
    first = ok(api.get(SESSIONS))
    assert [session["id"] for session in first["data"]] == ids[:0:-1]
    last = ok(api.get(SESSIONS, {"page": first["next_page"]}))
    assert ([session["id"] for session in last["data"]], last["next_page"]) == (ids[:1], None)


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "limit="])
def test_a_limit_out_of_range_is_refused(api: Client, query: str) -> None:
    refused(api.get(SESSIONS, query), INVALID, "limit")


def test_archived_sessions_are_left_out_unless_asked_for(api: Client, seven: list[Json]) -> None:
    archived = ok(SessionClient(api, seven[2]["id"]).archive())
    living = [session for session in seven if session["id"] != archived["id"]]
    assert api.walk(SESSIONS, {"limit": 2}) == living
    assert api.walk(SESSIONS, {"include_archived": "false"}) == living
    assert api.walk(SESSIONS, {"limit": 2, "include_archived": "true"}) == [*seven[:2], archived, *seven[3:]]
    refused(api.get(SESSIONS, "include_archived=maybe"), INVALID, "include_archived")


def test_pages_are_full_although_archived_sessions_lie_between(api: Client, seven: list[Json]) -> None:
    for session in seven[:4]:
        ok(SessionClient(api, session["id"]).archive())
    assert ok(api.get(SESSIONS, {"limit": 3})) == {"data": seven[4:], "next_page": None}


def test_created_at_bounds_are_inclusive(api: Client, seven: list[Json]) -> None:
    middle = seven[3]["created_at"]
    since = [session for session in seven if session["created_at"] >= middle]
    until = [session for session in seven if session["created_at"] <= middle]
    assert api.walk(SESSIONS, {"created_at[gte]": middle, "limit": 2}) == since
    assert api.walk(SESSIONS, {"created_at[lte]": middle, "limit": 2}) == until
    later = datetime.fromisoformat(seven[0]["created_at"]) + timedelta(milliseconds=1)
    assert api.walk(SESSIONS, {"created_at[gte]": later.isoformat()}) == []


@pytest.mark.parametrize("bound", ["gte", "lte"])
@pytest.mark.parametrize("time", ["2026-01-01T00:00:00", "2026-01-01T00:00:00 02:00", "yesterday", ""])
def test_a_time_that_is_none_or_has_no_offset_is_refused(api: Client, bound: str, time: str) -> None:
    refused(api.get(SESSIONS, {f"created_at[{bound}]": time}), INVALID, "created_at")


def test_sessions_of_a_store(api: Client, make_store: Callable[..., Json], make_session: MakeSession) -> None:
    one, two, three = (make_store()["id"] for _ in range(3))
    first, _none, both, second = (
        make_session(*(mount(store_id, access) for store_id, access in stores))
        for stores in ([(one, "read_only")], [], [(two, None), (one, None)], [(two, "read_write")])
    )
    assert api.walk(SESSIONS, {"memory_store_id": one}) == [both, first]
    assert api.walk(SESSIONS, {"memory_store_id": two, "limit": 1}) == [second, both]
    assert api.walk(SESSIONS, {"memory_store_id": three}) == []


def test_a_store_that_is_no_more_still_finds_its_sessions(api: Client, store: Json, make_session: MakeSession) -> None:
    session = make_session(mount(store["id"]))
    ok(api.post(f"{STORES}/{store['id']}/archive"))
    [found] = api.walk(SESSIONS, {"memory_store_id": store["id"]})
    assert found["id"] == session["id"]
    ok(api.delete(f"{STORES}/{store['id']}"))
    assert [found["id"] for found in api.walk(SESSIONS, {"memory_store_id": store["id"]})] == [session["id"]]


@pytest.mark.parametrize("odd", ["x", "", "sesn_" + "0" * 32, "memstore_x"])
def test_a_text_that_is_no_store_is_refused_as_a_filter(api: Client, odd: str) -> None:
    refused(api.get(SESSIONS, {"memory_store_id": odd}), INVALID, "memory_store_id")


def test_filters_work_together(api: Client, store: Json, make_session: MakeSession) -> None:
    made = [make_session(*[mount(store["id"])] * (number % 2)) for number in range(6)]
    for number in (2, 3):
        made[number] = ok(SessionClient(api, made[number]["id"]).archive())
    query = {"memory_store_id": store["id"], "created_at[gte]": made[1]["created_at"], "limit": 1}
    assert api.walk(SESSIONS, query) == [made[5], made[1]]
    assert api.walk(SESSIONS, query | {"include_archived": "true"}) == [made[5], made[3], made[1]]
    until = {"created_at[lte]": made[4]["created_at"], "include_archived": "true"}
    expected = [made[number] for number in (3, 1)]
    found = api.walk(SESSIONS, query | until)
    assert [session for session in found if session != made[5]] == expected, "made[5] may be of the same millisecond"


def test_a_rare_match_comes_on_the_first_page(api: Client, store: Json, make_session: MakeSession) -> None:
    """Case 32: the limit counts what the filter lets through."""
    rare = make_session(mount(store["id"]))
    for _ in range(25):
        make_session()
    found = list(pages(api, SESSIONS, memory_store_id=store["id"], limit=1))
    assert [page["data"] for page in found] == [[rare]]


def test_a_cursor_is_for_its_own_list_and_filters(
    api: Client, other_api: Client, seven: list[Json], store: Json, make_session: MakeSession
) -> None:
    for _ in range(2):
        make_session(mount(store["id"]))
    filtered = {"memory_store_id": store["id"], "limit": 1}
    page = ok(api.get(SESSIONS, {"limit": 1}))["next_page"]
    filtered_page = ok(api.get(SESSIONS, filtered))["next_page"]
    ok(api.get(SESSIONS, {"limit": 2, "page": page}))
    for query in (
        filtered | {"page": page},
        {"limit": 1, "page": filtered_page},
        {"limit": 1, "page": page, "include_archived": "true"},
        {"limit": 1, "page": page, "created_at[gte]": "2020-01-01T00:00:00Z"},
        {"limit": 1, "page": page[:-2]},
        {"limit": 1, "page": "x"},
    ):
        refused(api.get(SESSIONS, query), INVALID, "page")
    refused(api.get(STORES, {"limit": 1, "page": page}), INVALID, "page")
    refused(other_api.get(SESSIONS, {"limit": 1, "page": page}), INVALID, "page")


def test_a_walk_goes_on_whatever_is_archived_or_deleted(api: Client, seven: list[Json]) -> None:
    first = ok(api.get(SESSIONS, {"limit": 3}))
    assert first["data"] == seven[:3]
    for session in (seven[2], seven[3]):
        ok(SessionClient(api, session["id"]).delete())
    ok(SessionClient(api, seven[4]["id"]).archive())
    rest = ok(api.get(SESSIONS, {"limit": 3, "page": first["next_page"]}))
    assert rest == {"data": seven[5:], "next_page": None}


def test_sessions_of_a_deployment_or_bot_show_its_stores_as_they_are_now(
    api: Client, store: Json, make_session: MakeSession, binder: Binder
) -> None:
    resource = binder.attached(store["id"])
    session = make_session(**binder.reference)
    assert ok(api.get(SESSIONS))["data"] == [session]
    assert session["resources"] == [resource]
    ok(binder.detach(store["id"]))
    assert ok(api.get(SESSIONS))["data"] == [session | {"resources": []}]


def test_sessions_of_a_deployment_or_bot_are_found_by_it(
    api: Client, store: Json, make_session: MakeSession, binder: Binder
) -> None:
    binder.attached(store["id"])
    same_name = Binder(api, "bots" if binder.kind == "deployments" else "deployments", binder.id)
    same_name.attached(store["id"])
    made = [make_session(**reference) for reference in (binder.reference, same_name.reference, {}, binder.reference)]
    assert api.walk(SESSIONS, {binder.field: binder.id, "limit": 1}) == [made[3], made[0]]
    assert api.walk(SESSIONS, {"memory_store_id": store["id"]}) == [made[3], made[1], made[0]]
    ok(binder.delete())
    assert [session["id"] for session in api.walk(SESSIONS, {binder.field: binder.id})] == [
        made[3]["id"],
        made[0]["id"],
    ]
    assert api.walk(SESSIONS, {"memory_store_id": store["id"]}) == [made[1]]
