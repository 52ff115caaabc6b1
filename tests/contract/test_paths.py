"""What a path may be, and the tree: a path is a file or a directory, never both."""

import pytest

from tests.contract.steps import INVALID, Json, StoreClient, conflict, refused
from tests.support.client import Client, ok


@pytest.fixture
def notes(api: Client, store: Json) -> StoreClient:
    return StoreClient(api, store["id"])


# Exactly 1,024 bytes, in one segment, in letters of two bytes, and in 20 segments.
LONGEST = ["/" + "a" * 1023, "/" + "é" * 511 + "a", "/" + "/".join(["s" * 50] * 19 + ["t" * 54])]

REFUSED = {
    "empty": "",
    "root": "/",
    "relative": "a",
    "relative with a directory": "notes/a.md",
    "backslash first": "\\a",
    "space first": " /a",
    "trailing slash": "/a/",
    "two slashes first": "//a",
    "two slashes": "/a//b",
    "dot": "/.",
    "dot dot": "/..",
    "dot within": "/a/./b",
    "dot dot first": "/../x",
    "dot dot within": "/a/../b",
    "dot dot last": "/a/..",
    "21 segments": "/a" * 21,
    "1,025 bytes": "/" + "a" * 1024,
    "1,025 bytes in 513 characters": "/" + "é" * 512,
    "NFD": "/cafe\u0301.md",
    "singleton": "/\u212b",
    "conjoining jamo": "/\u1112\u1161\u11ab",
    "combining marks out of order": "/a\u0301\u0323",
    "NUL": "/a\u0000",
    "newline": "/a\n",
    "tab": "/\ta",
    "DEL": "/a\u007f",
    "C1 control": "/a\u0085b",
    "soft hyphen": "/a\u00adb",
    "zero width space": "/a\u200bb",
    "zero width joiner": "/\U0001f468\u200d\U0001f469",
    "right-to-left override": "/a\u202eb",
    "byte-order mark": "/\ufeffa",
    "format character beyond the first plane": "/a\U000e0041",
    "line separator": "/a\u2028b",
    "paragraph separator": "/a\u2029b",
}

ALLOWED = {
    "case 15": "/a=b%20c+d@e #?.md",
    "case 12": "/caf\u00e9.md",
    "20 segments": "/a" * 20,
    "three dots": "/.../....",
    "dots in names": "/.hidden/a..b./..c",
    "spaces only": "/ / ",
    "escapes": "/%2e%2e/%2F",
    "backslash": "/a\\..\\b",
    "quotes and braces": "/\"{'}<|>&;*`$",
    "emoji": "/\U0001f600",
    "no-break space": "/a\u00a0b",
    "looks like an id": "/mem_0/memver_1",
    "looks like a fence": "/fence#00",
    "longest, one segment": LONGEST[0],
    "longest, two-byte letters": LONGEST[1],
    "longest, 20 segments": LONGEST[2],
}


def test_a_path_that_is_not_canonical_is_refused(notes: StoreClient, subtests: pytest.Subtests) -> None:
    """Cases 11, 12 and 16, on create and on rename."""
    memory = notes.created("/here", "one")
    for name, path in REFUSED.items():
        with subtests.test(name):
            refused(notes.create(path), INVALID, "path")
            refused(notes.update(memory["id"], {"path": path, "content": "two"}), INVALID, "path")
    assert ok(notes.get(memory["id"])) == memory
    assert notes.paths() == ["/here"]


@pytest.mark.parametrize("path", [pytest.param(path, id=name) for name, path in ALLOWED.items()])
def test_a_canonical_path_is_kept_to_the_byte(notes: StoreClient, path: str) -> None:
    """Cases 12, 15 and 16: equal in create, retrieve, list and versions; and as the target of a rename."""
    memory = notes.created(path)
    assert memory["path"] == path
    assert ok(notes.get(memory["id"]))["path"] == path
    assert notes.paths() == [path]
    assert [version["path"] for version in notes.history()] == [path]
    conflict(notes.create(path), path, memory["id"])
    ok(notes.update(memory["id"], {"path": "/elsewhere"}))
    assert ok(notes.update(memory["id"], {"path": path}))["path"] == path
    assert notes.paths() == [path]


def test_paths_are_case_sensitive(notes: StoreClient) -> None:
    lower, upper = notes.created("/a/b"), notes.created("/A/b")
    assert lower["id"] != upper["id"]
    assert notes.paths() == ["/A/b", "/a/b"]


# --- the tree ---


@pytest.mark.parametrize("below", ["/a/b", "/a/b/c/d"])
def test_nothing_goes_below_a_file(notes: StoreClient, below: str) -> None:
    """Case 13."""
    file, other = notes.created("/a"), notes.created("/other")
    conflict(notes.create(below), "/a", file["id"])
    conflict(notes.update(other["id"], {"path": below}), "/a", file["id"])
    assert notes.paths() == ["/a", "/other"]
    assert len(notes.history()) == 2


