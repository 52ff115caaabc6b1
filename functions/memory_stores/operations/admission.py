"""The limit of memories a store: who adds one reads how many there are."""

from dataclasses import dataclass

from memory_stores.domain.errors import LimitReached
from memory_stores.operations.context import Context
from memory_stores.storage import fences
from memory_stores.storage.fences import Fence

NEARLY_FULL = 64
"""How many entries before its limit a store begins to admit new ones one by one.

The limit is exact while no more creates than this are under way at once.
"""


@dataclass(frozen=True, slots=True)
class Room:
    """How many memories a store holds and may hold."""

    store_id: str
    entries: int
    limit: int

    def check(self) -> None:
        """Raise LimitReached where there is no room for one more."""
        if self.entries >= self.limit:
            raise LimitReached(f"memory store {self.store_id} already holds {self.limit} memories")


def read_admission(context: Context, store_id: str) -> tuple[Fence, Room]:
    """A fence for a write that adds a memory, and the room there is."""
    limit = context.limits.max_memories_per_store
    fence, statistics = fences.read_all(context.table, context.contents(store_id), limit - NEARLY_FULL)
    return fence, Room(store_id, statistics.entries, limit)
