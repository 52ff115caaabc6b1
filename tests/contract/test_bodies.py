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


NO_OBJECT = {
    "nothing": "",
    "spaces": "  ",
    "array": "[]",
    "string": '"text"',
    "number": "1",
    "null": "null",
    "true": "true",
    "NaN": "NaN",
    "unclosed": "{",
    "single quotes": "{'name': 'x'}",
    "form": "name=x&path=/a",
    "open arrays": "[" * 100_000,
    "open objects": '{"name":' * 100_000,
    "nested arrays": "[" * 100_000 + "]" * 100_000,
    "a number of 5,000 digits": "9" * 5_000,
}
# Texts of values that JSON or Unicode does not allow, or no field of ours does; the refusal names the field.
BAD_VALUES = {
    "NaN": "NaN",
    "Infinity": "Infinity",
    "-Infinity": "-Infinity",
    "1e999": "1e999",
    "-1e999": "-1e999",
    "5,000 digits": "1" * 5_000,
    "500 arrays": "[" * 500 + "]" * 500,
    "500 objects": '{"a":' * 500 + "1" + "}" * 500,
    "lone high surrogate": '"\\ud800"',
    "lone low surrogate": '"x\\udc00"',
    "surrogates the wrong way round": '"\\udc00\\ud800"',
}


def test_what_is_no_json_object_is_refused(place: Place, subtests: pytest.Subtests) -> None:
    for name, text in NO_OBJECT.items():
        for path, _ in POSTS.values():
            with subtests.test(name, path=path):
                place.refuses(path, text)
    place.assert_untouched()


def test_text_behind_the_object_is_refused(place: Place, subtests: pytest.Subtests) -> None:
    for tail in (" x", "{}", ",", "]", "}", "\u0000", " null"):
        for path, body in POSTS.values():
            with subtests.test(repr(tail), path=path):
                place.refuses(path, json.dumps(body) + tail)
    place.assert_untouched()


def test_duplicate_keys_are_refused(place: Place, subtests: pytest.Subtests) -> None:
    """Case 28, whether the values differ or not, and however the key is spelled."""
    for path, body in POSTS.values():
        field, value = next(iter(body.items()))
        escaped = f"\\u{ord(field[0]):04x}{field[1:]}"
        for key, again in ((field, "/b"), (field, value), (escaped, "/b")):
            with subtests.test(path=path, key=key, again=again):
                place.refuses(path, json.dumps(body)[:-1] + f', "{key}": {json.dumps(again)}}}', field)
    place.assert_untouched()


def test_duplicate_keys_are_refused_in_depth(place: Place, subtests: pytest.Subtests) -> None:
    """Case 28."""
    for post, field, raw, key in (
        ("create store", "metadata", '{"twin": "a", "twin": "b"}', "twin"),
        ("update store", "metadata", '{"twin": "a", "twin": null}', "twin"),
        ("update memory", "precondition", '{"type": "x", "type": "content_sha256", "content_sha256": "0"}', "type"),
    ):
        path, body = POSTS[post]
        with subtests.test(post):
            place.refuses(path, with_raw(body, field, raw), key)
    place.assert_untouched()


def test_a_value_that_no_field_can_have_is_refused(place: Place, subtests: pytest.Subtests) -> None:
    for name, raw in BAD_VALUES.items():
        for path, body in POSTS.values():
            for field in body:
                with subtests.test(name, path=path, field=field):
                    place.refuses(path, with_raw(body, field, raw), field)
    place.assert_untouched()


def test_a_value_that_no_metadata_can_have_is_refused(place: Place, subtests: pytest.Subtests) -> None:
    for post in ("create store", "update store"):
        path, body = POSTS[post]
        for name, raw in (BAD_VALUES | {"number": "1", "object": "{}"}).items():
            with subtests.test(post, value=name):
                place.refuses(path, with_raw(body, "metadata", f'{{"k": {raw}}}'), "metadata")
        with subtests.test(post, key="lone surrogate"):
            place.refuses(path, with_raw(body, "metadata", '{"\\ud800": "v"}'), "metadata")
    place.assert_untouched()


