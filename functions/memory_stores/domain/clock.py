"""The time, in milliseconds since the epoch, and its text form (RFC 3339, UTC, milliseconds)."""

import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from memory_stores.domain.errors import InvalidRequest

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_MILLISECOND_NANOSECONDS = 1_000_000
LAST = 253_402_300_799_999  # the last millisecond of the year 9999, where RFC 3339 ends
_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)


def now() -> int:
    """The wall clock, in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def to_text(milliseconds: int) -> str:
    """`2026-01-31T08:00:00.000Z`; sorts as text in the order of time."""
    moment = _EPOCH + milliseconds * _MILLISECOND
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def parse_nanoseconds(text: str, field: str) -> int:
    """Nanoseconds since the epoch of an RFC 3339 time, which must carry an offset.

    Raises InvalidRequest naming `field`; a `+` that arrived as a space is refused, never read as UTC.
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise InvalidRequest("must be an RFC 3339 time with an offset, such as 2026-01-31T08:00:00Z", field)
    year, month, day, hour, minute, second, fraction, sign, off_hours, off_minutes = match.groups()
    try:
        moment = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second), tzinfo=UTC)
        if int(off_hours or 0) > 23 or int(off_minutes or 0) > 59:
            raise ValueError("offset out of range")
    except ValueError as error:
        raise InvalidRequest(f"is not a time that exists ({error})", field) from None
    offset = timedelta(hours=int(off_hours or 0), minutes=int(off_minutes or 0))
    seconds = (moment - _EPOCH) // timedelta(seconds=1) - (1 if sign == "+" else -1) * int(offset.total_seconds())
    return seconds * 1_000_000_000 + int((fraction or "").ljust(9, "0"))


@dataclass(frozen=True, slots=True)
class Period:
    """From `first` to `last`, both inclusive, in milliseconds since the epoch."""

    first: int = 0
    last: int = LAST

    @property
    def is_empty(self) -> bool:
        """Whether no moment lies in it."""
        return self.first > self.last


def period(
    field: str, *, gte: str | None = None, lte: str | None = None, gt: str | None = None, lt: str | None = None
) -> Period:
    """The milliseconds from `gte` to `lte`, inclusive, behind `gt` and before `lt`, each an RFC 3339 time or None.

    Raises InvalidRequest.
    """
    firsts = [0]
    lasts = [LAST]
    if gte is not None:
        firsts.append(-(-parse_nanoseconds(gte, f"{field}[gte]") // _MILLISECOND_NANOSECONDS))
    if gt is not None:
        firsts.append(parse_nanoseconds(gt, f"{field}[gt]") // _MILLISECOND_NANOSECONDS + 1)
    if lte is not None:
        lasts.append(parse_nanoseconds(lte, f"{field}[lte]") // _MILLISECOND_NANOSECONDS)
    if lt is not None:
        lasts.append(-(-parse_nanoseconds(lt, f"{field}[lt]") // _MILLISECOND_NANOSECONDS) - 1)
    return Period(max(firsts), min(lasts))
