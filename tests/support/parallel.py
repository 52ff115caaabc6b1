"""Races: many calls that start together."""

import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any


def run_parallel(fns: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run all at once, a thread each, from one barrier; their answers in order. Raises what the first failure was."""
    barrier = threading.Barrier(len(fns))
    answers: list[Any] = [None] * len(fns)
    failures: list[BaseException] = []

    def run(index: int, fn: Callable[[], Any]) -> None:
        try:
            barrier.wait(timeout=60)
            answers[index] = fn()
        except BaseException as failure:  # noqa: BLE001 - raised again by the caller
            failures.append(failure)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(fns)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=300)
            assert not thread.is_alive(), "a call never finished"
    finally:
        sys.setswitchinterval(interval)
    if failures:
        raise failures[0]
    return answers
