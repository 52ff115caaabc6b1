"""Memory stores, made and changed: contract sections 1 and 2. Their listing and their end have files of their own."""

import re
from typing import Any

import pytest

from tests.contract.conftest import STORES
from tests.contract.steps import INVALID, RFC3339_MILLISECONDS, Json, StoreClient, refused
from tests.support.client import Client, ok
from tests.support.parallel import run_parallel

STORE_FIELDS = {"id", "type", "name", "description", "metadata", "created_at", "updated_at", "archived_at"}
SIXTEEN_PAIRS = {f"k{i:02}": "v" for i in range(16)}
BAD_NAMES = ["", "x" * 256, "a\nb", "a\u0000b", "a\u007fb", "a\u0085b", 7, ["a"], {"a": "b"}, True]
BAD_DESCRIPTIONS = ["x" * 1025, 7, ["a"], False]
BAD_METADATA = [
    {**SIXTEEN_PAIRS, "one more": "v"},
    {"": "v"},
    {"k" * 65: "v"},
    {"k": "v" * 513},
    {"k": 1},
    {"k": True},
    {"k": ["v"]},
    {"k": {"v": "w"}},
    ["k"],
    "k",
    7,
]


def url(store: Json) -> str:
    return f"{STORES}/{store['id']}"


# --- create ---


def test_a_new_store_shows_every_documented_field_and_no_other(api: Client) -> None:
    store = ok(api.post(STORES, {"name": "Notes"}))
    assert set(store) == STORE_FIELDS
    assert re.fullmatch(r"memstore_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}", store["id"]), "a UUIDv7 in hex"
    assert (store["type"], store["name"], store["description"], store["metadata"]) == ("memory_store", "Notes", "", {})
    assert store["archived_at"] is None
    assert re.fullmatch(RFC3339_MILLISECONDS, store["created_at"])
    assert store["updated_at"] == store["created_at"]
    assert ok(api.get(url(store))) == store


def test_a_new_store_keeps_what_it_was_given(api: Client) -> None:
    given = {"name": " Ünï \U0001f600 /#?& ", "description": "two\nlines", "metadata": {"team": "α", "empty": ""}}
    store = ok(api.post(STORES, given))
    assert {field: store[field] for field in given} == given
    assert ok(api.get(url(store))) == store


def test_names_are_not_unique(api: Client) -> None:
    one, two = (ok(api.post(STORES, {"name": "Notes"})) for _ in range(2))
    assert one["id"] != two["id"]


@pytest.mark.parametrize(
    "given",
    [
        {"name": "x"},
        {"name": "x" * 255},
        {"name": "\U0001f600" * 255},
        {"name": "n", "description": "é" * 1024},
        {"name": "n", "description": ""},
        {"name": "n", "metadata": SIXTEEN_PAIRS},
        {"name": "n", "metadata": {"é" * 64: "\U0001f600" * 512}},
    ],
)
def test_limits_count_characters_and_are_inclusive(api: Client, given: Json) -> None:
    store = ok(api.post(STORES, given))
    assert {field: store[field] for field in given} == given


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", value) for value in BAD_NAMES]
    + [("description", value) for value in BAD_DESCRIPTIONS]
    + [("metadata", value) for value in BAD_METADATA],
)
def test_bad_values_are_refused_on_create_and_update(api: Client, store: Json, field: str, value: Any) -> None:
    refused(api.post(STORES, {"name": "n", field: value}), INVALID, field)
    refused(api.post(url(store), {field: value}), INVALID, field)
    assert ok(api.get(url(store))) == store
    assert len(api.walk(STORES)) == 1


@pytest.mark.parametrize("body", [{}, {"description": "d"}, {"name": None}])
def test_a_store_needs_a_name(api: Client, body: Json) -> None:
    refused(api.post(STORES, body), INVALID, "name")
    assert api.walk(STORES) == []


def test_a_new_store_has_no_metadata_to_remove(api: Client) -> None:
    refused(api.post(STORES, {"name": "n", "metadata": {"k": None}}), INVALID, "metadata")


