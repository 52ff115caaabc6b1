"""Lists of memories: order, prefixes, folded directories. Pages and cursors: see test_listing_pages."""

import itertools
import random
from typing import Any
from urllib.parse import quote

import pytest

from tests.contract.steps import INVALID, Json, StoreClient, fill, full_pages, names, pages, refused, walk
from tests.support.client import Client, ok


@pytest.fixture
def notes(api: Client, store: Json) -> StoreClient:
    return StoreClient(api, store["id"])


def listed(notes: StoreClient, **query: Any) -> list[str]:
    return names(walk(notes.api, notes.memories_url, **query))


# --- order and views ---


def test_an_empty_store_lists_nothing(notes: StoreClient) -> None:
    assert ok(notes.list_memories()) == {"data": [], "next_page": None}


def test_memories_are_listed_in_byte_order_of_their_paths(notes: StoreClient) -> None:
    """Case 35: no numbers, no locale, no UTF-16."""
    paths = ["/10", "/2", "/B", "/a", "/b-c", "/b/c", "/b0", "/ba", "/é", "/～", "/\U0001f600", "/z/z", "/z!"]
    fill(notes, *random.Random(35).sample(paths, len(paths)))
    in_order = sorted(paths, key=str.encode)
    assert in_order != sorted(paths, key=lambda path: path.encode("utf-16-be"))
    assert listed(notes) == in_order
    assert listed(notes, limit=3) == in_order


def test_an_item_is_the_memory_as_basic_view_shows_it(notes: StoreClient) -> None:
    [memory] = fill(notes, "/a")
    assert ok(notes.list_memories())["data"] == [memory | {"content": None}]
    assert ok(notes.list_memories(view="basic"))["data"] == [memory | {"content": None}]
    assert ok(notes.list_memories(view="full"))["data"] == [memory]


def test_deleted_and_moved_memories_leave_their_old_place(notes: StoreClient) -> None:
    gone, moved, _ = fill(notes, "/a", "/b", "/c")
    ok(notes.delete(gone["id"]))
    ok(notes.update(moved["id"], {"path": "/d"}))
    assert listed(notes) == ["/c", "/d"]


# --- path_prefix ---


PREFIXED = [
    "/notes/a",
    "/notes/deep/er",
    "/notes-archive/b",
    "/notes.md",
    "/notes0/c",
    "/a_b/x",
    "/aXb/x",
    "/a%b/x",
    "/a=b%20c+d@e #?&/x",
    "/file",
]
FOUND = {
    "/notes/": ["/notes/a", "/notes/deep/er"],  # case 10
    "/notes/deep/": ["/notes/deep/er"],
    "/a_b/": ["/a_b/x"],  # case 20
    "/a%b/": ["/a%b/x"],
    "/a*/": [],
    "/a=b%20c+d@e #?&/": ["/a=b%20c+d@e #?&/x"],  # case 15
    "/file/": [],
    "/Notes/": [],
    "/none/": [],
    "/": sorted(PREFIXED),
}


def test_a_prefix_matches_whole_segments(notes: StoreClient, subtests: pytest.Subtests) -> None:
    """Cases 10, 15 and 20."""
    fill(notes, *PREFIXED)
    for prefix, found in FOUND.items():
        for encoded in (quote(prefix, safe=""), quote(prefix, safe="/")):
            with subtests.test(encoded):
                page = ok(notes.api.get(notes.memories_url, query=f"path_prefix={encoded}"))
                assert (names(page["data"]), page["next_page"]) == (found, None)
        with subtests.test(prefix, limit=1):
            assert listed(notes, path_prefix=prefix, limit=1) == found


BAD_PREFIXES = [
    "",
    "notes/",
    "/notes",
    "notes",
    "//",
    "/notes//",
    "//notes/",
    "/./",
    "/../",
    "/notes/../",
    "/a" * 21 + "/",
    "/cafe\u0301/",
    "/a\u0000/",
    "/a\u200b/",
    "/a\u2028/",
    "/a\n/",
    "/" + "a" * 1023 + "/",
]


def test_a_prefix_that_is_no_directory_path_is_refused(notes: StoreClient, subtests: pytest.Subtests) -> None:
    fill(notes, "/notes/a")
    for prefix in BAD_PREFIXES:
        with subtests.test(repr(prefix)[:40]):
            refused(notes.list_memories(path_prefix=prefix), INVALID, "path_prefix")


