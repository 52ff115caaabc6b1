"""What every operation works with: the storage, the limits, the caller, and the time it has."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from memory_stores.domain.errors import Overloaded, Throttled
from memory_stores.domain.limits import Limits
from memory_stores.domain.models import Caller
from memory_stores.storage import items
from memory_stores.storage.agent_role import AgentRole
from memory_stores.storage.backoff import pauses
from memory_stores.storage.bodies import Bodies
from memory_stores.storage.errors import Stale
from memory_stores.storage.table import Table

T = TypeVar("T")

_MOST_THROTTLED = 5


class Deadline:
    """A point in time after which a request must not start anything again."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def passed(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self._end


@dataclass(frozen=True, slots=True)
class Storage:
    """The two stores, the limits of what may be put into them, and the cursor secrets this process has read.

    Agents sign as sessions of the `agent_role`. `default_workspace_id` is that of IAM callers without a stored mapping,
    None where they are refused.
    """

    table: Table
    bodies: Bodies
    limits: Limits
    default_workspace_id: str | None
    agent_role: AgentRole
    cursor_keys: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    """One call: who makes it, which operation (`access.ALLOWED`), on what, and until when."""

    storage: Storage
    caller: Caller
    operation: str
    deadline: Deadline

    @property
    def table(self) -> Table:
        """The table of the deployment."""
        return self.storage.table

    @property
    def bodies(self) -> Bodies:
        """The bodies of the deployment."""
        return self.storage.bodies

    @property
    def limits(self) -> Limits:
        """The limits of the deployment."""
        return self.storage.limits

    @property
    def workspace_id(self) -> str:
        """The caller's workspace, the wall of everything it can name."""
        return self.caller.workspace_id

    def contents(self, store_id: str) -> str:
        """The partition that holds everything inside one of the workspace's stores."""
        return items.contents(self.workspace_id, store_id)

    def body_key(self, store_id: str, memory_id: str, version_id: str) -> str:
        """The S3 key of a version's body."""
        return items.body_key(self.workspace_id, store_id, memory_id, version_id)

    def until_settled(self, attempt: Callable[[], T]) -> T:
        """Run an attempt that reads, decides and commits; start it over while others get in between.

        Raises the last Stale once the time is up, and Throttled when AWS has asked to slow down too often. An unknown
        outcome is not repeated, because the attempt would judge its own effect.
        """
        return self._repeat(attempt, Stale, _MOST_THROTTLED)

    def insist(self, call: Callable[[], T]) -> T:
        """Repeat a call that may be done any number of times, until it is done or the time is up."""
        return self._repeat(call, Overloaded, math.inf)

    def _repeat(self, call: Callable[[], T], repeatable: type[Overloaded], most_throttled: float) -> T:
        throttled = 0
        for pause in pauses():
            try:
                return call()
            except repeatable:
                if self.deadline.passed:
                    raise
            except Throttled:
                throttled += 1
                if throttled == most_throttled or self.deadline.passed:
                    raise
            time.sleep(pause)
        raise AssertionError("pauses never end")
