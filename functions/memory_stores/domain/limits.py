"""The limits of a deployment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Deploy-time settings with the defaults of the contract."""

    max_memory_bytes: int = 102_400
    max_memories_per_store: int = 10_000
    max_stores_per_workspace: int = 1_000
    max_attached_stores: int = 8
    bearer_lifetime_seconds: int = 3_600
    aws_lifetime_seconds: int = 3_600

    @property
    def max_body_bytes(self) -> int:
        """Above this, no request is legal: a control character of a memory takes six bytes of JSON."""
        return max(1024 * 1024, 6 * self.max_memory_bytes + 64 * 1024)
