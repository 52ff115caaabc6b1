"""Listing the memories of a store as the tree they form."""

from collections.abc import Sequence

from memory_stores.domain import paths
from memory_stores.domain.models import Directory, Memory
from memory_stores.operations.authorization import read_authorized
from memory_stores.operations.context import Context, Deadline
from memory_stores.operations.paging import SEARCH_SECONDS, Listing, Page, grown
from memory_stores.operations.reading import MAX_FULL, BodyReader
from memory_stores.storage import items
from memory_stores.storage.expressions import KeyAttr

_SPARE = 16
"""How many nodes more than asked for one Query reads, for the directories among them."""

Child = Memory | Directory


def list_memories(
    context: Context, store_id: str, *, path_prefix: str, depth: int, full: bool, limit: int, page: str | None
) -> Page[Child]:
    """The memories below a prefix in the byte order of their paths.

    `depth` 0 lists all of them; 1 lists direct children and folds the deeper ones into directories.
    Raises InvalidRequest for a prefix that is not one or a page that is not this list's, NotFound.
    """
    paths.check_prefix(path_prefix)
    listing = Listing(context, "memories", store_id, {"path_prefix": path_prefix, "depth": depth})
    start = listing.position(page)
    reader = BodyReader(context)

    def attempt() -> Page[Child]:
        read_authorized(context, store_id)
        children, last = _walk(context, store_id, path_prefix, depth, start, min(limit, MAX_FULL) if full else limit)
        filled = _with_contents(reader, children) if full else children
        return listing.page(filled, last, lambda child: child.path)

    return context.until_settled(attempt)


def _walk(
    context: Context, store_id: str, prefix: str, depth: int, position: str | None, limit: int
) -> tuple[list[Child], str | None]:
    """Up to `limit` children behind a position, and the position to go on behind (None at the end).

    A position is a path, or a folded directory's path with its closing `/`. A folded directory is left by asking for
    what sorts behind everything in it, whatever it holds.
    """
    contents = context.contents(store_id)
    first = prefix
    start = None
    if position is not None and position.endswith("/"):
        first = _behind(position)
    elif position is not None:
        start = {"pk": contents, "sk": position}
    children: list[Child] = []
    search = Deadline(SEARCH_SECONDS)
    size = limit + 1 + _SPARE
    while True:
        condition = KeyAttr("pk").eq(contents) & KeyAttr("sk").between(first, _behind(prefix))
        page = context.table.query(condition, start=start, limit=size)
        for node in page.items:
            if node["node"] != items.FILE or node["sk"] < first or not node["sk"].startswith(prefix):
                continue
            if len(children) == limit:
                return children, children[-1].path
            folded = paths.child_directory(prefix, node["sk"]) if depth == 1 else None
            children.append(Directory(folded) if folded else items.parse_memory(node))
            first = _behind(folded) if folded else first
        if page.last_key is None:
            return children, None
        is_inside_fold = page.last_key["sk"] < first
        if search.passed:
            return children, children[-1].path if is_inside_fold else page.last_key["sk"]
        start = None if is_inside_fold else page.last_key
        size = grown(size)


def _behind(directory: str) -> str:
    """The least text that sorts behind all paths in a directory (given with its closing `/`)."""
    return directory[:-1] + chr(ord("/") + 1)


def _with_contents(reader: BodyReader, children: Sequence[Child]) -> list[Child]:
    """The children, the memories among them with their texts."""
    filled = iter(reader.fill_all([child for child in children if isinstance(child, Memory)]))
    return [next(filled) if isinstance(child, Memory) else child for child in children]
