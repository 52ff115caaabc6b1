"""Waiting between tries: full jitter, so that those who met once do not meet again."""

import random
from collections.abc import Iterator

_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.64
_random = random.SystemRandom()


def pauses() -> Iterator[float]:
    """Seconds to wait before each further try: random, at most 20 ms at first, doubling to at most 640 ms."""
    longest = _FIRST_PAUSE
    while True:
        yield _random.uniform(0, longest)
        longest = min(2 * longest, _LONGEST_PAUSE)
