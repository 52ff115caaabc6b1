"""Query strings: times, limits, keys that come twice, and what is hardly a query string at all."""

from datetime import datetime, timedelta, timezone
from urllib.parse import quote

import pytest

from tests.contract.steps import INVALID, Json, StoreClient, refused, sha256
from tests.support.client import Client, ok


@pytest.fixture
def notes(api: Client, store: Json) -> StoreClient:
    return StoreClient(api, store["id"])


@pytest.mark.parametrize(
    "time",
    [
        "",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00:00+02:00",
        "2026-01-01T00:00:00.000+00:00",
        "2026-01-01T00:00:00%2B02",
        "2026-01-01T00:00:00%2B25:00",
        "2026-01-01T00:00:00UTC",
        "2026-01-01T00:00:00ZZ",
        "2026-01-01T00:00:00Z%00",
        "2026-01-01T00:00:00Z%0A",
        "2026-01-01T00:00Z%20",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-01-01T25:00:00Z",
        "2026-01-01T00:61:00Z",
        "1767225600",
        "yesterday",
        quote("٢٠٢٦-01-01T00:00:00Z"),
    ],
)
def test_a_time_without_an_offset_or_that_is_none_is_refused(notes: StoreClient, time: str) -> None:
    """Case 36: a raw plus arrives as a space, and is not read as UTC."""
    for bound in ("created_at%5Bgte%5D", "created_at%5Blte%5D", "created_at[gte]"):
        refused(notes.api.get(notes.versions_url, query=f"{bound}={time}"), INVALID, "created_at")


@pytest.mark.parametrize("offset", ["+02:00", "-07:30", "+00:00", "+14:00", "Z"])
@pytest.mark.parametrize("brackets", ["created_at%5B{}%5D", "created_at[{}]"])
def test_a_time_means_the_same_instant_in_every_offset(notes: StoreClient, offset: str, brackets: str) -> None:
    """Case 36, encoded."""
    memory = notes.created("/a", "one")
    ok(notes.update(memory["id"], {"content": "two"}))
    [newest, oldest] = notes.history()
    instant = datetime.fromisoformat(oldest["created_at"])
    sign = -1 if offset[0] == "-" else 1
    hours, minutes = (int(offset[1:3]), int(offset[4:])) if offset != "Z" else (0, 0)
    local = instant.astimezone(timezone(sign * timedelta(hours=hours, minutes=minutes))).replace(tzinfo=None)

    def found(bound: str, moment: datetime) -> list[str]:
        text = quote(moment.isoformat(timespec="milliseconds") + offset, safe="")
        answer = notes.api.get(notes.versions_url, query=f"{brackets.format(bound)}={text}")
        return [version["id"] for version in ok(answer)["data"]]

    millisecond = timedelta(milliseconds=1)
    assert found("gte", local) == [newest["id"], oldest["id"]]
    assert found("lte", local)[-1:] == [oldest["id"]]
    assert oldest["id"] not in found("gte", local + millisecond)
    assert found("lte", local - millisecond) == []


@pytest.mark.parametrize(
    "time",
    ["0001-01-01T00:00:00%2B23:59", "9999-12-31T23:59:59.999999-23:59", "0000-01-01T00:00:00Z", "1969-01-01T00:00:00Z"],
)
def test_a_time_at_the_end_of_time_is_no_failure(notes: StoreClient, time: str) -> None:
    for path in (notes.versions_url, "/v1/memory_stores"):
        for bound in ("gte", "lte"):
            answer = notes.api.get(path, query=f"created_at%5B{bound}%5D={time}")
            if answer.status != 200:
                refused(answer, INVALID, "created_at")


LISTS = ["/v1/memory_stores/{store}/memories", "/v1/memory_stores/{store}/memory_versions", "/v1/api_keys"]


@pytest.mark.parametrize(
    "limit",
    [
        *("", "0", "101", "-1", "1.0", "1e1", "0x10", "1_0", "five", "null", "NaN", "1%2C2", "9" * 5_000),
        *("%2B5", "+5", "5%20", "%00", "%D9%A3", "%EF%BC%95"),
    ],
    ids=lambda limit: limit[:10],
)
def test_a_limit_that_is_no_plain_integer_in_range_is_refused(notes: StoreClient, limit: str) -> None:
    for path in LISTS:
        refused(notes.api.get(path.format(store=notes.id), query=f"limit={limit}"), INVALID, "limit")


@pytest.mark.parametrize("query", ["limit=%FF", "page=%FF", "limit=1&page=%C3%28"])
def test_a_value_that_is_not_utf8_is_refused(notes: StoreClient, query: str) -> None:
    for path in LISTS:
        refused(notes.api.get(path.format(store=notes.id), query=query), INVALID)


@pytest.mark.parametrize("limit", ["1", "100"])
def test_the_ends_of_the_range_of_limit_are_in_it(notes: StoreClient, limit: str) -> None:
    notes.created("/a")
    for path in LISTS:
        assert ok(notes.api.get(path.format(store=notes.id), query=f"limit={limit}"))["data"]


@pytest.mark.parametrize(
    ("path", "query", "key"),
    [
        ("memories", "limit=1&limit=2", "limit"),
        ("memories", "limit=5&limit=5", "limit"),
        ("memories", "depth=0&depth=1", "depth"),
        ("memories", "view=basic&view=full", "view"),
        ("memories", "path_prefix=/a/&path_prefix=/b/", "path_prefix"),
        ("memory_versions", "operation=created&operation=deleted", "operation"),
        ("memory_versions", "limit=1&limit=1", "limit"),
        (
            "memory_versions",
            "created_at%5Bgte%5D=2026-01-01T00:00:00Z&created_at%5Bgte%5D=2027-01-01T00:00:00Z",
            "created_at",
        ),
    ],
)
def test_a_repeated_key_is_refused_not_chosen_from(notes: StoreClient, path: str, query: str, key: str) -> None:
    refused(notes.api.get(f"{notes.url}/{path}", query=query), INVALID, key)


def test_a_repeated_guard_never_deletes(notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    guard = f"expected_content_sha256={sha256('one')}"
    answer = notes.api.delete(f"{notes.memories_url}/{memory['id']}", query=f"{guard}&{guard}")
    refused(answer, INVALID, "expected_content_sha256")
    assert notes.paths() == ["/a"]


@pytest.mark.parametrize("query", ["&&&", "=", "%", "%=%", "a", "%FF=1", "limit", "x=%F0%9F", "?", "é=é", "a=b;c=d"])
def test_an_odd_query_string_is_no_failure(notes: StoreClient, query: str) -> None:
    for path in (notes.memories_url, notes.versions_url, "/v1/memory_stores", "/v1/api_keys"):
        answer = notes.api.get(path, query=quote(query, safe="&=%;?"))
        if answer.status != 200:
            refused(answer, INVALID)
