"""Work that a crash may leave undone: queued in the transaction that makes it necessary, taken off when it is done."""

from dataclasses import dataclass
from typing import Self

from memory_stores.domain import clock
from memory_stores.storage.expressions import MISSING, Item, Key, Write, put

PURGE = "purge"
REDACTION = "redaction"


@dataclass(frozen=True, slots=True)
class Work:
    """A store to purge, or the body of a redacted version to remove; `since` is milliseconds since the epoch."""

    kind: str
    since: int
    workspace_id: str
    store_id: str
    memory_id: str | None = None
    version_id: str | None = None

    @classmethod
    def purge(cls, workspace_id: str, store_id: str, since: int) -> Self:
        """Remove all bodies and rows of a deleted store."""
        return cls(PURGE, since, workspace_id, store_id)

    @classmethod
    def redaction(cls, workspace_id: str, store_id: str, memory_id: str, version_id: str, since: int) -> Self:
        """Remove the body of a redacted version."""
        return cls(REDACTION, since, workspace_id, store_id, memory_id, version_id)

    @property
    def key(self) -> Key:
        """Oldest first within its kind, and the same whenever the same work is meant."""
        name = self.version_id or self.store_id
        return Key(f"work#{self.kind}", f"{clock.to_text(self.since)}#{self.workspace_id}#{name}")


def queued(work: Work) -> Write:
    """Put the work into the queue."""
    return put(
        work.key,
        {
            "since": work.since,
            "workspace_id": work.workspace_id,
            "store_id": work.store_id,
            "memory_id": work.memory_id,
            "version_id": work.version_id,
        },
        MISSING,
    )


def parse_work(item: Item) -> Work:
    """The work of an item of the queue."""
    return Work(
        kind=item["pk"].partition("#")[2],
        since=int(item["since"]),
        workspace_id=item["workspace_id"],
        store_id=item["store_id"],
        memory_id=item.get("memory_id"),
        version_id=item.get("version_id"),
    )
