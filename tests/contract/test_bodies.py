"""Bodies that are not the JSON object a post asks for, whatever way they miss it."""

import base64
import json
from collections.abc import Callable, Mapping

import pytest

from tests.contract.place import BARE_POSTS, POSTS, Place, with_raw
from tests.contract.steps import INVALID, TOO_LARGE, Json, StoreClient, refused, sha256
from tests.support.client import Client, ok
from tests.support.moto_backend import MotoBackend

MAX_BYTES = 102_400


@pytest.fixture
def place(api: Client, store: Json) -> Place:
    return Place(api, store["id"])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("  ", id="spaces"),
        pytest.param("[]", id="array"),
        pytest.param('"text"', id="string"),
        pytest.param("1", id="number"),
        pytest.param("null", id="null"),
        pytest.param("true", id="true"),
        pytest.param("NaN", id="NaN"),
        pytest.param("{", id="unclosed"),
        pytest.param("{'name': 'x'}", id="single quotes"),
        pytest.param("name=x&path=/a", id="form"),
        pytest.param("[" * 100_000, id="open arrays"),
        pytest.param('{"name":' * 100_000, id="open objects"),
        pytest.param("[" * 100_000 + "]" * 100_000, id="nested arrays"),
        pytest.param("9" * 5_000, id="a number of 5,000 digits"),
    ],
)
def test_what_is_no_json_object_is_refused(place: Place, text: str) -> None:
    for path, _ in POSTS.values():
        place.refuses(path, text)
    place.assert_untouched()


@pytest.mark.parametrize("tail", [" x", "{}", ",", "]", "}", "\u0000", " null"], ids=repr)
def test_text_behind_the_object_is_refused(place: Place, tail: str) -> None:
    for path, body in POSTS.values():
        place.refuses(path, json.dumps(body) + tail)
    place.assert_untouched()


@pytest.mark.parametrize("post", POSTS)
def test_duplicate_keys_are_refused(place: Place, post: str) -> None:
    """Case 28, whether the values differ or not, and however the key is spelled."""
    path, body = POSTS[post]
    field, value = next(iter(body.items()))
    escaped = f"\\u{ord(field[0]):04x}{field[1:]}"
    for key, again in ((field, "/b"), (field, value), (escaped, "/b")):
        place.refuses(path, json.dumps(body)[:-1] + f', "{key}": {json.dumps(again)}}}', field)
    place.assert_untouched()


@pytest.mark.parametrize(
    ("post", "field", "raw", "key"),
    [
        ("create store", "metadata", '{"twin": "a", "twin": "b"}', "twin"),
        ("update store", "metadata", '{"twin": "a", "twin": null}', "twin"),
        ("update memory", "precondition", '{"type": "x", "type": "content_sha256", "content_sha256": "0"}', "type"),
    ],
)
def test_duplicate_keys_are_refused_in_depth(place: Place, post: str, field: str, raw: str, key: str) -> None:
    """Case 28."""
    path, body = POSTS[post]
    place.refuses(path, with_raw(body, field, raw), key)
    place.assert_untouched()


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("NaN", id="NaN"),
        pytest.param("Infinity", id="Infinity"),
        pytest.param("-Infinity", id="-Infinity"),
        pytest.param("1e999", id="1e999"),
        pytest.param("-1e999", id="-1e999"),
        pytest.param("1" * 5_000, id="5,000 digits"),
        pytest.param("[" * 500 + "]" * 500, id="500 arrays"),
        pytest.param('{"a":' * 500 + "1" + "}" * 500, id="500 objects"),
        pytest.param('"\\ud800"', id="lone high surrogate"),
        pytest.param('"x\\udc00"', id="lone low surrogate"),
        pytest.param('"\\udc00\\ud800"', id="surrogates the wrong way round"),
    ],
)
def test_a_value_that_no_field_can_have_is_refused(place: Place, raw: str) -> None:
    for path, body in POSTS.values():
        for field in body:
            place.refuses(path, with_raw(body, field, raw), field)
    place.assert_untouched()


@pytest.mark.parametrize(
    "raw", ["1e999", "NaN", "1" * 5_000, '"\\ud800"', "[" * 500 + "]" * 500], ids=lambda raw: raw[:8]
)
@pytest.mark.parametrize(("post", "field"), [("create store", "metadata"), ("update store", "metadata")])
def test_a_value_that_no_metadata_can_have_is_refused(place: Place, post: str, field: str, raw: str) -> None:
    path, body = POSTS[post]
    place.refuses(path, with_raw(body, field, f'{{"k": {raw}}}'), field)
    place.refuses(path, with_raw(body, field, '{"\\ud800": "v"}'), field)
    place.assert_untouched()


@pytest.mark.parametrize("raw", ['"a\nb"', '"a\\x41"', '"\\u12"', "01", "+1", "'a'", "undefined", '"a'], ids=repr)
def test_a_value_that_is_no_json_is_refused(place: Place, raw: str) -> None:
    for path, body in POSTS.values():
        place.refuses(path, with_raw(body, next(iter(body)), raw))
    place.assert_untouched()


