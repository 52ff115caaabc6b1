"""What each operation costs, against its budget; and that the size of a store does not matter."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.capacity import Capacity, consumed
from tests.bench.operations import OPERATIONS, Operation, Scene
from tests.bench.place import Place
from tests.bench.recorder import Call, hops
from tests.bench.report import table
from tests.bench.sessions import SESSION_OPERATIONS

REPEATS = 9
UNITS = ("RRU", "WRU", "PUT", "GET")
SIZE = (6, 24)
"""Folders, and memories a folder, of the store that the operations are measured in."""

COMPARED = ((10, 10), (1000, 10))
"""The same of the two stores that are compared."""

SAMPLED = (
    "create memory",
    "update content",
    "rename",
    "delete memory",
    "retrieve memory, full",
    "retrieve memory, basic",
    "list memories, 20 basic",
    "list memories, 20 full",
    "list versions, 20 basic",
    "list versions of a memory",
    "restore, deleted memory",
)


@dataclass(frozen=True)
class Cost:
    """What one operation takes beside the authentication, and its times over some repeats, in seconds."""

    operation: Operation
    hops: int
    calls: list[Call]
    capacity: Capacity
    beyond: float
    ratio: float

    @property
    def excess(self) -> str | None:
        """In which way the operation is over its budget."""
        budget = self.operation.budget
        if self.hops <= budget.hops and len(self.calls) <= budget.calls:
            return None
        return (
            f"{self.operation.name} takes {self.hops} hops and {len(self.calls)} calls "
            f"({_names(self.calls)}), and may take {budget.hops} and {budget.calls}"
        )

    @property
    def row(self) -> list[str]:
        budget = self.operation.budget
        return [
            self.operation.name,
            f"{self.hops}/{budget.hops}",
            f"{len(self.calls)}/{budget.calls}",
            *_units(self.capacity),
            f"{self.beyond * 1000:.1f}",
            f"{self.ratio:.2f}",
            _names(self.calls),
        ]


def operations(place: Place) -> list[str]:
    """Measure and print each operation; answers a sentence for each that is over its budget."""
    scene = Scene(place, place.filled_store(*SIZE))
    costs = [_cost(scene, operation) for operation in (*OPERATIONS, *SESSION_OPERATIONS)]
    head = ["operation", "hops", "calls", *UNITS, "own ms", "own/AWS", "AWS calls"]
    print(table(head, [cost.row for cost in costs]))
    ratio = statistics.median(cost.ratio for cost in costs)
    print(f"\nMedian of own/AWS: {ratio:.2f}")
    return [cost.excess for cost in costs if cost.excess]


def growth(place: Place) -> list[str]:
    """Measure in a small and in a large store, and print both; answers a sentence for each difference."""
    sizes = [f"{folders * files:,}" for folders, files in COMPARED]
    scenes = [Scene(place, place.filled_store(*size)) for size in COMPARED]
    pairs = {name: [_figures_in(scene, name) for scene in scenes] for name in SAMPLED}
    rows = [[name, *(f"{one} → {other}" for one, other in zip(*pair, strict=True))] for name, pair in pairs.items()]
    print(f"From {sizes[0]} to {sizes[1]} memories:\n")
    print(table(["operation", "hops", "calls", *UNITS], rows))
    return [
        f"{name} costs {', '.join(small)} (hops, calls, {', '.join(UNITS)}) in a store of {sizes[0]} memories "
        f"and {', '.join(large)} in one of {sizes[1]}"
        for name, (small, large) in pairs.items()
        if small != large
    ]


def _cost(scene: Scene, operation: Operation) -> Cost:
    calls = _counted(scene, operation)
    measure = scene.place.measure
    timed = [measure(operation.prepare(scene), operation.status) for _ in range(REPEATS)]
    return Cost(
        operation,
        hops(calls),
        calls,
        consumed(calls, scene.place.dynamodb),
        beyond=statistics.median(one.beyond for one in timed),
        ratio=statistics.median(one.beyond / one.inside for one in timed),
    )


def _counted(scene: Scene, operation: Operation) -> list[Call]:
    counted = scene.place.count(operation.prepare(scene), operation.status)
    return counted.calls if operation.is_authentication else counted.calls_of_operation


def _figures_in(scene: Scene, name: str) -> list[str]:
    """Hops, calls and units of an operation in a store."""
    operation = next(operation for operation in OPERATIONS if operation.name == name)
    calls = _counted(scene, operation)
    return [str(hops(calls)), str(len(calls)), *_units(consumed(calls, scene.place.dynamodb))]


def _units(capacity: Capacity) -> list[str]:
    return [
        f"{capacity.read_units:g}",
        f"{capacity.write_units:g}",
        f"{capacity.puts}",
        f"{capacity.gets}",
    ]


def _names(calls: Sequence[Call]) -> str:
    """`GetItem, 16 UpdateItem`, in the order of their first start."""
    counts = Counter(call.operation.partition(".")[2] for call in calls)
    return ", ".join(f"{count} {name}" if count > 1 else name for name, count in counts.items())