@pytest.mark.parametrize(
    "field", ["id", "type", "created_at", "updated_at", "archived_at", "status", "workspace_id", "x"]
)
def test_unknown_fields_are_named_and_refused(api: Client, store: Json, field: str) -> None:
    refused(api.post(STORES, {"name": "n", field: "v"}), INVALID, field)
    refused(api.post(url(store), {"name": "n", field: "v"}), INVALID, field)
    assert ok(api.get(url(store))) == store


# --- update ---


def test_an_update_changes_what_it_names_and_nothing_else(api: Client) -> None:
    store = ok(api.post(STORES, {"name": "n", "description": "d", "metadata": {"k": "v"}}))
    changed = ok(api.post(url(store), {"description": "new"}))
    assert changed == {**store, "description": "new", "updated_at": changed["updated_at"]}
    changed = ok(api.post(url(store), {"name": "new name"}))
    assert (changed["name"], changed["description"], changed["metadata"]) == ("new name", "new", {"k": "v"})
    assert ok(api.get(url(store))) == changed


def test_an_empty_description_clears(api: Client) -> None:
    store = ok(api.post(STORES, {"name": "n", "description": "d"}))
    assert ok(api.post(url(store), {"description": ""}))["description"] == ""


def test_null_means_left_out_on_update(api: Client) -> None:
    store = ok(api.post(STORES, {"name": "n", "description": "d", "metadata": {"k": "v"}}))
    changed = ok(api.post(url(store), {"name": "m", "description": None, "metadata": None}))
    assert (changed["name"], changed["description"], changed["metadata"]) == ("m", "d", {"k": "v"})
    assert ok(api.post(url(store), {"name": None, "description": "e"}))["name"] == "m"


def test_metadata_is_merged(api: Client) -> None:
    store = ok(api.post(STORES, {"name": "n", "metadata": {"a": "1", "b": "2"}}))
    patch = {"b": "3", "c": "4", "a": None, "never there": None}
    assert ok(api.post(url(store), {"metadata": patch}))["metadata"] == {"b": "3", "c": "4"}
    assert ok(api.post(url(store), {"metadata": {}}))["metadata"] == {"b": "3", "c": "4"}
    assert ok(api.get(url(store)))["metadata"] == {"b": "3", "c": "4"}


def test_the_limit_of_metadata_is_checked_after_the_merge(api: Client) -> None:
    store = ok(api.post(STORES, {"name": "n", "metadata": SIXTEEN_PAIRS}))
    refused(api.post(url(store), {"metadata": {"one more": "v"}}), INVALID, "metadata")
    assert ok(api.get(url(store))) == store
    changed = ok(api.post(url(store), {"metadata": {"one more": "v", "k00": None}}))
    assert len(changed["metadata"]) == 16
    assert "one more" in changed["metadata"]
    many_removed = {f"k{i:02}": None for i in range(16)} | {f"n{i:02}": "v" for i in range(15)}
    assert len(ok(api.post(url(store), {"metadata": many_removed}))["metadata"]) == 16


def test_parallel_metadata_patches_all_land(api: Client, store: Json) -> None:
    """A merge is over what is stored when it lands, not over what somebody read."""
    patches = [lambda i=i: api.post(url(store), {"metadata": {f"k{i}": "v"}}) for i in range(12)]
    for answer in run_parallel(patches):
        ok(answer)
    assert ok(api.get(url(store)))["metadata"] == {f"k{i}": "v" for i in range(12)}


@pytest.mark.parametrize("change", [{"name": "new"}, {"description": "new"}, {"metadata": {"k": "new"}}])
def test_updated_at_moves_with_the_store_and_created_at_does_not(api: Client, store: Json, change: Json) -> None:
    changed = ok(api.post(url(store), change))
    assert changed["updated_at"] > store["updated_at"]
    assert changed["created_at"] == store["created_at"]


def test_updated_at_never_moves_with_memories(api: Client, store: Json) -> None:
    notes = StoreClient(api, store["id"])
    memory = notes.created("/a")
    ok(notes.update(memory["id"], {"content": "new", "path": "/b"}))
    ok(notes.redact(memory["memory_version_id"]))
    ok(notes.delete(memory["id"]))
    assert ok(api.get(url(store))) == store
