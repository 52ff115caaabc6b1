"""The items of the table: their keys, and how each object of the domain is written down and read back.

| pk | sk | item |
|---|---|---|
| `W` | `workspace` | the workspace: counts its stores |
| `W` | `cursor_key` | the secret that its page cursors are signed with |
| `W` | `memstore_…` | a store |
| `W` | `apikey_…` | an API key by its id |
| `W#sessions` | `sesn_…` | a session with the stores that were attached when it was created |
| `W` | `deployment#…`, `bot#…` | a deployment or a saved bot: its owner, and the stores attached to it now |
| `W#memstore_…` | `/notes/a.md` | a node of the tree: a file (with all basic attributes of its memory) or a directory |
| `W#memstore_…` | `mem_…` | a memory by its id; stays as a tombstone after deletion |
| `W#memstore_…` | `memver_…` | a version |
| `W#memstore_…` | `fence#00` … `fence#15` | fences: a number, and a share of the store's statistics |
| `W#sesn_…` | `credentials` | which credentials of a session are good; gone when none is |
| `apikey#<sha256>` | `apikey` | what a key's secret opens |
| `token#<sha256>`, `accesskey#<id>` | `grant` | what a session's bearer token, or its AWS access key, opens |
| `principal#<arn>` | `principal` | what an IAM role or user may do |
| `creator#<actor>` | `W#…` | stores, deployments and bots that the sessions of a key or role can reach |
| `work#<kind>` | `<time>#…` | work that a crash may have left undone |

A partition key begins with the workspace, so that another workspace's data cannot even be named. Paths are up to
1,024 bytes, which is the limit of a sort key: nothing is put before them. Stores, memories and versions are written
here; `credential_items` and `session_items` hold the rest.
"""

from typing import Any, TypeGuard

from memory_stores.domain import clock, ids
from memory_stores.domain.models import (
    Actor,
    ActorType,
    Memory,
    Operation,
    Store,
    Tombstone,
    Version,
)
from memory_stores.storage.expressions import Item, Key

BY_CREATED = "by_created"
BY_MEMORY = "by_memory"
FILE = "file"
DIRECTORY = "directory"
CLOSING = "closing"


def workspace_key(workspace_id: str) -> Key:
    """The workspace itself."""
    return Key(workspace_id, "workspace")


def cursor_key_key(workspace_id: str) -> Key:
    """The secret of the workspace's page cursors."""
    return Key(workspace_id, "cursor_key")


def store_key(workspace_id: str, store_id: str) -> Key:
    """A store."""
    return Key(workspace_id, store_id)


def contents(workspace_id: str, store_id: str) -> str:
    """The partition that holds everything inside a store."""
    return f"{workspace_id}#{store_id}"


def body_key(workspace_id: str, store_id: str, memory_id: str, version_id: str) -> str:
    """The S3 key of a version's body."""
    return f"{bodies_prefix(workspace_id, store_id)}{memory_id}/{version_id}"


def bodies_prefix(workspace_id: str, store_id: str) -> str:
    """What the S3 keys of all bodies of a store begin with."""
    return f"{workspace_id}/{store_id}/"


def by_created(id: str, created_at: int) -> str:
    """The sort value that lists one kind of item by the time of creation."""
    kind = id.partition("_")[0]
    return f"{kind}#{clock.to_text(created_at)}#{id}"


def by_memory(memory_id: str, version_id: str) -> str:
    """The sort value that lists one memory's versions."""
    return f"{memory_id}#{version_id}"


def store_attributes(store: Store) -> dict[str, Any]:
    """A store as attributes."""
    return {
        "name": store.name,
        "description": store.description,
        "metadata": store.metadata,
        "created_at": store.created_at,
        "updated_at": store.updated_at,
        "archived_at": store.archived_at,
        "revision": store.revision,
        BY_CREATED: by_created(store.id, store.created_at),
    }


