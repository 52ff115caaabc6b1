"""Ids sort by time, and after their predecessor whatever the clock does."""

import re
import time

import pytest
from memory_stores.domain import ids

FROZEN = 1_790_000_000_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The millisecond that the clock shows, to be set by the test."""
    shown = [FROZEN]
    monkeypatch.setattr(time, "time_ns", lambda: shown[0] * 1_000_000)
    return shown


def test_an_id_is_a_prefix_and_a_version_7_uuid() -> None:
    assert re.fullmatch(r"mem_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}", ids.new(ids.MEMORY))


def test_the_time_is_in_the_id(clock: list[int]) -> None:
    assert ids.time_of(ids.new(ids.VERSION)) == FROZEN


def test_a_thousand_versions_in_one_millisecond_and_with_the_clock_set_back_keep_their_order(clock: list[int]) -> None:
    history = [ids.new(ids.VERSION)]
    for count in range(1000):
        clock[0] = FROZEN if count < 500 else FROZEN - 5000
        history.append(ids.new_after(ids.VERSION, history[-1]))
    assert history == sorted(set(history))


def test_after_the_last_id_of_a_millisecond_comes_one_of_the_next(clock: list[int]) -> None:
    last = f"memver_{FROZEN:012x}7fff" + "bfffffffffffffff"
    following = ids.new_after(ids.VERSION, last)
    assert following > last
    assert ids.time_of(following) == FROZEN + 1
    assert re.fullmatch(r"memver_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}", following)


def test_the_bounds_of_a_millisecond_enclose_its_ids_and_no_others(clock: list[int]) -> None:
    inside = ids.new(ids.VERSION)
    clock[0] = FROZEN + 1
    outside = ids.new(ids.VERSION)
    first, behind = ids.lowest(ids.VERSION, FROZEN), ids.lowest(ids.VERSION, FROZEN + 1)
    assert first < inside < behind < outside


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mem_",
        "mem_" + "0" * 31,
        "mem_" + "0" * 33,
        "mem_" + "A" * 32,
        "memver_" + "0" * 32,
        "mem_" + "0" * 32 + "\n",
    ],
)
def test_what_is_no_id_of_a_memory(text: str) -> None:
    assert not ids.is_id(ids.MEMORY, text)
