"""How many texts fit into one answer: Lambda takes 6,291,556 bytes, and escapes the body once more."""

import json

import pytest
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


@pytest.mark.parametrize("kind", TEXTS)
def test_what_is_let_through_fits_with_room_for_the_other_fields(kind: str) -> None:
    contents = [TEXTS[kind]] * 20
    count = within_budget(contents)
    envelope = json.dumps({"body": json.dumps({"data": contents[:count]})})
    assert 1 <= count <= 20
    assert len(envelope) < LAMBDA_LIMIT - 500_000


def test_a_page_is_not_cut_without_need() -> None:
    assert within_budget([TEXTS["ascii"]] * 20) == 20
    assert within_budget([None, "x", None]) == 3
    assert within_budget([]) == 0


def test_one_text_always_passes() -> None:
    assert within_budget(["\u0001" * 1_000_000, "x"]) == 1
