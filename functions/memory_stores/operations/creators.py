"""Keys and roles as creators of sessions: a session ends with what its creator may do."""

from memory_stores.domain import clock
from memory_stores.domain.models import Actor, ActorType, Role
from memory_stores.operations.context import Storage
from memory_stores.storage import credential_items, items
from memory_stores.storage.expressions import Item, Key


def creator_key(workspace_id: str, creator: Actor) -> Key:
    """The item that says what the creator of a session may do now."""
    if creator.type is ActorType.API:
        return credential_items.api_key_key(workspace_id, creator.id)
    return credential_items.principal_key(creator.id)


def may_still_create(storage: Storage, workspace_id: str, creator: Actor, item: Item | None) -> bool:
    """Whether the creator, whose item was read, is still an admin of the workspace: else its sessions have ended."""
    if creator.type is ActorType.API:
        return item is not None and "revoked_at" not in item and not _has_expired(item)
    if item is None:
        return storage.default_workspace_id == workspace_id
    return bool(item["workspace_id"] == workspace_id and item["role"] == Role.ADMIN)


def expiry_of(item: Item | None) -> int | None:
    """When a creator ends by itself, None where it does not."""
    return items.integer(item, "expires_at") if item else None


def _has_expired(item: Item) -> bool:
    expires_at = expiry_of(item)
    return expires_at is not None and expires_at <= clock.now()
