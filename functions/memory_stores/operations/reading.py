"""Reading the texts of memories and versions while others may be replacing and redacting them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from memory_stores.domain.errors import BodyMissing
from memory_stores.domain.models import Memory, Version
from memory_stores.operations.context import Context
from memory_stores.storage.errors import Stale

T = TypeVar("T", Memory, Version)

MAX_FULL = 20
"""How many memories or versions a page with texts holds at most."""


class BodyReader:
    """Reads bodies for one request.

    A body can be gone because its version was redacted after its row was read: then the request starts over. If the
    row read anew still leads to the same missing body, the body is lost, and BodyMissing is raised.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._missing: set[str] = set()

    def fill(self, item: T) -> T:
        """A memory or version with its text; a version without a body stays without."""
        if not item.has_body:
            return item
        memory_id, version_id = item.body_ids
        with self.starting_over(version_id):
            body = self._context.bodies.get(self._context.body_key(item.store_id, memory_id, version_id))
        return item.with_content(body.decode())

    def fill_all(self, items: Sequence[T]) -> list[T]:
        """All the texts, read side by side."""
        return self._context.bodies.each(self.fill, items)

    def fill_changed(self, memory: Memory) -> Memory:
        """A memory as it was just committed, with its text; without where that was replaced and redacted since."""
        try:
            return self._context.until_settled(lambda: self.fill(memory))
        except BodyMissing:
            return memory

    @contextmanager
    def starting_over(self, version_id: str) -> Iterator[None]:
        """Start the request over the first time that this version's body is missing."""
        try:
            yield
        except BodyMissing:
            if version_id in self._missing:
                raise
            self._missing.add(version_id)
            raise Stale from None
