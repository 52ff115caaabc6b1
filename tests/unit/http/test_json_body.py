"""Strict JSON."""

import pytest
from memory_stores.domain.errors import InvalidRequest
from memory_stores.http.json_body import UNUSABLE, parse_object


def test_an_object_is_parsed() -> None:
    assert parse_object('{"a": {"b": ["é", 1, 2.5, true, null]}}'.encode()) == {"a": {"b": ["é", 1, 2.5, True, None]}}


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 5000])
def test_a_number_that_json_does_not_have_or_nothing_can_hold_is_unusable(number: str) -> None:
    assert parse_object(f'{{"a": {number}}}'.encode()) == {"a": UNUSABLE}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b'{"a": 1, "a": 1}', "a: is given twice"),
        (b'{"x": {"b": 1, "b": 2}}', "b: is given twice"),
        (b"[]", "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (b'"a"', "must be a JSON object"),
        (b"{} {}", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"", "not valid JSON"),
        (b"\xef\xbb\xbf{}", "not valid JSON"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a":' * 200_000, "nested too deeply"),
    ],
)
def test_what_is_refused(body: bytes, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says):
        parse_object(body)
