"""How many items fit into one answer: Lambda takes 6,291,556 bytes, and escapes the body once more."""

import json

import pytest
from memory_stores.dialects.claude import render
from memory_stores.domain.models import Directory, Memory, Store
from memory_stores.operations.paging import within_budget

LAMBDA_LIMIT = 6_291_556
TEXTS = {
    "ascii": "a" * 102_400,
    "control": "\u0001" * 102_400,
    "quotes": '"' * 102_400,
    "backslashes": "\\" * 102_400,
    "accents": "é" * 51_200,
    "emoji": "🙂" * 25_600,
    "newlines": "\n" * 102_400,
}


def memory(content: str, path: str = "/a") -> Memory:
    return Memory(
        "mem_" + "0" * 32, "memstore_" + "0" * 32, "memver_" + "0" * 32, path, "0" * 64, 1, {}, 1, 1, 1, content
    )


def envelope(items: list[dict[str, object]]) -> int:
    """The bytes of the answer as Lambda hands it on, with everything escaped that can be."""
    return len(json.dumps({"body": json.dumps({"data": items})}))


@pytest.mark.parametrize("kind", TEXTS)
def test_memories_that_are_let_through_fit_with_room_to_spare(kind: str) -> None:
    memories = [memory(TEXTS[kind], path="/" + "\u0101" * 511)] * 20
    count = within_budget(memories)
    assert 1 <= count <= 20
    assert envelope([render.memory(value, full=True) for value in memories[:count]]) < LAMBDA_LIMIT - 500_000


def test_the_longest_stores_fit() -> None:
    pairs = {f"{number:02d}" + "\u0001" * 62: "\u0001" * 512 for number in range(16)}
    stores = [Store("memstore_" + "0" * 32, "n" * 255, "\u0001" * 1024, pairs, 1, 1, None, 1)] * 100
    count = within_budget(stores)
    assert 1 < count < 100
    assert envelope([render.store(value) for value in stores[:count]]) < LAMBDA_LIMIT - 500_000


def test_a_page_is_not_cut_without_need() -> None:
    assert within_budget([memory(TEXTS["ascii"])] * 20) == 20
    assert within_budget([Directory("/x/"), memory("x")] * 50) == 100
    assert within_budget([]) == 0


def test_one_item_always_passes() -> None:
    assert within_budget([memory("\u0001" * 1_000_000), memory("x")]) == 1
