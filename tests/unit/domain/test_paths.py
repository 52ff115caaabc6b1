"""The tree of paths."""

import pytest
from memory_stores.domain import paths


@pytest.mark.parametrize(("path", "above"), [("/a", []), ("/a/b", ["/a"]), ("/a/b/c.md", ["/a", "/a/b"])])
def test_the_directories_above_a_path(path: str, above: list[str]) -> None:
    assert paths.ancestors(path) == above


@pytest.mark.parametrize(
    ("prefix", "path", "child"),
    [("/", "/a", None), ("/", "/a/b", "/a/"), ("/x/", "/x/a/b/c", "/x/a/"), ("/x/", "/x/a", None)],
)
def test_the_child_that_a_deeper_path_lies_in(prefix: str, path: str, child: str | None) -> None:
    assert paths.child_directory(prefix, path) == child


def test_the_longest_path_and_the_deepest() -> None:
    assert paths.check("/" + "é" * 511 + "a")
    assert paths.check("/a" * 20)