def parse_store(item: Item) -> Store:
    """A store from its item."""
    return Store(
        id=item["sk"],
        name=item["name"],
        description=item["description"],
        metadata=item["metadata"],
        created_at=int(item["created_at"]),
        updated_at=int(item["updated_at"]),
        archived_at=integer(item, "archived_at"),
        revision=int(item["revision"]),
    )


def memory_attributes(memory: Memory) -> dict[str, Any]:
    """A memory's attributes as both its id's item and its file node hold them."""
    return {
        "head": memory.version_id,
        "content_sha256": memory.content_sha256,
        "content_size_bytes": memory.content_size_bytes,
        "metadata": memory.metadata,
        "revision": memory.revision,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
    }


def parse_memory(item: Item) -> Memory:
    """A living memory from its id's item or from its file node."""
    is_node = item["sk"].startswith("/")
    return Memory(
        id=item["memory_id"] if is_node else item["sk"],
        store_id=item["pk"].rpartition("#")[2],
        version_id=item["head"],
        path=item["sk"] if is_node else item["path"],
        content_sha256=item["content_sha256"],
        content_size_bytes=int(item["content_size_bytes"]),
        metadata=item["metadata"],
        revision=int(item["revision"]),
        created_at=int(item["created_at"]),
        updated_at=int(item["updated_at"]),
    )


def is_living(item: Item | None) -> TypeGuard[Item]:
    """Whether an id's item is that of a store or memory that has not been deleted."""
    return item is not None and "deleted_at" not in item


def memory_item(memory: Memory) -> dict[str, Any]:
    """A living memory's item by its id."""
    return {"path": memory.path, **memory_attributes(memory)}


def tombstone_item(tombstone: Tombstone, deleted_at: int) -> dict[str, Any]:
    """A deleted memory's item by its id: without the digest, which the history holds until it is redacted."""
    return {
        "path": tombstone.path,
        "head": tombstone.version_id,
        "metadata": tombstone.metadata,
        "revision": tombstone.revision,
        "created_at": tombstone.created_at,
        "deleted_at": deleted_at,
    }


def parse_tombstone(item: Item) -> Tombstone:
    """What is left of a deleted memory."""
    return Tombstone(
        id=item["sk"],
        store_id=item["pk"].rpartition("#")[2],
        version_id=item["head"],
        path=item.get("path"),
        metadata=item["metadata"],
        revision=int(item["revision"]),
        created_at=int(item["created_at"]),
    )


def version_attributes(version: Version) -> dict[str, Any]:
    """A version as attributes; its time is in its id."""
    return {
        "memory_id": version.memory_id,
        "operation": str(version.operation),
        "revision": version.revision,
        "path": version.path,
        "content_sha256": version.content_sha256,
        "content_size_bytes": version.content_size_bytes,
        "created_by": actor_text(version.created_by),
        BY_MEMORY: by_memory(version.memory_id, version.id),
    }


def parse_version(item: Item) -> Version:
    """A version from its item."""
    return Version(
        id=item["sk"],
        store_id=item["pk"].rpartition("#")[2],
        memory_id=item["memory_id"],
        operation=Operation(item["operation"]),
        revision=int(item["revision"]),
        path=item.get("path"),
        content_sha256=item.get("content_sha256"),
        content_size_bytes=integer(item, "content_size_bytes"),
        created_at=ids.time_of(item["sk"]),
        created_by=author(item, "created_by"),
        redacted_at=integer(item, "redacted_at"),
        redacted_by=author(item, "redacted_by"),
    )


def actor_text(actor: Actor | None) -> str | None:
    """An author as one text, so that a filter is one comparison."""
    return None if actor is None else f"{actor.type}#{actor.id}"


def parse_actor(text: str) -> Actor:
    """An author from its text."""
    type, _, id = text.partition("#")
    return Actor(ActorType(type), id)


def author(item: Item, name: str) -> Actor | None:
    """An author of an item, or None where the attribute is missing."""
    return parse_actor(item[name]) if name in item else None


def integer(item: Item, name: str) -> int | None:
    """A number of an item, or None where the attribute is missing."""
    value = item.get(name)
    return None if value is None else int(value)
