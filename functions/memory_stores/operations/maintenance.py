"""Finishing what a crash or a deletion left: unfinished redactions, and the contents of deleted stores."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memory_stores.domain import clock
from memory_stores.operations.context import Deadline, Storage
from memory_stores.operations.queue import PURGE, REDACTION, Work, parse_work
from memory_stores.storage import items
from memory_stores.storage.expressions import Item, Key, KeyAttr, delete
from memory_stores.storage.table import BATCH_WRITE_ITEMS

_REQUEST_LIFETIME = 60_000
"""Milliseconds after which no request that began before can still be under way."""

_KEEP_FENCES = 3_600_000
"""Milliseconds for which a deleted store keeps its tombstone and fences, so that no late write finds neither."""


@dataclass(slots=True)
class Totals:
    """What one run has done; `failed` counts work that is left for the next run because it raised an error."""

    redactions: int = 0
    bodies: int = 0
    rows: int = 0
    stores: int = 0
    failed: int = 0
    is_complete: bool = False


def work_queue(storage: Storage, deadline: Deadline, report: Callable[[Exception], None]) -> Totals:
    """Do the queued work, oldest first, until the time is up; the next run goes on where this one stopped.

    Work that raises an error is reported and left in the queue; the rest goes on.
    """
    totals = Totals()
    for finish, kind in ((_finish_redaction, REDACTION), (_purge, PURGE)):
        for work in _queued(storage, kind):
            if deadline.passed and kind == REDACTION:
                return totals
            try:
                if not finish(storage, work, deadline, totals):
                    return totals
            except Exception as error:  # noqa: BLE001 - one piece of work must not keep the others from being done
                totals.failed += 1
                report(error)
    totals.is_complete = True
    return totals


def _queued(storage: Storage, kind: str) -> Iterator[Work]:
    start = None
    while True:
        page = storage.table.query(KeyAttr("pk").eq(f"work#{kind}"), start=start)
        yield from (parse_work(item) for item in page.items)
        if page.last_key is None:
            return
        start = page.last_key


def _finish_redaction(storage: Storage, work: Work, _: Deadline, totals: Totals) -> bool:
    """Remove what a redaction, or a request that lost against it, may have left of the text."""
    if clock.now() - work.since <= _REQUEST_LIFETIME:
        return True
    contents = items.contents(work.workspace_id, work.store_id)
    prefix = f"{items.bodies_prefix(work.workspace_id, work.store_id)}{work.memory_id}/"
    for names in storage.bodies.list_older(prefix, clock.now() - _REQUEST_LIFETIME):
        rows = storage.table.get_all([Key(contents, name.removeprefix(prefix)) for name in names])
        for name, row in zip(names, rows, strict=True):
            if row is None or "redacted_at" in row:
                storage.bodies.delete(name)
                totals.bodies += 1
    storage.table.write(delete(work.key))
    totals.redactions += 1
    return True


def _purge(storage: Storage, work: Work, deadline: Deadline, totals: Totals) -> bool:
    """Remove a deleted store's bodies and rows; false when the time ran out. After an hour, the last traces go too."""
    is_final = clock.now() - work.since > _KEEP_FENCES
    for removed in storage.bodies.delete_prefix(items.bodies_prefix(work.workspace_id, work.store_id)):
        totals.bodies += removed
        if deadline.passed:
            return False
    for keys in _rows(storage, work, with_fences=is_final):
        storage.table.delete_all(keys)
        totals.rows += len(keys)
        if deadline.passed:
            return False
    if is_final:
        storage.table.write(delete(items.store_key(work.workspace_id, work.store_id)))
        storage.table.write(delete(work.key))
        totals.stores += 1
    return True


def _rows(storage: Storage, work: Work, *, with_fences: bool) -> Iterator[list[Key]]:
    """The keys of what the store holds, in batches as large as one write takes."""
    condition = KeyAttr("pk").eq(items.contents(work.workspace_id, work.store_id))
    start: Item | None = None
    while True:
        page = storage.table.query(condition, start=start)
        keys = [Key(item["pk"], item["sk"]) for item in page.items]
        doomed = [key for key in keys if with_fences or not key.sk.startswith("fence#")]
        for index in range(0, len(doomed), BATCH_WRITE_ITEMS):
            yield doomed[index : index + BATCH_WRITE_ITEMS]
        if page.last_key is None:
            return
        start = page.last_key
