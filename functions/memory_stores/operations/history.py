"""One change of one memory: its version, its body, and the transaction that makes both visible."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory_stores.domain import ids
from memory_stores.domain.models import Memory, Operation, Tombstone, Version
from memory_stores.operations import tree
from memory_stores.operations.context import Context
from memory_stores.storage import items
from memory_stores.storage.expressions import MISSING, Attr, ConditionBase, Key, Write, delete, put
from memory_stores.storage.fences import Fence


@dataclass(slots=True)
class Draft:
    """The version that a write is about to add.

    The write may start over many times; the draft keeps its id and its stored body as long as they still fit, so that
    starting over seldom costs a second upload. What a write stored and did not commit is never visible.
    """

    context: Context
    store_id: str
    memory_id: str
    _version_id: str | None = None
    _stored: tuple[str, str] | None = None

    def version_id(self, head: str | None, sha256: str) -> str:
        """An id that sorts after `head`: the one minted before if it does and its body, if stored, is still right."""
        kept = self._version_id
        is_stale = self._stored is not None and self._stored != (kept, sha256)
        if kept is None or is_stale or (head is not None and kept <= head):
            kept = ids.new(ids.VERSION) if head is None else ids.new_after(ids.VERSION, head)
            self._version_id = kept
        return kept

    def upload(self, version_id: str, sha256: str, body: bytes) -> None:
        """Store the body of the version."""
        if self._stored != (version_id, sha256):
            self.context.bodies.put(self._key(version_id), body, sha256)
            self._stored = (version_id, sha256)

    def copy(self, version_id: str, source: Memory | Version) -> None:
        """Store the body of another version of the same memory as this version's own.

        Raises BodyMissing where the source has no body (any more).
        """
        sha256 = source.content_sha256 or ""
        if self._stored != (version_id, sha256):
            self.context.bodies.copy(self._key(source.body_ids[1]), self._key(version_id), sha256)
            self._stored = (version_id, sha256)

    def _key(self, version_id: str) -> str:
        return self.context.body_key(self.store_id, self.memory_id, version_id)


@dataclass(frozen=True, slots=True)
class Change:
    """What a version does to its memory: `before` is None for a new one, `after` a tombstone for a deleted one."""

    before: Memory | Tombstone | None
    after: Memory | Tombstone
    operation: Operation


def commit(
    context: Context, fence: Fence, change: Change, placement: Sequence[Write] = (), conditions: Sequence[Write] = ()
) -> None:
    """Make the change visible, all of it or none.

    `placement` puts the memory's node at a path it did not have before (`tree.Site.claim`); `conditions` are further
    things that must hold. Raises Stale where the head has moved or a rule has changed since they were read.
    """
    before, after = change.before, change.after
    contents = context.contents(after.store_id)
    version = _version(context, change)
    version_key = Key(contents, version.id)
    writes = [
        fence.pass_through(entries=_entries(after) - _entries(before), bytes=_bytes(after) - _bytes(before)),
        put(version_key, items.version_attributes(version), MISSING),
        put(Key(contents, after.id), _item(after), MISSING if before is None else _head_is(before)),
        *_node_writes(contents, before, after),
        *placement,
        *conditions,
    ]
    context.table.transact(writes, witness=version_key)


def _node_writes(contents: str, before: Memory | Tombstone | None, after: Memory | Tombstone) -> list[Write]:
    """What becomes of the node at the memory's former path."""
    if not isinstance(before, Memory):
        return []
    if isinstance(after, Memory) and after.path == before.path:
        return [tree.node_write(contents, after, _head_is(before))]
    return [delete(Key(contents, before.path), _head_is(before))]


def _version(context: Context, change: Change) -> Version:
    after = change.after
    living = after if isinstance(after, Memory) else None
    return Version(
        id=after.version_id,
        store_id=after.store_id,
        memory_id=after.id,
        operation=change.operation,
        revision=after.revision,
        path=after.path,
        content_sha256=living.content_sha256 if living else None,
        content_size_bytes=living.content_size_bytes if living else None,
        created_at=ids.time_of(after.version_id),
        created_by=context.caller.actor,
    )


def _item(state: Memory | Tombstone) -> dict[str, object]:
    if isinstance(state, Memory):
        return items.memory_item(state)
    return items.tombstone_item(state, ids.time_of(state.version_id))


def _head_is(before: Memory | Tombstone) -> ConditionBase:
    return Attr("head").eq(before.version_id)


def _entries(state: Memory | Tombstone | None) -> int:
    return int(isinstance(state, Memory))


def _bytes(state: Memory | Tombstone | None) -> int:
    return state.content_size_bytes if isinstance(state, Memory) else 0
