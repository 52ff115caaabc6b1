"""Walls: between workspaces, between the stores of a workspace, and between the kinds of things in one table."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.contract.place import Place
from tests.contract.steps import NOT_FOUND, Json, StoreClient, refused
from tests.support.client import Answer, Client, ok

NOBODY = "0" * 32
UNKNOWN = {
    "store": f"memstore_{NOBODY}",
    "memory": f"mem_{NOBODY}",
    "version": f"memver_{NOBODY}",
    "key": f"apikey_{NOBODY}",
    "session": f"sesn_{NOBODY}",
    "deployment": "deployments-none",
    "bot": "bots-none",
}

# Every route that names something: method, path, body.
CALLS: list[tuple[str, str, Json | None]] = [
    ("GET", "/v1/memory_stores/{store}", None),
    ("POST", "/v1/memory_stores/{store}", {"name": "Stolen"}),
    ("DELETE", "/v1/memory_stores/{store}", None),
    ("POST", "/v1/memory_stores/{store}/archive", None),
    ("POST", "/v1/memory_stores/{store}/memories", {"path": "/planted", "content": "x"}),
    ("GET", "/v1/memory_stores/{store}/memories", None),
    ("GET", "/v1/memory_stores/{store}/memories/{memory}", None),
    ("POST", "/v1/memory_stores/{store}/memories/{memory}", {"content": "x"}),
    ("POST", "/v1/memory_stores/{store}/memories/{memory}", {"path": "/moved"}),
    ("DELETE", "/v1/memory_stores/{store}/memories/{memory}", None),
    ("GET", "/v1/memory_stores/{store}/memory_versions", None),
    ("GET", "/v1/memory_stores/{store}/memory_versions/{version}", None),
    ("POST", "/v1/memory_stores/{store}/memory_versions/{version}/redact", None),
    ("POST", "/v1/memory_stores/{store}/memory_versions/{version}/restore", None),
    ("DELETE", "/v1/api_keys/{key}", None),
    ("GET", "/v1/sessions/{session}", None),
    ("DELETE", "/v1/sessions/{session}", None),
    ("POST", "/v1/sessions/{session}/archive", None),
    ("GET", "/v1/sessions/{session}/resources", None),
    ("GET", "/v1/sessions/{session}/memory_prompt", None),
    ("POST", "/v1/sessions/{session}/credentials", {"type": "bearer"}),
    ("DELETE", "/v1/sessions/{session}/credentials", None),
]
# Those whose names callers make up.
BINDING_CALLS: list[tuple[str, str, Json | None]] = [
    call
    for holder in ("/v1/deployments/{deployment}", "/v1/bots/{bot}")
    for call in (
        ("GET", f"{holder}/memory_stores", None),
        ("GET", f"{holder}/memory_stores/{{store}}", None),
        ("PUT", f"{holder}/memory_stores/{{store}}", {"access": "read_only"}),
        ("DELETE", f"{holder}/memory_stores/{{store}}", None),
        ("DELETE", holder, None),
    )
]
BELOW_A_STORE = [call for call in CALLS if "{memory}" in call[1] or "{version}" in call[1]]


@pytest.fixture
def mine(api: Client, store: Json) -> Place:
    return Place(api, store["id"])


@pytest.fixture
def theirs(other_api: Client) -> Place:
    """The same, behind the wall."""
    return Place(other_api, ok(other_api.post("/v1/memory_stores", json={"name": "Theirs"}))["id"])


def call(api: Client, method: str, path: str, ids: Json, body: Json | None, **options: Any) -> Answer:
    return api.request(method, path.format(**ids), json=body, **options)


def error_without_ids(answer: Answer, ids: Json) -> Json:
    """The error, with the ids in its message replaced: what is left must not tell one refusal from another."""
    error = refused(answer, NOT_FOUND)
    message = error["message"]
    for kind, id_ in ids.items():
        message = message.replace(id_, f"<{kind}>")
    return error | {"message": message}


def test_what_belongs_to_another_workspace_does_not_exist(
    mine: Place, theirs: Place, subtests: pytest.Subtests
) -> None:
    """Case 39: not there for reads or writes, in the same words as for something that never was."""
    for method, path, body in [*CALLS, *BINDING_CALLS]:
        with subtests.test(f"{method} {path}"):
            stolen = call(mine.api, method, path, theirs.ids, body)
            unknown = call(mine.api, method, path, UNKNOWN, body)
            assert error_without_ids(stolen, theirs.ids) == error_without_ids(unknown, UNKNOWN)
    theirs.assert_untouched()
    mine.assert_untouched()


def test_an_id_of_another_workspace_is_not_found_through_a_store_of_ones_own(
    mine: Place, theirs: Place, subtests: pytest.Subtests
) -> None:
    """Case 39, and the other way round: one's own ids through a store behind the wall."""
    for method, path, body in BELOW_A_STORE:
        for ids in (theirs.ids | {"store": mine.ids["store"]}, mine.ids | {"store": theirs.ids["store"]}):
            with subtests.test(f"{method} {path}", ids=ids):
                refused(call(mine.api, method, path, ids, body), NOT_FOUND)
    theirs.assert_untouched()
    mine.assert_untouched()