@pytest.mark.parametrize(("file", "directory"), [("/a/b", "/a"), ("/a/b/c/d", "/a"), ("/a/b/c/d", "/a/b/c")])
def test_no_file_stands_where_a_directory_is(notes: StoreClient, file: str, directory: str) -> None:
    """Case 13, the other way round: the conflict names the directory and no memory."""
    notes.created(file)
    other = notes.created("/other")
    conflict(notes.create(directory), directory, "")
    conflict(notes.update(other["id"], {"path": directory}), directory, "")
    assert notes.paths() == [file, "/other"]
    assert len(notes.history()) == 2


@pytest.mark.parametrize(
    ("file", "freed"), [("/a/b", "/a"), ("/a/b/c/d", "/a"), ("/a/b/c/d", "/a/b"), ("/a/b/c/d", "/a/b/c")]
)
@pytest.mark.parametrize("leave", ["delete", "rename"])
def test_a_directory_is_free_when_its_last_file_is_gone(notes: StoreClient, file: str, freed: str, leave: str) -> None:
    """Case 14."""
    memory = notes.created(file)
    ok(notes.delete(memory["id"]) if leave == "delete" else notes.update(memory["id"], {"path": "/z"}))
    new = notes.created(freed)
    conflict(notes.create(file), freed, new["id"])
    assert notes.paths() == ([freed] if leave == "delete" else [freed, "/z"])


def test_a_directory_is_taken_while_one_file_is_left(notes: StoreClient) -> None:
    first, second, deep = notes.created("/a/b"), notes.created("/a/c"), notes.created("/a/d/e")
    for memory in (first, deep, second):
        conflict(notes.create("/a"), "/a", "")
        ok(notes.delete(memory["id"]))
    notes.created("/a")
    assert notes.paths() == ["/a"]


def test_neighbours_in_byte_order_do_not_keep_a_directory(notes: StoreClient) -> None:
    """`!` and `-` sort before `/`, `0` after it: none of these lies below `/a/`."""
    for neighbour in ("/a!", "/a-b/c", "/a.md", "/a0", "/aa/b"):
        notes.created(neighbour)
    memory = notes.created("/a/b")
    ok(notes.delete(memory["id"]))
    notes.created("/a")
    assert notes.paths() == ["/a", "/a!", "/a-b/c", "/a.md", "/a0", "/aa/b"]


def test_a_path_is_used_as_file_and_directory_by_turns(notes: StoreClient) -> None:
    for _ in range(3):
        file = notes.created("/a")
        ok(notes.delete(file["id"]))
        below = notes.created("/a/b")
        conflict(notes.create("/a"), "/a", "")
        ok(notes.delete(below["id"]))
    assert notes.paths() == []


def test_a_refused_create_leaves_no_directories(notes: StoreClient) -> None:
    file = notes.created("/a/b")
    conflict(notes.create("/a/b/c/d"), "/a/b", file["id"])
    refused(notes.create("/new/x", "x" * 102_401), INVALID, "content")
    for path in ("/a/b/c", "/a/b"):
        conflict(notes.create(path), "/a/b", file["id"])
    notes.created("/new")
    assert notes.paths() == ["/a/b", "/new"]


def test_a_refused_rename_leaves_no_directories(notes: StoreClient) -> None:
    file, taken = notes.created("/a", "one"), notes.created("/x/taken")
    conflict(notes.update(file["id"], {"path": "/x/taken/y/z"}), "/x/taken", taken["id"])
    ok(notes.delete(taken["id"]))
    notes.created("/x")
    assert notes.paths() == ["/a", "/x"]


@pytest.mark.parametrize(("here", "there"), [("/a", "/a/b"), ("/a", "/a/b/c"), ("/a/b", "/a"), ("/a/b/c", "/a")])
def test_a_rename_along_its_own_path_conflicts_with_itself(notes: StoreClient, here: str, there: str) -> None:
    memory = notes.created(here)
    conflict(notes.update(memory["id"], {"path": there, "content": "two"}), here, memory["id"])
    assert ok(notes.get(memory["id"])) == memory
    assert len(notes.history()) == 1


def test_a_rename_up_its_own_path_is_blocked_by_the_directory_where_others_live_in_it(notes: StoreClient) -> None:
    memory = notes.created("/a/b")
    notes.created("/a/c")
    conflict(notes.update(memory["id"], {"path": "/a"}), "/a", "")
    assert notes.paths() == ["/a/b", "/a/c"]


@pytest.mark.parametrize(("here", "there"), [("/a/b", "/a/c"), ("/a/b/c", "/a/d"), ("/a/b", "/a/c/d"), ("/a/b", "/c")])
def test_a_rename_elsewhere_leaves_its_old_path_free(notes: StoreClient, here: str, there: str) -> None:
    memory = notes.created(here)
    ok(notes.update(memory["id"], {"path": there}))
    assert notes.paths() == [there]
    notes.created(here)
    assert notes.paths() == sorted([here, there])