def test_a_value_that_is_no_json_is_refused(place: Place, subtests: pytest.Subtests) -> None:
    bomb = "[" * 100_000 + "]" * 100_000, '{"a":' * 50_000 + "1" + "}" * 50_000
    for raw in ('"a\nb"', '"a\\x41"', '"\\u12"', "01", "+1", "'a'", "undefined", '"a', *bomb):
        for path, body in POSTS.values():
            with subtests.test(raw[:20], path=path):
                place.refuses(path, with_raw(body, next(iter(body)), raw))
    place.assert_untouched()


def test_a_lone_surrogate_in_a_key_is_refused(place: Place, subtests: pytest.Subtests) -> None:
    for path, body in POSTS.values():
        with subtests.test(path=path):
            place.refuses(path, json.dumps(body)[:-1] + ', "\\ud800": 1}')
    place.assert_untouched()


def test_a_surrogate_pair_is_one_character(place: Place) -> None:
    memory = ok(place.post(POSTS["create memory"][0], '{"path": "/p", "content": "\\ud83d\\ude00"}'))
    assert (memory["content_sha256"], memory["content_size_bytes"]) == (sha256("\U0001f600"), 4)


# --- posts without arguments ---


@pytest.mark.parametrize("text", [None, "", "{}", " {} \n"], ids=repr)
def test_a_post_without_arguments_takes_nothing_or_an_empty_object(place: Place, text: str | None) -> None:
    assert ok(place.post(BARE_POSTS["redact"], text))["redacted_at"]
    assert ok(place.post(BARE_POSTS["archive"], text))["archived_at"]


@pytest.mark.parametrize("text", [None, "", "{}", " {} \n"], ids=repr)
def test_a_restore_takes_nothing_or_an_empty_object(place: Place, text: str | None) -> None:
    assert ok(place.post(BARE_POSTS["restore"], text))["content_sha256"] == sha256("one")


def test_a_post_without_arguments_refuses_anything_else(place: Place, subtests: pytest.Subtests) -> None:
    for post, path in BARE_POSTS.items():
        for text in ("[]", "null", '"x"', "0", "false", "{", "{} {}", b"\xff", "[" * 100_000):
            with subtests.test(post, text=text[:20]):
                place.refuses(path, text)
        for text in ('{"colour": 1}', '{"colour": null}'):
            with subtests.test(post, text=text):
                place.refuses(path, text, "colour")
    place.assert_untouched()


# --- encodings, content types, size ---


@pytest.mark.moto_only  # the emulator replaces such bytes before the function sees them
def test_a_body_that_is_not_utf8_is_refused(place: Place, subtests: pytest.Subtests) -> None:
    """Case 27."""
    for path, body in POSTS.values():
        text = json.dumps(body)
        for data in (text.encode()[:-2] + b'\xff"}', text.encode("utf-16"), text.encode("utf-32")):
            with subtests.test(path=path, data=data):
                place.refuses(path, data)
    place.assert_untouched()


def test_another_content_type_is_refused(place: Place, subtests: pytest.Subtests) -> None:
    for content_type in ("text/plain", "application/x-www-form-urlencoded", "application/jsonx", "text/json", "json"):
        for path, body in POSTS.values():
            with subtests.test(content_type, path=path):
                place.refuses(path, json.dumps(body), content_type=content_type)
    place.assert_untouched()


def test_the_content_type_may_be_spelled_freely(place: Place) -> None:
    for content_type in ("application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON"):
        for post in ("create store", "update store", "update memory"):
            path, body = POSTS[post]
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


def test_a_guard_in_the_body_of_a_delete_is_not_lost_in_silence(notes: StoreClient) -> None:
    memory = notes.created("/a", "text")
    url = f"{notes.memories_url}/{memory['id']}"
    refused(
        notes.api.delete(url, json={"expected_content_sha256": sha256("another")}), INVALID, "expected_content_sha256"
    )
    assert ok(notes.get(memory["id"]))["content"] == "text"
    assert ok(notes.api.delete(url, json={}))["type"] == "memory_deleted"
