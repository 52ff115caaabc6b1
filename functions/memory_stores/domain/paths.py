"""Paths of memories: the canonical, absolute form, and its place in the tree."""

import unicodedata

from memory_stores.domain.errors import InvalidRequest

MAX_BYTES = 1024
MAX_SEGMENTS = 20
_SEPARATORS = "\u2028\u2029"
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs"})


def check(path: str, field: str = "path") -> str:
    """The path itself, if it is canonical: `/` and 1–20 segments, at most 1,024 bytes of UTF-8, in NFC.

    Raises InvalidRequest naming `field`. Nothing is rewritten: two spellings of one name are refused, not merged.
    """
    if len(path) > MAX_BYTES:  # before anything that takes time with length
        raise InvalidRequest(f"must be at most {MAX_BYTES} bytes of UTF-8", field)
    if not path.startswith("/"):
        raise InvalidRequest("must start with '/'", field)
    segments = path[1:].split("/")
    if len(segments) > MAX_SEGMENTS:
        raise InvalidRequest(f"must have at most {MAX_SEGMENTS} segments", field)
    if any(segment in ("", ".", "..") for segment in segments):
        raise InvalidRequest("must not have a segment that is empty, '.' or '..'", field)
    if any(unicodedata.category(char) in _REFUSED_CATEGORIES or char in _SEPARATORS for char in path):
        raise InvalidRequest("must not contain control or format characters, line separators or surrogates", field)
    if len(path.encode()) > MAX_BYTES:
        raise InvalidRequest(f"must be at most {MAX_BYTES} bytes of UTF-8", field)
    if not unicodedata.is_normalized("NFC", path):
        raise InvalidRequest("must be in Unicode normalization form C", field)
    return path


def check_prefix(prefix: str, field: str = "path_prefix") -> str:
    """The prefix itself, if it names a directory: `/`, or a canonical path followed by `/`, at most 1,024 bytes."""
    if not prefix.startswith("/") or not prefix.endswith("/"):
        raise InvalidRequest("must start and end with '/'", field)
    if prefix != "/":
        check(prefix[:-1], field)
        if len(prefix.encode()) > MAX_BYTES:
            raise InvalidRequest(f"must be at most {MAX_BYTES} bytes of UTF-8", field)
    return prefix


def ancestors(path: str) -> list[str]:
    """The directories above a path, outermost first: `/a/b/c` → `/a`, `/a/b`."""
    segments = path.split("/")[1:-1]
    return ["/" + "/".join(segments[: depth + 1]) for depth in range(len(segments))]


def child_directory(prefix: str, path: str) -> str | None:
    """The direct child of `prefix` (with a closing `/`) that a deeper path lies in; None for a direct child."""
    name, slash, _ = path[len(prefix) :].partition("/")
    return f"{prefix}{name}/" if slash else None
