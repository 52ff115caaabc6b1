"""Pages of memories: their size, their cursors, and walks while others write."""

import json
import random
import string
from collections.abc import Callable

import pytest

from tests.contract.steps import INVALID, Json, StoreClient, fill, names, pages, refused
from tests.support.client import Client, ok

LAMBDA_BYTES = 6 * 1024 * 1024
MAX_BYTES = 102_400


@pytest.fixture
def notes(api: Client, store: Json) -> StoreClient:
    return StoreClient(api, store["id"])


def test_pages_hold_20_by_default_and_never_a_ghost(notes: StoreClient) -> None:
    """Case 33: exactly a page has no next page."""
    paths = [f"/{number:02}" for number in range(20)]
    fill(notes, *paths)
    page = ok(notes.list_memories())
    assert (names(page["data"]), page["next_page"]) == (paths, None)
    assert ok(notes.list_memories(limit=20, view="full"))["next_page"] is None
    fill(notes, "/20")
    page = ok(notes.list_memories())
    assert names(page["data"]) == paths
    assert names(ok(notes.list_memories(page=page["next_page"]))["data"]) == ["/20"]


@pytest.mark.parametrize("query", [{"limit": 2}, {"limit": 2, "depth": 1}, {"limit": 2, "path_prefix": "/a/"}], ids=str)
def test_what_does_not_match_makes_no_ghost_page(notes: StoreClient, query: Json) -> None:
    """Case 33, where other rows follow: an emptied directory, or memories outside the prefix."""
    prefix = query.get("path_prefix", "/")
    fill(notes, f"{prefix}1", f"{prefix}2")
    for emptied in fill(notes, f"{prefix}3/a/b", f"{prefix}4/a"):
        ok(notes.delete(emptied["id"]))
    if prefix != "/":
        fill(notes, "/a0", "/b/c")
    page = ok(notes.list_memories(**query))
    assert (names(page["data"]), page["next_page"]) == ([f"{prefix}1", f"{prefix}2"], None)


def test_full_pages_hold_at_most_20(notes: StoreClient) -> None:
    paths = [f"/{number:02}" for number in range(25)]
    fill(notes, *paths)
    page = ok(notes.list_memories(view="full", limit=100))
    assert names(page["data"]) == paths[:20]
    assert all(item["content"] == "text" for item in page["data"])
    rest = ok(notes.list_memories(view="full", limit=100, page=page["next_page"]))
    assert (names(rest["data"]), rest["next_page"]) == (paths[20:], None)
    assert len(ok(notes.list_memories(limit=100))["data"]) == 25


@pytest.mark.parametrize("versions", [False, True], ids=["memories", "versions"])
def test_a_page_stops_before_it_outgrows_lambda(notes: StoreClient, versions: bool) -> None:
    """Case 26: control characters cost six bytes each in the body, and the proxy's envelope escapes them again."""
    content = "\u0001" * MAX_BYTES
    created = [notes.created(f"/{number:02}", content)["memory_version_id"] for number in range(20)]
    seen: list[str] = []
    sizes: list[int] = []
    url = notes.versions_url if versions else notes.memories_url
    query = {"view": "full", "limit": 20}
    page: Json = {"next_page": None}
    while not sizes or page["next_page"] is not None:
        answer = notes.api.get(url, query=query | ({"page": page["next_page"]} if sizes else {}))
        page = ok(answer)
        assert len(json.dumps({"statusCode": 200, "body": answer.text})) < LAMBDA_BYTES
        assert all(item["content"] == content for item in page["data"])
        sizes.append(len(page["data"]))
        seen += [item["id" if versions else "memory_version_id"] for item in page["data"]]
    assert min(sizes) >= 1
    assert sizes[0] >= 4  # the budget is used, not a page an item
    assert len(sizes) > 1
    assert seen == (created[::-1] if versions else created)


def test_plain_text_fills_the_page(notes: StoreClient) -> None:
    """20 full memories of plain text are 2 MB: no reason for a short page."""
    for number in range(20):
        notes.created(f"/{number:02}", "x" * MAX_BYTES)
    page = ok(notes.list_memories(view="full"))
    assert (len(page["data"]), page["next_page"]) == (20, None)


# --- cursors ---


@pytest.fixture
def cursor(notes: StoreClient) -> str:
    """The cursor behind the first of five memories."""
    fill(notes, "/a/1", "/a/2", "/a/3", "/b/1", "/c")
    page = ok(notes.list_memories(limit=1))
    assert isinstance(page["next_page"], str)
    return page["next_page"]


def test_a_cursor_may_be_used_again_and_with_another_limit(notes: StoreClient, cursor: str) -> None:
    expected = ["/a/2", "/a/3", "/b/1", "/c"]
    for limit in (4, 100, 4):
        page = ok(notes.list_memories(page=cursor, limit=limit))
        assert (names(page["data"]), page["next_page"]) == (expected, None)


def damaged(cursor: str) -> list[str]:
    middle = len(cursor) // 2
    flipped = "A" if cursor[middle] != "A" else "B"
    return [
        cursor[:-1],
        cursor[1:],
        cursor + "A",
        cursor + "=",
        cursor[:middle] + flipped + cursor[middle + 1 :],
        cursor[::-1],
        cursor.swapcase(),
        cursor + cursor,
    ]


