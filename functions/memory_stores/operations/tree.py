"""The tree rule: a path is a file or a directory, never both, whoever races.

Files and directories are nodes in one key space, so each excludes the other by its key. Directories that exist are not
touched by writes below them (siblings would contend); instead, whoever puts a file where an empty directory stands
closes that directory first and bumps the fences, so that no write that saw it open can still land below it.
"""

import secrets
from collections.abc import Callable
from contextlib import suppress

from memory_stores.domain import clock, paths
from memory_stores.domain.errors import MemoryStoresError, PathConflict
from memory_stores.domain.models import Memory
from memory_stores.operations.context import Context
from memory_stores.storage import fences, items
from memory_stores.storage.errors import ConditionFailed, Stale
from memory_stores.storage.expressions import (
    MISSING,
    Attr,
    ConditionBase,
    Item,
    Key,
    KeyAttr,
    Write,
    put,
    start_over,
    update,
)

_ABANDONED_AFTER = 60_000
"""Milliseconds after which anybody may reopen a directory whose closer has not come back; no request lives as long."""

_IS_DIRECTORY = Attr("node").eq(items.DIRECTORY)


def node_write(
    contents: str,
    memory: Memory,
    condition: ConditionBase,
    refused: Callable[[Item | None], Exception] = start_over,
) -> Write:
    """Put the file node of a memory at its path."""
    node = {"node": items.FILE, "memory_id": memory.id, **items.memory_attributes(memory)}
    return put(Key(contents, memory.path), node, condition, refused)


class Site:
    """A path where one request wants to put a memory.

    Use it as a context manager around the attempts: a directory that it closed and did not replace is reopened.
    """

    def __init__(self, context: Context, store_id: str, path: str) -> None:
        self._context = context
        self._contents = context.contents(store_id)
        self._path = path
        self._owner = secrets.token_hex(8)
        self._has_closed = self._is_drained = False
        self._ancestors = paths.ancestors(path)
        self.keys = [Key(self._contents, node) for node in [*self._ancestors, path]]
        """The nodes to read, after the fence, for `claim`."""

    def __enter__(self) -> "Site":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._has_closed and (kind is None or issubclass(kind, Exception)):
            with suppress(MemoryStoresError):  # it must not hide the answer; others reopen it after a minute
                self._reopen(self._path, self._owner)

    def claim(self, nodes: list[Item | None], memory: Memory) -> list[Write]:
        """The writes that put the memory's node and its missing directories, given the nodes as they were read.

        Raises PathConflict where the path is taken, Stale where others are at work on it.
        """
        for ancestor in nodes[:-1]:
            self._check_ancestor(ancestor)
        missing = [path for path, node in zip(self._ancestors, nodes, strict=False) if node is None]
        directories = [
            put(Key(self._contents, path), {"node": items.DIRECTORY}, MISSING | _IS_DIRECTORY, self._taken)
            for path in missing
        ]

        def refused(node: Item | None) -> Exception:
            # The memory itself is there: it was moved or restored to this path since its own row was read.
            return Stale() if node and node.get("memory_id") == memory.id else self._taken(node)

        if nodes[-1] and nodes[-1]["node"] == items.FILE:
            raise refused(nodes[-1])
        return [*directories, node_write(self._contents, memory, self._free(nodes[-1], memory.id), refused)]

    def _check_ancestor(self, node: Item | None) -> None:
        if node is None or node["node"] == items.DIRECTORY:
            return
        if node["node"] == items.CLOSING:
            self._wait_for_closer(node)
        raise self._taken(node)

    def _free(self, node: Item | None, memory_id: str) -> ConditionBase:
        """The condition under which the path, where no file stands, is free for this request."""
        if node is None:
            return MISSING
        if node["node"] == items.CLOSING and node["owner"] != self._owner:
            self._wait_for_closer(node)
        self._check_empty(memory_id)
        if node["node"] == items.DIRECTORY:
            self._close()
        if not self._is_drained:
            self._drain()
        return Attr("node").eq(items.CLOSING) & Attr("owner").eq(self._owner)

    def _close(self) -> None:
        """Close the empty directory; from now on nobody begins a write below it."""
        closing = {"node": items.CLOSING, "owner": self._owner, "since": clock.now()}
        self._has_closed, self._is_drained = True, False
        self._context.table.write(update(self.keys[-1], closing, condition=_IS_DIRECTORY))

    def _drain(self) -> None:
        """Let no write land that began while the directory was open; then start over with what is so now.

        A drain that failed half-way, or a close whose reply was lost, leads here again: without it, nothing commits.
        """
        self._context.insist(lambda: fences.bump(self._context.table, self._contents))
        self._is_drained = True
        raise Stale

    def _check_empty(self, memory_id: str) -> None:
        """Raise PathConflict where memories live below; it names the memory to be moved if that is the only one."""
        living = self._living_below()
        if [node["memory_id"] for node in living] == [memory_id]:
            raise PathConflict(self._path, living[0]["sk"], memory_id)
        if living:
            raise PathConflict(self._path, self._path, "")

    def _living_below(self) -> list[Item]:
        """Up to two of the files below the path; a path of full length has nothing below it."""
        below = f"{self._path}/"
        if len(below.encode()) > paths.MAX_BYTES:
            return []
        condition = KeyAttr("pk").eq(self._contents) & KeyAttr("sk").begins_with(below)
        start = None
        living: list[Item] = []
        while True:
            page = self._context.table.query(condition, where=Attr("node").eq(items.FILE), start=start)
            living += page.items
            if len(living) > 1 or page.last_key is None:
                return living[:2]
            start = page.last_key

    def _taken(self, node: Item | None) -> Exception:
        if node and node["node"] == items.FILE:
            return PathConflict(self._path, node["sk"], node["memory_id"])
        return start_over(node)

    def _wait_for_closer(self, node: Item) -> None:
        if clock.now() - int(node["since"]) > _ABANDONED_AFTER:
            self._reopen(node["sk"], node["owner"])
        raise Stale

    def _reopen(self, path: str, owner: str) -> None:
        still_closed = Attr("node").eq(items.CLOSING) & Attr("owner").eq(owner)
        reopened = update(
            Key(self._contents, path),
            {"node": items.DIRECTORY},
            remove=("owner", "since"),
            condition=still_closed,
            refused=ConditionFailed,
        )
        with suppress(ConditionFailed):
            self._context.table.write(reopened)