def test_an_id_of_another_store_is_not_found(
    mine: Place, make_store: Callable[..., Json], subtests: pytest.Subtests
) -> None:
    """Case 39: a memory or version of store 1 through store 2's URL."""
    other = StoreClient(mine.api, make_store()["id"])
    other.created("/a", "one")
    before, mine.before = other.snapshot(), mine.everything()
    ids, unknown = mine.ids | {"store": other.id}, UNKNOWN | {"store": other.id}
    for method, path, body in BELOW_A_STORE:
        with subtests.test(f"{method} {path}"):
            stolen = error_without_ids(call(mine.api, method, path, ids, body), ids)
            assert stolen == error_without_ids(call(mine.api, method, path, unknown, body), unknown)
    assert other.snapshot() == before
    mine.assert_untouched()


def test_lists_end_at_the_wall(mine: Place, theirs: Place) -> None:
    for one, other in ((mine, theirs), (theirs, mine)):
        for path in ("/v1/memory_stores", "/v1/api_keys", "/v1/sessions"):
            listed = {item["id"] for item in one.api.walk(path)}
            assert not listed & set(other.ids.values())
        assert one.notes.history(memory_id=other.ids["memory"]) == []
        assert one.notes.history(api_key_id=other.api.key_id) == []


def test_the_same_paths_live_in_every_store(mine: Place, theirs: Place, make_store: Callable[..., Json]) -> None:
    """No store knows the paths of another: the same path is free in each."""
    other = StoreClient(mine.api, make_store()["id"])
    for notes in (other, theirs.notes):
        ids = [notes.created("/shared/x")["id"]]
        ids.append(mine.notes.created(f"/shared/{notes.id}")["id"])
        assert len(set(ids)) == 2
    ok(mine.api.delete(other.url))
    assert theirs.notes.paths() == ["/a", "/shared/x"]


# Names of other kinds of rows, and texts that are no id at all.
ROWS = [
    "workspace",
    "memstore_",
    "memstore_x",
    f"memstore_{NOBODY.upper()}A",
    "mem_",
    "memver_",
    "fence%2300",
    "%2Fa",
    "%2F",
    "deployment%23x",
    "%00",
    "%20",
    "%C3%A9",
    "%F0%9F%98%80",
    "'",
    "*",
    "a" * 2_000,
]


def test_a_text_that_is_no_id_finds_nothing(mine: Place, subtests: pytest.Subtests) -> None:
    """Stores, memories, versions, fences, nodes and keys share one table: a name must not cross from kind to kind."""
    for method, path, body in CALLS:
        last = path.rpartition("{")[2].partition("}")[0]
        others = [id_ for kind, id_ in mine.ids.items() if kind != last]
        for name in [*ROWS, *others]:
            with subtests.test(f"{method} {path}", name=name[:40]):
                refused(call(mine.api, method, path, mine.ids | {last: name}, body), NOT_FOUND)
    mine.assert_untouched()


def test_a_memory_is_found_by_its_id_alone_never_by_its_path(mine: Place) -> None:
    for name in ("a", "%2Fa", "/a"):
        answer = mine.api.get(f"{mine.notes.memories_url}/{name}")
        assert answer.status == 404
    mine.assert_untouched()
