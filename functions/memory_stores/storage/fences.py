"""The fences of a store: what makes a changed rule hold at once for every write.

A write reads one fence before it reads any rule, and commits only if that fence's number is unchanged. Whoever
changes a rule bumps all fences before it answers. So a write that commits after that answer has read its fence after
the bump, and therefore the new rule. The fences also carry the store's statistics, each a share.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from memory_stores.storage.expressions import MISSING, Attr, Item, Key, Write, update
from memory_stores.storage.table import Table

COUNT = 16
_random = random.SystemRandom()


def _key(contents: str, number: int) -> Key:
    return Key(contents, f"fence#{number:02d}")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fence as it was read; `number` is None where it was not there yet.

    An exclusive one is bumped by its writers as well: of all that read one number, one commits.
    """

    key: Key
    number: int | None
    is_exclusive: bool = False

    def pass_through(self, *, entries: int, bytes: int) -> Write:
        """The part of a transaction that holds only while no rule has changed, and counts what the write adds."""
        unchanged = MISSING if self.number is None else Attr("fence").eq(self.number)
        counters = {"entries": entries, "bytes": bytes, "fence": int(self.is_exclusive)}
        return update(self.key, add=counters, condition=unchanged)


@dataclass(frozen=True, slots=True)
class Statistics:
    """How many living memories a store holds, and their bytes."""

    entries: int
    bytes: int


def read(table: Table, contents: str) -> Fence:
    """One fence, picked at random so that writers seldom meet."""
    key = _key(contents, _random.randrange(COUNT))
    return _as_read(key, table.get(key))


def read_each(table: Table, contents: Sequence[str]) -> list[Fence]:
    """One fence of each of the stores, read at once."""
    keys = [_key(each, _random.randrange(COUNT)) for each in contents]
    return [_as_read(key, item) for key, item in zip(keys, table.get_all(keys), strict=True)]


def read_all(table: Table, contents: str, nearly_full: int) -> tuple[Fence, Statistics]:
    """A fence and the store's statistics; from `nearly_full` entries on always the same, exclusive fence.

    Writers that meet there pass one by one. The shares are not read at one instant: their sum may be off by what is
    written meanwhile, and is never told as negative.
    """
    keys = [_key(contents, number) for number in range(COUNT)]
    items = table.get_all(keys)
    present = [item for item in items if item]
    total = Statistics(
        entries=max(0, sum(int(item["entries"]) for item in present)),
        bytes=max(0, sum(int(item["bytes"]) for item in present)),
    )
    is_nearly_full = total.entries >= nearly_full
    number = 0 if is_nearly_full else _random.randrange(COUNT)
    return _as_read(keys[number], items[number], is_exclusive=is_nearly_full), total


def _as_read(key: Key, item: Item | None, *, is_exclusive: bool = False) -> Fence:
    return Fence(key, int(item["fence"]) if item else None, is_exclusive)


def bump(table: Table, *contents: str) -> None:
    """Bump all fences of these stores, side by side; when this returns, no write that began before can still land."""
    added = {"fence": 1, "entries": 0, "bytes": 0}
    table.write_each([update(_key(each, number), add=added) for each in contents for number in range(COUNT)])
