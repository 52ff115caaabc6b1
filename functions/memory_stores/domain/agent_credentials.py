"""The credentials that an agent calls with. Times are milliseconds since the epoch."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BearerToken:
    """What opens the key door for an agent."""

    token: str
    expires_at: int


@dataclass(frozen=True, slots=True)
class AwsCredentials:
    """What signs an agent's requests to the signed door."""

    access_key_id: str
    secret_access_key: str
    session_token: str
    region: str
    expires_at: int
