"""The fields of every body: unknown, missing, or of the wrong kind; each refusal names the field."""

import json
from typing import Any

import pytest

from tests.contract.place import POSTS, Place
from tests.contract.steps import Json
from tests.support.client import Client


@pytest.fixture
def place(api: Client, store: Json) -> Place:
    return Place(api, store["id"])


def test_an_unknown_field_is_refused_and_named(place: Place, subtests: pytest.Subtests) -> None:
    values: list[Any] = [1, None, "x", {}, False]
    for path, body in POSTS.values():
        for value in values:
            with subtests.test(path=path, value=value):
                place.refuses(path, json.dumps(body | {"colour": value}), "colour")
        with subtests.test(path=path, field=""):
            place.refuses(path, json.dumps(body | {"": 1}))
    place.assert_untouched()


SERVER_FIELDS = {
    "create store": ["id", "type", "created_at", "updated_at", "archived_at", "entry_count"],
    "update store": ["id", "type", "archived_at", "status"],
    "create memory": ["id", "created_by", "content_sha256", "metadata", "version", "memory_store_id", "precondition"],
    "update memory": ["id", "created_by", "content_sha256", "metadata", "revision", "expected_content_sha256"],
    "create key": ["id", "secret", "workspace_id", "created_at"],
    "create session": ["id", "type", "status", "created_by", "created_at", "archived_at", "usage", "workspace_id"],
    "create credentials": ["token", "expires_at", "access_key_id", "region", "session_id"],
}


def test_what_only_the_server_sets_is_refused(place: Place, subtests: pytest.Subtests) -> None:
    """Case 29. Memories have metadata in other dialects only."""
    for post, fields in SERVER_FIELDS.items():
        path, body = POSTS[post]
        for field in fields:
            with subtests.test(post, field=field):
                place.refuses(path, json.dumps(body | {field: {} if field == "metadata" else "x"}), field)
    place.assert_untouched()


NO_TEXT = [1, 0, 1.5, True, False, [], ["x"], {}, {"x": "y"}]
NO_METADATA = ["x", "", 1, True, False, [], [["k", "v"]], {"k": 1}, {"k": True}, {"k": ["v"]}, {"k": {}}]
WRONG: dict[tuple[str, str], list[Any]] = {
    ("create store", "name"): [None, "", *NO_TEXT],
    ("create store", "description"): NO_TEXT,
    ("create store", "metadata"): [{"k": None}, *NO_METADATA],
    ("update store", "name"): ["", *NO_TEXT],
    ("update store", "description"): NO_TEXT,
    ("update store", "metadata"): NO_METADATA,
    ("create memory", "path"): [None, *NO_TEXT],
    ("create memory", "content"): [None, *NO_TEXT],
    ("update memory", "path"): NO_TEXT,
    ("update memory", "content"): NO_TEXT,
    ("update memory", "precondition"): ["x", "", 1, 0, True, False, [], ["content_sha256"]],
    ("create key", "name"): [None, "", *NO_TEXT],
    ("create key", "role"): [None, "", "owner", "ADMIN", "session", "admin ", *NO_TEXT],
    ("create key", "memory_store_ids"): ["x", 1, True, {}, [1], [None], [["x"]]],
    ("create session", "agent"): [None, "", 1, True, [], {}, {"id": "x"}, {"type": "agent"}, {"type": "x", "id": "x"}],
    ("create session", "environment_id"): [None, "", *NO_TEXT],
    ("create session", "title"): NO_TEXT,
    ("create session", "metadata"): [{"k": None}, *NO_METADATA],
    ("create session", "resources"): ["x", 1, True, {}, ["x"], [1], [None], [[]], [{}]],
    ("create session", "deployment_id"): ["", "a/b", "a b", "é", "a#b", "x" * 129, *NO_TEXT],
    ("create session", "bot_id"): ["", "a/b", "a b", "é", "a#b", "x" * 129, *NO_TEXT],
    ("create credentials", "type"): [None, "", "x", "AWS", "bearer ", *NO_TEXT],
    ("create key", "expires_at"): [1, 1e9, True, [], {}, "", "tomorrow", "2999-01-01", "2999-01-01T00:00:00"],
}


@pytest.mark.parametrize("post", POSTS)
def test_a_value_of_the_wrong_kind_is_refused(place: Place, subtests: pytest.Subtests, post: str) -> None:
    path, body = POSTS[post]
    for field, value in [(field, value) for (of, field), values in WRONG.items() if of == post for value in values]:
        with subtests.test(field, value=value):
            place.refuses(path, json.dumps(body | {field: value}), field)
    place.assert_untouched()


def test_a_required_field_is_named_when_missing(place: Place, subtests: pytest.Subtests) -> None:
    for post in ("create store", "create memory", "create key", "create session", "create credentials"):
        path, body = POSTS[post]
        place.refuses(path, "{}")
        for field in body:
            with subtests.test(post, field=field):
                place.refuses(path, json.dumps({name: body[name] for name in body if name != field}), field)
    place.assert_untouched()