def test_a_damaged_cursor_is_refused(notes: StoreClient, cursor: str) -> None:
    for page in damaged(cursor):
        refused(notes.list_memories(page=page, limit=1), INVALID, "page")


def test_any_single_damaged_character_is_refused(notes: StoreClient, cursor: str) -> None:
    choose = random.Random(0)
    for position in choose.sample(range(len(cursor) - 1), min(20, len(cursor) - 1)):
        other = choose.choice([letter for letter in string.ascii_letters if letter != cursor[position]])
        page = cursor[:position] + other + cursor[position + 1 :]
        refused(notes.list_memories(page=page, limit=1), INVALID, "page")


FORGED = [
    *("", "x", "/a/1", "0", "2", "null", "%", "\u0000", "é" * 9, "A" * 5_000),
    *("eyJwYXRoIjoiL2EifQ", "eyJwYXRoIjoiL2EifQ=="),
]


def test_a_forged_cursor_is_refused(notes: StoreClient, subtests: pytest.Subtests) -> None:
    fill(notes, "/a", "/b")
    for page in FORGED:
        with subtests.test(repr(page)[:40]):
            refused(notes.list_memories(page=page), INVALID, "page")


def test_a_cursor_is_bound_to_the_filters(notes: StoreClient, cursor: str, subtests: pytest.Subtests) -> None:
    queries: list[Json] = [{"path_prefix": "/a/"}, {"depth": 1}, {"path_prefix": "/a/", "depth": 1}]
    for query in queries:
        with subtests.test(query=query):
            refused(notes.list_memories(page=cursor, **query), INVALID, "page")
            other = ok(notes.list_memories(limit=1, **query))["next_page"]
            assert other
            refused(notes.list_memories(page=other), INVALID, "page")
            refused(notes.list_memories(page=other, **(query | {"path_prefix": "/b/"})), INVALID, "page")


def test_a_cursor_is_bound_to_its_store(
    notes: StoreClient, cursor: str, make_store: Callable[..., Json], other_api: Client
) -> None:
    """Case 34."""
    same_workspace = StoreClient(notes.api, make_store()["id"])
    other_workspace = StoreClient(other_api, ok(other_api.post("/v1/memory_stores", json={"name": "x"}))["id"])
    for elsewhere in (same_workspace, other_workspace):
        fill(elsewhere, "/a/1", "/a/2", "/a/3")
        refused(elsewhere.list_memories(page=cursor, limit=1), INVALID, "page")


def test_a_cursor_is_bound_to_its_endpoint(notes: StoreClient, cursor: str, make_store: Callable[..., Json]) -> None:
    make_store()
    versions = ok(notes.list_versions(limit=1))["next_page"]
    stores = ok(notes.api.get("/v1/memory_stores", query={"limit": 1}))["next_page"]
    assert versions
    assert stores
    for elsewhere in (versions, stores):
        refused(notes.list_memories(page=elsewhere), INVALID, "page")
    for elsewhere in (cursor, stores):
        refused(notes.list_versions(page=elsewhere), INVALID, "page")
    for elsewhere in (cursor, versions):
        refused(notes.api.get("/v1/memory_stores", query={"page": elsewhere}), INVALID, "page")


# --- walks while others write ---


@pytest.mark.parametrize(("limit", "depth"), [(1, 1), (3, 0)])
def test_a_walk_meets_each_lasting_item_exactly_once_whatever_is_written(
    notes: StoreClient, limit: int, depth: int
) -> None:
    """Between any two pages memories before, at and behind the cursor come, go, move and change."""
    choose = random.Random(limit * 10 + depth)
    files = [f"/{letter}{number}" for letter in "bdf" for number in range(3)]
    fill(notes, *files, "/c/keep", "/e/keep/er")
    passing = {memory["id"]: memory["path"] for memory in fill(notes, "/b1x", "/c/gone", "/d1x", "/e/gone", "/f1x")}
    seen: list[str] = []
    for number, page in enumerate(pages(notes.api, notes.memories_url, limit=limit, depth=depth)):
        seen += names(page["data"])
        if number > 5:
            continue  # quiet now, so that the walk comes to its end
        for id_, path in list(passing.items()):
            if path == seen[-1] or choose.random() < 0.3:
                ok(notes.delete(id_))
                del passing[id_]
        for prefix in ("/a", "/c/", "/e/", "/g", seen[-1].rstrip("/") + "!"):
            new = notes.created(f"{prefix}{number}")
            passing[new["id"]] = new["path"]
        moving = choose.choice(list(passing))
        passing[moving] = ok(notes.update(moving, {"path": f"/m{number}"}))["path"]
        changed = choose.choice(ok(notes.list_memories(limit=100))["data"])
        ok(notes.update(changed["id"], {"content": f"changed after page {number}"}))
    lasting = sorted([*files, *(("/c/", "/e/") if depth else ("/c/keep", "/e/keep/er"))])
    assert [path for path in seen if path in lasting] == lasting
    assert seen == sorted(set(seen), key=str.encode)
