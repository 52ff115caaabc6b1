"""The items of credentials: API keys, sessions' bearer tokens and AWS access keys, and mapped IAM principals."""

from collections.abc import Mapping
from typing import Any

from memory_stores.domain.models import Access, Actor, ActorType, ApiKey, Caller, Grant, Holder, HolderKind, Role
from memory_stores.storage.expressions import Item, Key
from memory_stores.storage.items import BY_CREATED, actor_text, author, by_created, integer, parse_actor


def api_key_key(workspace_id: str, api_key_id: str) -> Key:
    """An API key by its id."""
    return Key(workspace_id, api_key_id)


def credential_key(secret_sha256: str) -> Key:
    """What the API key whose secret has this digest opens."""
    return Key(f"apikey#{secret_sha256}", "apikey")


def token_key(token_sha256: str) -> Key:
    """What the bearer token with this digest opens."""
    return Key(f"token#{token_sha256}", "grant")


def access_key_key(access_key_id: str) -> Key:
    """What a session's AWS access key opens."""
    return Key(f"accesskey#{access_key_id}", "grant")


def principal_key(arn: str) -> Key:
    """The stored mapping of an IAM role or user."""
    return Key(f"principal#{arn}", "principal")


def api_key_attributes(key: ApiKey) -> dict[str, Any]:
    """An API key as attributes of its id's item."""
    return {
        "name": key.name,
        "role": str(key.role),
        "store_ids": _listed(key.store_ids),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "expires": time_to_live(key.expires_at),
        "created_by": actor_text(key.created_by),
        BY_CREATED: by_created(key.id, key.created_at),
    }


def parse_api_key(item: Item) -> ApiKey:
    """An API key from its id's item."""
    store_ids = item.get("store_ids")
    return ApiKey(
        id=item["sk"],
        name=item["name"],
        role=Role(item["role"]),
        store_ids=tuple(store_ids) if store_ids is not None else None,
        created_at=int(item["created_at"]),
        expires_at=integer(item, "expires_at"),
        created_by=author(item, "created_by"),
    )


def credential_attributes(workspace_id: str, key: ApiKey, secret_sha256: str) -> dict[str, Any]:
    """What a key's secret opens, as attributes."""
    return {
        "secret_sha256": secret_sha256,
        "workspace_id": workspace_id,
        "api_key_id": key.id,
        "role": str(key.role),
        "store_ids": _listed(key.store_ids),
        "expires_at": key.expires_at,
        "expires": time_to_live(key.expires_at),
    }


def parse_credential(item: Item) -> Caller:
    """The caller a key's secret belongs to."""
    store_ids = item.get("store_ids")
    return Caller(
        workspace_id=item["workspace_id"],
        actor=Actor(ActorType.API, item["api_key_id"]),
        role=Role(item["role"]),
        store_ids=frozenset(store_ids) if store_ids is not None else None,
        expires_at=integer(item, "expires_at"),
    )


def grant_attributes(caller: Caller, grant: Grant) -> dict[str, Any]:
    """What a session's credential opens, as attributes; `caller` is the agent that will call with it."""
    return {
        "workspace_id": caller.workspace_id,
        "session_id": grant.session_id,
        "epoch": grant.epoch,
        "created_by": actor_text(grant.created_by),
        "fixed": {store_id: str(access) for store_id, access in grant.fixed.items()},
        "holder": holder_attribute(grant.holder),
        "store_ids": _listed(caller.store_ids),
        "expires_at": caller.expires_at,
        "expires": time_to_live(caller.expires_at),
    }


def parse_grant(item: Item) -> Caller:
    """The agent that a session's credential belongs to."""
    store_ids = item.get("store_ids")
    grant = Grant(
        session_id=item["session_id"],
        epoch=int(item["epoch"]),
        created_by=parse_actor(item["created_by"]),
        fixed={store_id: Access(access) for store_id, access in item["fixed"].items()},
        holder=parse_holder(item.get("holder")),
        is_signing=item["pk"].startswith("accesskey#"),
    )
    return Caller(
        workspace_id=item["workspace_id"],
        actor=Actor(ActorType.SESSION, grant.session_id),
        role=None,
        store_ids=frozenset(store_ids) if store_ids is not None else None,
        expires_at=integer(item, "expires_at"),
        grant=grant,
    )


def holder_attribute(holder: Holder | None) -> dict[str, str] | None:
    """A deployment or bot as one attribute of what refers to it."""
    if holder is None:
        return None
    return {"kind": str(holder.kind), "id": holder.id, "incarnation": holder.incarnation}


def parse_holder(value: Mapping[str, str] | None) -> Holder | None:
    """A deployment or bot from what refers to it."""
    return None if value is None else Holder(HolderKind(value["kind"]), value["id"], value["incarnation"])


def time_to_live(expires_at: int | None) -> int | None:
    """The second after which DynamoDB may remove an item on its own."""
    return None if expires_at is None else -(-expires_at // 1000)


def _listed(store_ids: frozenset[str] | tuple[str, ...] | None) -> list[str] | None:
    return None if store_ids is None else list(store_ids)
