"""The secrets that open the key door: API keys and sessions' bearer tokens, told apart by their prefix."""

import hashlib
import re
import secrets

API_KEY = "msk_"
TOKEN = "mst_"
_BYTES = 32
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")


def new(prefix: str) -> str:
    """A fresh secret of 256 random bits."""
    return prefix + secrets.token_urlsafe(_BYTES)


def is_secret(prefix: str, text: str) -> bool:
    """Whether the text has the form of a secret with that prefix."""
    return text.startswith(prefix) and _SECRET.fullmatch(text, len(prefix)) is not None


def sha256_of(secret: str) -> str:
    """The digest that a secret is stored and looked up by; with 256 random bits, it needs no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()
