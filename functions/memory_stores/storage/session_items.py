"""The items of sessions, and of the deployments and bots whose attachments sessions see live."""

from collections.abc import Mapping
from typing import Any

from memory_stores.domain.holders import Attachment, HolderRecord
from memory_stores.domain.models import Access, Actor, Holder, HolderKind, Resource, Session
from memory_stores.storage.credential_items import holder_attribute, parse_holder
from memory_stores.storage.expressions import Item, Key
from memory_stores.storage.items import BY_CREATED, actor_text, by_created, integer, parse_actor


def sessions_partition(workspace_id: str) -> str:
    """The partition of a workspace's sessions: they are many, and must not fill that of its stores and keys."""
    return f"{workspace_id}#sessions"


def session_key(workspace_id: str, session_id: str) -> Key:
    """A session."""
    return Key(sessions_partition(workspace_id), session_id)


def session_credentials_key(workspace_id: str, session_id: str) -> Key:
    """Which credentials of a session are good: those of its `epoch`. Without the item, none is."""
    return Key(f"{workspace_id}#{session_id}", "credentials")


def holder_key(workspace_id: str, kind: HolderKind, id: str) -> Key:
    """A deployment or bot with its attachments."""
    return Key(workspace_id, f"{kind}#{id}")


def reach_partition(creator: Actor) -> str:
    """The partition of all that the sessions of a key or role can reach, in whatever workspace."""
    return f"creator#{actor_text(creator)}"


def store_reach(creator: Actor, workspace_id: str, store_id: str) -> tuple[Key, dict[str, Any]]:
    """Key and attributes of a store that sessions of the creator can reach."""
    key = Key(reach_partition(creator), f"{workspace_id}#{store_id}")
    return key, {"workspace_id": workspace_id, "store_id": store_id}


def holder_reach(creator: Actor, workspace_id: str, holder: Holder) -> tuple[Key, dict[str, Any]]:
    """Key and attributes of a deployment or bot whose stores sessions of the creator can reach."""
    key = Key(reach_partition(creator), f"{workspace_id}#{holder.kind}#{holder.id}")
    return key, {"workspace_id": workspace_id, "kind": str(holder.kind), "id": holder.id}


def session_attributes(session: Session) -> dict[str, Any]:
    """A session as attributes."""
    return {
        "agent_id": session.agent_id,
        "agent_version": session.agent_version,
        "environment_id": session.environment_id,
        "title": session.title,
        "metadata": session.metadata,
        "resources": [_resource_attribute(resource) for resource in session.resources],
        "holder": holder_attribute(session.holder),
        "store_ids": None if session.store_ids is None else list(session.store_ids),
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "archived_at": session.archived_at,
        "created_by": actor_text(session.created_by),
        BY_CREATED: by_created(session.id, session.created_at),
    }


def parse_session(item: Item) -> Session:
    """A session from its item."""
    store_ids = item.get("store_ids")
    return Session(
        id=item["sk"],
        agent_id=item["agent_id"],
        agent_version=int(item["agent_version"]),
        environment_id=item["environment_id"],
        title=item.get("title"),
        metadata=item["metadata"],
        resources=tuple(_parse_resource(value) for value in item["resources"]),
        holder=parse_holder(item.get("holder")),
        store_ids=tuple(store_ids) if store_ids is not None else None,
        created_at=int(item["created_at"]),
        updated_at=int(item["updated_at"]),
        archived_at=integer(item, "archived_at"),
        created_by=parse_actor(item["created_by"]),
    )


def _resource_attribute(resource: Resource) -> dict[str, str]:
    attribute = {
        "store_id": resource.store_id,
        "access": str(resource.access),
        "name": resource.name,
        "description": resource.description,
        "mount_path": resource.mount_path,
    }
    return attribute if resource.instructions is None else {**attribute, "instructions": resource.instructions}


def _parse_resource(value: Mapping[str, str]) -> Resource:
    return Resource(
        store_id=value["store_id"],
        access=Access(value["access"]),
        name=value["name"],
        description=value["description"],
        mount_path=value["mount_path"],
        instructions=value.get("instructions"),
    )


def holder_attributes(record: HolderRecord) -> dict[str, Any]:
    """A deployment or bot as attributes."""
    return {
        "incarnation": record.holder.incarnation,
        "owner": actor_text(record.owner),
        "created_at": record.created_at,
        "revision": record.revision,
        "is_closing": record.is_closing,
        "attachments": [
            {"store_id": store_id, **_attachment_attribute(attachment)}
            for store_id, attachment in record.attachments.items()
        ],
    }


def parse_holder_record(item: Item | None) -> HolderRecord | None:
    """A deployment or bot from its item, None where there is none."""
    if item is None:
        return None
    kind, _, id = item["sk"].partition("#")
    return HolderRecord(
        holder=Holder(HolderKind(kind), id, item["incarnation"]),
        owner=parse_actor(item["owner"]),
        created_at=int(item["created_at"]),
        revision=int(item["revision"]),
        attachments={value["store_id"]: _parse_attachment(value) for value in item["attachments"]},
        is_closing=item["is_closing"],
    )


def _attachment_attribute(attachment: Attachment) -> dict[str, str]:
    known = {
        "name": attachment.name,
        "description": attachment.description,
        "mount_path": attachment.mount_path,
        "access": attachment.access,
        "target": attachment.target,
        "change": attachment.change,
    }
    return {name: str(value) for name, value in known.items() if value is not None}


def _parse_attachment(value: Mapping[str, str]) -> Attachment:
    return Attachment(
        name=value["name"],
        description=value["description"],
        mount_path=value["mount_path"],
        access=Access(value["access"]) if "access" in value else None,
        target=Access(value["target"]) if "target" in value else None,
        change=value.get("change"),
    )
