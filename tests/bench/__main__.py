"""`make bench`: what each operation costs, whether that stays so in large stores, and how long the functions import."""

import os
import sys
import time

from tests.bench.costs import growth, operations
from tests.bench.imports import imports
from tests.bench.place import places

PARTS = ("operations", "growth", "imports")


def main(parts: list[str]) -> int:
    """Print the tables of these parts, or of all.

    Answers 1, after a sentence for each, where an operation is over its budget or costs more in a larger store.
    """
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")
    excesses = []
    if {"operations", "growth"}.intersection(parts):
        _progress("Deploying into an emulator")
        with places() as make_place:
            if "operations" in parts:
                _headline("What each operation costs, beside the authentication")
                excesses += operations(make_place())
            if "growth" in parts:
                _headline("The same operations in a small and in a large store")
                excesses += growth(make_place())
    if "imports" in parts:
        _headline("How long the functions import")
        imports()
    for excess in excesses:
        print(f"TOO MUCH: {excess}.", file=sys.stderr)
    return 1 if excesses else 0


def _headline(text: str) -> None:
    _progress(text)
    print(f"\n## {text}\n", flush=True)


def _progress(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text} …", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(PARTS)))
