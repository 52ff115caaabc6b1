"""What can go wrong, as one tree.

MemoryStoresError
├── InvalidRequest            the request itself is wrong; `field` says where
│   ├── LimitReached          a limit of the workspace or store would be passed
│   ├── StoreArchived         a write to a store that is archived
│   ├── HeadRedaction         a redaction of the version a living memory stands on
│   └── MethodNotAllowed      a known path, another method
├── AuthenticationFailed      no key, or one that opens nothing
├── PermissionDenied          the caller is known and may not
├── NotFound                  not there, or behind the wall of another workspace
├── PathConflict              the path is taken
├── PreconditionFailed        the content is not what the caller expected
├── RequestTooLarge           the whole request, not one field of it
├── Throttled                 AWS asked to slow down until the time was up
└── Overloaded                writers kept each other from finishing, or AWS did not answer

A dialect maps each class to its own status and words; nothing else decides what a caller is told.
"""

_LONGEST_QUOTE = 100


def _quoted(text: str) -> str:
    """What a caller sent, short enough to be told again."""
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"


class BodyMissing(Exception):
    """There is no object where the row of a version says one is: damage, which no caller can mend."""


class MemoryStoresError(Exception):
    """The base of every error that is an answer; its text is shown to the caller."""


class InvalidRequest(MemoryStoresError):
    """The request is wrong in a way the caller can mend.

    `field` names the body field, query key or header, or is None where the whole request is meant.
    """

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(f"{_quoted(field)}: {message}" if field else message)
        self.field = field


class LimitReached(InvalidRequest):
    """A limit of the deployment (memories a store, stores a workspace) would be passed."""


class StoreArchived(InvalidRequest):
    """A write to an archived store."""

    def __init__(self, store_id: str) -> None:
        super().__init__(f"memory store {store_id} is archived: it takes no changes and cannot be attached")


class HeadRedaction(InvalidRequest):
    """A redaction of the current version of a living memory."""

    def __init__(self, version_id: str) -> None:
        super().__init__(
            f"{version_id} is the current version of its memory and cannot be redacted; "
            "write a newer version or delete the memory first"
        )


class MethodNotAllowed(InvalidRequest):
    """A path that exists, asked with a method it does not have.

    `allowed` lists those it has.
    """

    def __init__(self, method: str, allowed: list[str]) -> None:
        super().__init__(f"method {method} is not allowed here; allowed: {', '.join(allowed)}")
        self.allowed = allowed


class AuthenticationFailed(MemoryStoresError):
    """No credential, a malformed one, or one that is unknown, revoked or expired."""


class PermissionDenied(MemoryStoresError):
    """A known caller whose role or scope forbids the operation."""


class NotFound(MemoryStoresError):
    """Something that does not exist in the caller's workspace."""

    def __init__(self, what: str, id: str) -> None:
        super().__init__(f"{what} {_quoted(id)!a} was not found")


class PathConflict(MemoryStoresError):
    """The path is taken by another memory, or by a directory (then the memory id is empty)."""

    def __init__(self, path: str, conflicting_path: str, conflicting_memory_id: str) -> None:
        by = f"memory {conflicting_memory_id} at" if conflicting_memory_id else "the directory"
        super().__init__(f"path {path} is blocked by {by} {conflicting_path}")
        self.conflicting_path = conflicting_path
        self.conflicting_memory_id = conflicting_memory_id


class PreconditionFailed(MemoryStoresError):
    """The memory's content is not the one the caller named."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"the content of memory {memory_id} does not match the expected content_sha256")


class RequestTooLarge(MemoryStoresError):
    """The request as a whole is larger than any legal one."""


class Throttled(MemoryStoresError):
    """DynamoDB or S3 throttled the request until its time was up."""

    def __init__(self) -> None:
        super().__init__("too many requests right now; try again shortly")


class Overloaded(MemoryStoresError):
    """Concurrent writers, or an AWS service that did not answer, kept the request from finishing in time."""

    def __init__(self) -> None:
        super().__init__("the request could not be finished in time; try again shortly")