def test_a_prefix_of_1024_bytes_is_served(notes: StoreClient) -> None:
    fill(notes, "/a")
    assert ok(notes.list_memories(path_prefix="/" + "é" * 511 + "/"))["data"] == []


def test_a_prefix_that_is_not_utf8_is_refused(notes: StoreClient) -> None:
    refused(notes.api.get(notes.memories_url, query="path_prefix=%2Fa%FF%2F"), INVALID)


# --- depth ---


TREE = ["/a", "/b-c", "/b/1", "/b/2/x", "/b/2/y", "/b/3", "/b0", "/c/deep/er/still", "/d/1", "/d/2"]
FOLDED: list[tuple[Json, list[str]]] = [
    ({}, TREE),
    ({"depth": 0}, TREE),
    ({"depth": 1}, ["/a", "/b-c", "/b/", "/b0", "/c/", "/d/"]),
    ({"depth": 1, "path_prefix": "/"}, ["/a", "/b-c", "/b/", "/b0", "/c/", "/d/"]),
    ({"depth": 1, "path_prefix": "/b/"}, ["/b/1", "/b/2/", "/b/3"]),
    ({"depth": 0, "path_prefix": "/b/"}, ["/b/1", "/b/2/x", "/b/2/y", "/b/3"]),
    ({"depth": 1, "path_prefix": "/c/"}, ["/c/deep/"]),
    ({"depth": 1, "path_prefix": "/c/deep/er/"}, ["/c/deep/er/still"]),
    ({"depth": 1, "path_prefix": "/none/"}, []),
]


def test_depth_folds_what_lies_deeper(notes: StoreClient, subtests: pytest.Subtests) -> None:
    """Folded directories count toward the limit; no page is short but the last, and none is empty."""
    fill(notes, *TREE)
    for (query, expected), limit in itertools.product(FOLDED, (1, 2, 3, 100)):
        with subtests.test(query=query, limit=limit):
            sizes, found = [], []
            for page in pages(notes.api, notes.memories_url, **query, limit=limit):
                sizes.append(len(page["data"]))
                found += names(page["data"])
            assert found == expected
            assert sizes == full_pages(len(expected), limit)


def test_a_wide_directory_is_one_item(notes: StoreClient) -> None:
    fill(notes, *[f"/wide/{number:02}" for number in range(25)], "/z")
    page = ok(notes.list_memories(depth=1, limit=2))
    assert (names(page["data"]), page["next_page"]) == (["/wide/", "/z"], None)
    assert listed(notes, depth=1, limit=1) == ["/wide/", "/z"]


def test_an_emptied_directory_is_not_listed(notes: StoreClient) -> None:
    gone, moved, _ = fill(notes, "/gone/a/b", "/moved/a", "/stays/a")
    ok(notes.delete(gone["id"]))
    ok(notes.update(moved["id"], {"path": "/stays/b"}))
    assert listed(notes, depth=1) == ["/stays/"]
    assert listed(notes, depth=1, path_prefix="/gone/") == []
    assert listed(notes, depth=1, limit=1) == ["/stays/"]


def test_folded_lists_show_content_only_of_memories(notes: StoreClient) -> None:
    [memory, _] = fill(notes, "/a", "/b/c")
    page = ok(notes.list_memories(depth=1, view="full"))
    assert page["data"] == [memory, {"type": "memory_prefix", "path": "/b/"}]


def test_another_depth_is_refused(notes: StoreClient, subtests: pytest.Subtests) -> None:
    for depth in ("2", "-1", "", "x", "1.0", "+1", " 1", "٣", "9" * 20, "true"):
        with subtests.test(depth):
            refused(notes.list_memories(depth=depth), INVALID, "depth")


def test_unknown_query_keys_are_ignored(notes: StoreClient, subtests: pytest.Subtests) -> None:
    """Also by the cursor: it is not bound to them."""
    fill(notes, "/a", "/b", "/c")
    for extra in ("order_by=updated_at", "order=desc", "beta=true", "order_by=&order=&beta=", "x=%00", "memory_id=x"):
        with subtests.test(extra):
            first = ok(notes.api.get(notes.memories_url, query=f"limit=2&{extra}"))
            assert names(first["data"]) == ["/a", "/b"]
            rest = ok(notes.list_memories(limit=2, page=first["next_page"]))
            assert names(rest["data"]) == ["/c"]
