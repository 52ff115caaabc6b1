"""Identifiers: a prefix that says what it names, and the 32 hex digits of a UUID.

Minted ids are UUIDv7 (RFC 9562), so that they sort by time. Their random bits come from the operating system:
a process restored from a snapshot must not repeat them.
"""

import re
import secrets

from memory_stores.domain import clock
from memory_stores.domain.errors import InvalidRequest

STORE = "memstore"
MEMORY = "mem"
VERSION = "memver"
API_KEY = "apikey"
SESSION = "sesn"
REQUEST = "req"

_ID = re.compile(r"[a-z]+_[0-9a-f]{32}")
_WORKSPACE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
HOLDER_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
_RANDOM_LOW = (1 << 62) - 1


def new(prefix: str) -> str:
    """A fresh id of the current millisecond."""
    return _render(prefix, _uuid7(clock.now()))


def new_after(prefix: str, predecessor: str) -> str:
    """A fresh id that sorts after `predecessor` even if the clock stands still or runs backwards."""
    before = int(predecessor[-32:], 16)
    fresh = _uuid7(clock.now())
    if fresh <= before:
        at_end_of_millisecond = before & _RANDOM_LOW == _RANDOM_LOW
        fresh = _uuid7((before >> 80) + 1) if at_end_of_millisecond else before + 1
    return _render(prefix, fresh)


def time_of(id: str) -> int:
    """The millisecond a minted id was made in."""
    return int(id[-32:-20], 16)


def lowest(prefix: str, millisecond: int) -> str:
    """A text that sorts before every id of that millisecond and after every earlier one."""
    return f"{prefix}_{max(0, min(millisecond, (1 << 48) - 1)):012x}"


def is_id(prefix: str, text: str) -> bool:
    """Whether `text` has the form of an id with that prefix; it need not exist."""
    return text.startswith(f"{prefix}_") and _ID.fullmatch(text) is not None


def check_workspace_id(text: str, field: str) -> str:
    """The id of a workspace: keys are built from it, so it holds none of their separators. Raises InvalidRequest."""
    if _WORKSPACE_ID.fullmatch(text) is None:
        raise InvalidRequest("must be 1 to 64 letters, digits, '_' and '-'", field)
    return text


def check_holder_id(text: str, field: str) -> str:
    """The id of a deployment or bot, chosen by its owner; not `..`, which clients fold. Raises InvalidRequest."""
    if HOLDER_ID.fullmatch(text) is None:
        raise InvalidRequest("must be 1 to 128 letters, digits, '.', '_', ':' and '-', a letter or digit first", field)
    return text


def _uuid7(milliseconds: int) -> int:
    high = milliseconds << 80 | 0x7 << 76 | secrets.randbits(12) << 64
    return high | 0b10 << 62 | secrets.randbits(62)


def _render(prefix: str, value: int) -> str:
    return f"{prefix}_{value:032x}"
