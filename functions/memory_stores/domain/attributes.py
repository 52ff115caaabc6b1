"""The rules for names, descriptions, metadata, content and digests.

Each check answers the value itself and raises InvalidRequest naming its field.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping

from memory_stores.domain.errors import InvalidRequest

MAX_NAME = 255
MAX_DESCRIPTION = 1024
MAX_PAIRS = 16
MAX_METADATA_KEY = 64
MAX_METADATA_VALUE = 512
SHA256 = re.compile(r"[0-9a-f]{64}")


def check_text(value: str, field: str, *, least: int = 0, most: int) -> str:
    """Text of `least` to `most` characters that UTF-8 can carry."""
    if not least <= len(value) <= most:
        raise InvalidRequest(f"must be {least} to {most} characters long", field)
    check_encodable(value, field)
    return value


def check_encodable(value: str, field: str) -> bytes:
    """The UTF-8 bytes of the text; a lone surrogate has none."""
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise InvalidRequest("must not contain a lone surrogate", field) from None


def check_name(value: str, field: str = "name") -> str:
    """A display name: 1–255 characters, no control characters."""
    check_text(value, field, least=1, most=MAX_NAME)
    if any(unicodedata.category(char) == "Cc" for char in value):
        raise InvalidRequest("must not contain control characters", field)
    return value


def check_description(value: str, field: str = "description") -> str:
    """Free text of at most 1,024 characters."""
    return check_text(value, field, most=MAX_DESCRIPTION)


def check_metadata(patch: Mapping[str, str | None], field: str = "metadata") -> dict[str, str | None]:
    """A merge patch whose keys (1–64 characters) and values (at most 512, or None to remove) are each legal."""
    for key, value in patch.items():
        check_text(key, f"{field} key", least=1, most=MAX_METADATA_KEY)
        if value is not None:
            check_text(value, f"{field}.{key}", most=MAX_METADATA_VALUE)
    return dict(patch)


def merge_metadata(
    current: Mapping[str, str], patch: Mapping[str, str | None], field: str = "metadata"
) -> dict[str, str]:
    """The metadata after a merge patch; the limit of 16 pairs holds for the result."""
    merged = {key: value for key, value in {**current, **patch}.items() if value is not None}
    if len(merged) > MAX_PAIRS:
        raise InvalidRequest(f"must hold at most {MAX_PAIRS} pairs", field)
    return merged


def check_content(content: str, max_bytes: int, field: str = "content") -> bytes:
    """The bytes of a memory's text, exactly as sent, at most `max_bytes` of them."""
    body = check_encodable(content, field)
    if len(body) > max_bytes:
        raise InvalidRequest(f"must be at most {max_bytes} bytes of UTF-8, but is {len(body)}", field)
    return body


def check_sha256(value: str, field: str) -> str:
    """A SHA-256 digest in 64 lowercase hex digits."""
    if SHA256.fullmatch(value) is None:
        raise InvalidRequest("must be 64 lowercase hexadecimal characters", field)
    return value


def sha256_of(body: bytes) -> str:
    """The digest of a body, in lowercase hex."""
    return hashlib.sha256(body).hexdigest()
