"""Pages: gathering what a list asks for, and the signed cursors that say where the next page begins."""

import base64
import binascii
import hmac
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from memory_stores.domain import clock
from memory_stores.domain.clock import Period
from memory_stores.domain.errors import InvalidRequest
from memory_stores.operations.context import Context, Deadline
from memory_stores.storage import items, table
from memory_stores.storage.expressions import MISSING, Item, KeyAttr, put

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
V = TypeVar("V", bound="DataclassInstance")

SEARCH_SECONDS = 10.0
"""How long one page may search for matches before it is answered short (contract, section 2)."""

ANSWER_BUDGET = 5_500_000
"""Bytes that the items of one page may take in the answer; Lambda ends at 6,291,556."""

_ITEM_OVERHEAD = 1_000
"""Bytes of an answered item that are not values of its fields: names, punctuation, what is added in rendering."""

_MAC_BYTES = 16
_GROWTH = 4
_MOST_READ = 2_500


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a list; `next_page` is the cursor of the next page, None on the last one."""

    items: list[T]
    next_page: str | None


@dataclass(frozen=True, slots=True)
class Listing:
    """One list as its cursors know it: a cursor is only good for the same name, store and filters."""

    context: Context
    name: str
    store_id: str | None
    filters: dict[str, Any]

    def position(self, cursor: str | None) -> str | None:
        """Where a cursor says to go on. Raises InvalidRequest for one that this list did not hand out."""
        if cursor is None:
            return None
        try:
            signed = base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True)
        except (UnicodeEncodeError, binascii.Error):
            signed = b""
        mac, position = signed[:_MAC_BYTES], signed[_MAC_BYTES:]
        if _encode(signed) != cursor or not hmac.compare_digest(mac, self._mac(position)):
            raise InvalidRequest("is not a cursor that this list handed out", "page")
        return position.decode()

    def page(self, found: Sequence[V], last: str | None, position_of: Callable[[V], str]) -> "Page[V]":
        """As many of the items as fit into one answer; `last` is where the list goes on behind all of them."""
        count = within_budget(found)
        position = last if count == len(found) else position_of(found[count - 1])
        return Page(list(found[:count]), None if position is None else self._cursor(position.encode()))

    def _cursor(self, position: bytes) -> str:
        return _encode(self._mac(position) + position)

    def _mac(self, position: bytes) -> bytes:
        scope = json.dumps([self.context.workspace_id, self.name, self.store_id, self.filters], sort_keys=True)
        return hmac.digest(_cursor_key(self.context), scope.encode() + b"\0" + position, "sha256")[:_MAC_BYTES]


def _encode(signed: bytes) -> str:
    return base64.urlsafe_b64encode(signed).decode()


def _cursor_key(context: Context) -> bytes:
    """The workspace's secret for cursors: made once, then kept in the memory of each process."""
    known = context.storage.cursor_keys
    if context.workspace_id not in known:
        key = items.cursor_key_key(context.workspace_id)

        def attempt() -> str:
            if item := context.table.get(key):
                return str(item["secret"])
            secret = secrets.token_hex(32)
            context.table.write(put(key, {"secret": secret}, MISSING))
            return secret

        known[context.workspace_id] = bytes.fromhex(context.until_settled(attempt))
    return known[context.workspace_id]


def grown(size: int) -> int:
    """How many items the next Query of one page reads, when those before have brought too few."""
    return min(size * _GROWTH, _MOST_READ)


def gather(
    query: Callable[[Item | None, int], table.Page],
    *,
    start: Item | None,
    limit: int,
    keep: Callable[[list[Item]], list[Item]] = lambda items: items,
) -> tuple[list[Item], Item | None]:
    """Up to `limit` items of those that `keep` leaves, and the item or key to go on behind (None at the end).

    `query` reads from a start key a number of items. That number grows while few are kept, so that dense lists read
    little and sparse ones do not take many calls. Stops short only when the search time is up.
    """
    search = Deadline(SEARCH_SECONDS)
    found: list[Item] = []
    size = limit + 1
    while True:
        page = query(start, size)
        found += keep(page.items)
        if len(found) > limit:
            return found[:limit], found[limit - 1]
        if page.last_key is None or search.passed:
            return found, page.last_key
        start = page.last_key
        size = grown(size)


def newest_first(
    context: Context,
    partition: str,
    kind: str,
    created: Period,
    position: str | None,
    limit: int,
    keep: Callable[[list[Item]], list[Item]],
) -> tuple[list[Item], str | None]:
    """The items of one kind in a partition by the time of creation, and the position to go on behind."""
    if created.is_empty:
        return [], None
    first = f"{kind}#{clock.to_text(created.first)}"
    behind = f"{kind}#{clock.to_text(created.last)}#~"
    condition = KeyAttr("pk").eq(partition) & KeyAttr(items.BY_CREATED).between(first, behind)

    def query(start: Item | None, size: int) -> table.Page:
        return context.table.query(condition, index=items.BY_CREATED, descending=True, start=start, limit=size)

    start = None
    if position is not None:
        start = {"pk": partition, "sk": position.rpartition("#")[2], items.BY_CREATED: position}
    found, last = gather(query, start=start, limit=limit, keep=keep)
    return found, last[items.BY_CREATED] if last else None


def within_budget(values: Sequence["DataclassInstance"]) -> int:
    """How many of the items, from the first on, fit into one answer; at least one."""
    spent = 0
    for count, value in enumerate(values):
        spent += _cost(value)
        if spent > ANSWER_BUDGET:
            return max(1, count)
    return len(values)


def _cost(value: "DataclassInstance") -> int:
    """The most bytes an item can take in the answer: escaped as JSON, and again in Lambda's own envelope."""
    return len(json.dumps(json.dumps(asdict(value)))) + _ITEM_OVERHEAD
