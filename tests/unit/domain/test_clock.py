"""RFC 3339 times: what they mean, and which are refused."""

import pytest
from memory_stores.domain import clock
from memory_stores.domain.errors import InvalidRequest


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_790_000_000_007, "2026-09-21T14:13:20.007Z"),
        (clock.LAST, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_the_text_of_a_time(milliseconds: int, text: str) -> None:
    assert clock.to_text(milliseconds) == text


@pytest.mark.parametrize(
    "text",
    [
        "2026-09-21T14:13:20Z",
        "2026-09-21t14:13:20z",
        "2026-09-21T14:13:20.000000000Z",
        "2026-09-21T16:13:20+02:00",
        "2026-09-21T09:43:20-04:30",
    ],
)
def test_one_instant_in_many_spellings(text: str) -> None:
    assert clock.parse_nanoseconds(text, "at") == 1_790_000_000_000_000_000


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-09-21",
        "2026-09-21T14:13:20",
        "2026-09-21T14:13:20 02:00",
        "2026-09-21 14:13:20Z",
        "2026-02-30T00:00:00Z",
        "2026-09-21T24:00:00Z",
        "2026-09-21T14:13:20+24:00",
        "2026-09-21T14:13:20+02:60",
        "2026-09-21T14:13:20.Z",
        "2026-09-21T14:13:20Z\n",
        "２026-09-21T14:13:20Z",
        "1790000000",
    ],
)
def test_what_is_no_time_with_an_offset_is_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidRequest, match="created_at"):
        clock.parse_nanoseconds(text, "created_at")


def test_a_period_holds_whole_milliseconds_that_lie_within_its_bounds() -> None:
    period = clock.period("created_at", gte="1970-01-01T00:00:00.0011Z", lte="1970-01-01T00:00:00.0029Z")
    assert (period.first, period.last) == (2, 2)
    assert not period.is_empty


def test_bounds_may_be_exclusive() -> None:
    period = clock.period("created_at", gt="1970-01-01T00:00:00.002Z", lt="1970-01-01T00:00:00.005Z")
    assert (period.first, period.last) == (3, 4)
    period = clock.period("created_at", gt="1970-01-01T00:00:00.0021Z", lt="1970-01-01T00:00:00.0049Z")
    assert (period.first, period.last) == (3, 4)


def test_a_period_whose_end_comes_first_is_empty() -> None:
    assert clock.period("created_at", gte="1970-01-01T00:00:00.002Z", lte="1970-01-01T00:00:00.001Z").is_empty


def test_bounds_outside_of_all_time_are_no_error() -> None:
    period = clock.period("created_at", gte="0001-01-01T00:00:00+23:59", lte="9999-12-31T23:59:59-23:59")
    assert (period.first, period.last) == (0, clock.LAST)