def test_a_bomb_within_a_field_is_refused(place: Place) -> None:
    for path, body in POSTS.values():
        place.refuses(path, with_raw(body, next(iter(body)), "[" * 100_000 + "]" * 100_000))
        place.refuses(path, with_raw(body, next(iter(body)), '{"a":' * 50_000 + "1" + "}" * 50_000))
    place.assert_untouched()


def test_a_lone_surrogate_in_a_key_is_refused(place: Place) -> None:
    for path, body in POSTS.values():
        place.refuses(path, json.dumps(body)[:-1] + ', "\\ud800": 1}')
    place.assert_untouched()


def test_a_surrogate_pair_is_one_character(place: Place) -> None:
    memory = ok(place.post(POSTS["create memory"][0], '{"path": "/p", "content": "\\ud83d\\ude00"}'))
    assert (memory["content_sha256"], memory["content_size_bytes"]) == (sha256("\U0001f600"), 4)


# --- posts without arguments ---


@pytest.mark.parametrize("post", BARE_POSTS)
@pytest.mark.parametrize("text", [None, "", "{}", " {} \n"], ids=repr)
def test_a_post_without_arguments_takes_nothing_or_an_empty_object(place: Place, post: str, text: str | None) -> None:
    ok(place.post(BARE_POSTS[post], text))
    assert place.everything() != place.before


@pytest.mark.parametrize("post", BARE_POSTS)
def test_a_post_without_arguments_refuses_anything_else(place: Place, post: str) -> None:
    for text in ("[]", "null", '"x"', "0", "false", "{", "{} {}", b"\xff", "[" * 100_000):
        place.refuses(BARE_POSTS[post], text)
    for text in ('{"colour": 1}', '{"colour": null}'):
        place.refuses(BARE_POSTS[post], text, "colour")
    place.assert_untouched()


# --- encodings, content types, size ---


def test_a_body_that_is_not_utf8_is_refused(place: Place) -> None:
    """Case 27."""
    for path, body in POSTS.values():
        text = json.dumps(body)
        for data in (text.encode()[:-2] + b'\xff"}', text.encode("utf-16"), text.encode("utf-32")):
            place.refuses(path, data)
    place.assert_untouched()


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "text/json", "json"]
)
def test_another_content_type_is_refused(place: Place, content_type: str) -> None:
    for path, body in POSTS.values():
        place.refuses(path, json.dumps(body), content_type=content_type)
    place.assert_untouched()


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON"]
)
def test_the_content_type_may_be_spelled_freely(place: Place, content_type: str) -> None:
    for path, body in POSTS.values():
        ok(place.post(path, json.dumps(body), content_type=content_type))


def encoded(api: Client, moto: MotoBackend, encode: Callable[[bytes], str]) -> Client:
    """The same caller behind a gateway that hands bodies over in base64, as `encode` makes it."""

    def send(
        method: str, target: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, dict[str, str], bytes]:
        event = moto.key_door.event(method, target, headers, body)
        return moto.key_door.invoke(event | ({"body": encode(body), "isBase64Encoded": True} if body else {}))

    return Client(send, api.key)


@pytest.mark.moto_only
def test_a_base64_body_is_read_as_plain(place: Place, moto: MotoBackend) -> None:
    """Case 27."""
    api = encoded(place.api, moto, lambda body: base64.b64encode(body).decode())
    notes = StoreClient(api, place.notes.id)
    memory = notes.created("/é", "\ufeffa\u0000é\r\n")
    assert memory["content"] == "\ufeffa\u0000é\r\n"
    refused(api.request("POST", notes.memories_url, data=b'{"path": "/b", "content": "\xff"}'), INVALID)
    assert notes.paths() == ["/a", "/é"]


@pytest.mark.moto_only
@pytest.mark.parametrize(
    "encode",
    [
        lambda body: base64.b64encode(body).decode().rstrip("=") + "A",
        lambda body: base64.b64encode(body).decode() + "!",
        lambda body: "!" + base64.b64encode(body).decode(),
        lambda body: "%%%%",
        lambda body: "é",
        lambda body: body.decode(),
    ],
    ids=["bad padding", "tail", "head", "none", "not ASCII", "plain"],
)
def test_broken_base64_is_refused(place: Place, moto: MotoBackend, encode: Callable[[bytes], str]) -> None:
    """Case 27. The body is three bytes longer than a multiple, so that its padding is there to be broken."""
    api = encoded(place.api, moto, encode)
    for path, body in POSTS.values():
        refused(api.request("POST", place.url(path), data=json.dumps(body).ljust(301)), INVALID)
    place.assert_untouched()


def test_the_largest_legal_body_is_accepted(place: Place) -> None:
    """Every byte of the content escaped: 614 KB of JSON for 102,400 bytes."""
    text = '{"path": "/large", "content": "' + "\\u0061" * MAX_BYTES + '"}'
    assert ok(place.post(POSTS["create memory"][0], text))["content_sha256"] == sha256("a" * MAX_BYTES)


def test_a_body_larger_than_any_legal_one_is_too_large(place: Place) -> None:
    for path, body in POSTS.values():
        refused(place.post(path, json.dumps(body | {next(iter(body)): "x" * 5_000_000})), TOO_LARGE)
    place.assert_untouched()
