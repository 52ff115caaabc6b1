"""The objects of the API as the core holds them. Times are milliseconds since the epoch, sizes are bytes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self


class ActorType(StrEnum):
    """Who can be the author of a change."""

    API = "api_actor"
    SESSION = "session_actor"
    USER = "user_actor"
    SERVICE_ACCOUNT = "service_account_actor"


class Operation(StrEnum):
    """The kind of change a version records."""

    CREATED = "created"
    MODIFIED = "modified"
    DELETED = "deleted"


class Role(StrEnum):
    """What a caller may do in its workspace; see `access.ALLOWED`."""

    ADMIN = "admin"
    READ_WRITE = "read_write"
    READ_ONLY = "read_only"


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of a change, identified by the id of its API key or session, or by an ARN."""

    type: ActorType
    id: str


class Access(StrEnum):
    """What an attachment lets a session do in a store."""

    READ_ONLY = "read_only"
    READ_WRITE = "read_write"


class HolderKind(StrEnum):
    """What can hold attachments that its sessions see live."""

    DEPLOYMENT = "deployment"
    BOT = "bot"


@dataclass(frozen=True, slots=True)
class Holder:
    """A deployment or a saved bot; `incarnation` tells it from an earlier one that had the same id."""

    kind: HolderKind
    id: str
    incarnation: str


@dataclass(frozen=True, slots=True)
class Grant:
    """What a session's credential carries.

    It is good while the session's `epoch` is the same, the session lives, and its creator is not revoked. `fixed` are
    the stores attached when the session was created; those of `holder` are looked up on each call.
    """

    session_id: str
    epoch: int
    created_by: Actor
    fixed: Mapping[str, Access]
    holder: Holder | None
    is_signing: bool = False


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is calling: the workspace the credential opens, its role, and the stores it is limited to (None: all).

    An agent has a `grant` instead of a role; the stores it is limited to are those of the session's creator.
    `expires_at` is when the credential itself ends, None where it does not.
    """

    workspace_id: str
    actor: Actor
    role: Role | None
    store_ids: frozenset[str] | None = None
    expires_at: int | None = None
    grant: Grant | None = None

    def may_reach(self, store_id: str) -> bool:
        """Whether the store is among those the caller is limited to."""
        return self.store_ids is None or store_id in self.store_ids

    def covers(self, store_ids: Collection[str] | None) -> bool:
        """Whether all these stores (None: all there are) are among those the caller is limited to."""
        return self.store_ids is None or (store_ids is not None and self.store_ids.issuperset(store_ids))


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key without its secret, which is not kept."""

    id: str
    name: str
    role: Role
    store_ids: tuple[str, ...] | None
    created_at: int
    expires_at: int | None
    created_by: Actor | None


@dataclass(frozen=True, slots=True)
class Store:
    """A memory store; `revision` counts its changes from 1."""

    id: str
    name: str
    description: str
    metadata: dict[str, str]
    created_at: int
    updated_at: int
    archived_at: int | None
    revision: int


@dataclass(frozen=True, slots=True)
class Memory:
    """A living memory; `version_id` is its head, `revision` counts its versions from 1.

    `content` is None until it is read.
    """

    id: str
    store_id: str
    version_id: str
    path: str
    content_sha256: str
    content_size_bytes: int
    metadata: dict[str, str]
    revision: int
    created_at: int
    updated_at: int
    content: str | None = None

    @property
    def has_body(self) -> bool:
        """A living memory always has a text."""
        return True

    @property
    def body_ids(self) -> tuple[str, str]:
        """The ids of the memory and of the version that its text belongs to."""
        return self.id, self.version_id

    def with_content(self, content: str | None) -> Self:
        """The same memory with its text."""
        return replace(self, content=content)


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is left of a deleted memory: enough to restore it. `path` is None once its last version is redacted."""

    id: str
    store_id: str
    version_id: str
    path: str | None
    metadata: dict[str, str]
    revision: int
    created_at: int


@dataclass(frozen=True, slots=True)
class Version:
    """One change of a memory. Path, digest and size are None where redacted; the latter two also where deleted."""

    id: str
    store_id: str
    memory_id: str
    operation: Operation
    revision: int
    path: str | None
    content_sha256: str | None
    content_size_bytes: int | None
    created_at: int
    created_by: Actor | None
    redacted_at: int | None = None
    redacted_by: Actor | None = None
    content: str | None = None

    @property
    def has_body(self) -> bool:
        """Whether a text of this version exists: neither a deletion nor redacted."""
        return self.content_sha256 is not None

    @property
    def body_ids(self) -> tuple[str, str]:
        """The ids of the memory and of the version that its text belongs to."""
        return self.memory_id, self.id

    def with_content(self, content: str | None) -> Self:
        """The same version with its text."""
        return replace(self, content=content)


@dataclass(frozen=True, slots=True)
class Resource:
    """A store as it is attached; name, description and mount path were fixed when it was."""

    store_id: str
    access: Access
    name: str
    description: str
    mount_path: str
    instructions: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """Which stores an agent may touch, and how. `store_ids` is what its creator was limited to (None: all)."""

    id: str
    agent_id: str
    agent_version: int
    environment_id: str
    title: str | None
    metadata: dict[str, str]
    resources: tuple[Resource, ...]
    holder: Holder | None
    store_ids: tuple[str, ...] | None
    created_at: int
    updated_at: int
    archived_at: int | None
    created_by: Actor


@dataclass(frozen=True, slots=True)
class Directory:
    """A folded directory in a listing; `path` ends with `/`."""

    path: str
