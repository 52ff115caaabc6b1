"""The objects of the dialect; every documented field is always there."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from memory_stores.domain.agent_credentials import AwsCredentials, BearerToken
from memory_stores.domain.clock import to_text
from memory_stores.domain.models import (
    Actor,
    ActorType,
    ApiKey,
    Directory,
    HolderKind,
    Memory,
    Resource,
    Session,
    Store,
    Version,
)
from memory_stores.operations.paging import Page

T = TypeVar("T")
Json = dict[str, Any]

_ACTOR_ID = {
    ActorType.API: "api_key_id",
    ActorType.SESSION: "session_id",
    ActorType.USER: "user_id",
    ActorType.SERVICE_ACCOUNT: "service_account_id",
}


def store(value: Store) -> Json:
    """A `memory_store`."""
    return {
        "id": value.id,
        "type": "memory_store",
        "name": value.name,
        "description": value.description,
        "metadata": value.metadata,
        "created_at": to_text(value.created_at),
        "updated_at": to_text(value.updated_at),
        "archived_at": _time(value.archived_at),
    }


def memory(value: Memory, *, full: bool) -> Json:
    """A `memory`, with its content where `full`."""
    return {
        "id": value.id,
        "type": "memory",
        "memory_store_id": value.store_id,
        "memory_version_id": value.version_id,
        "path": value.path,
        "content": value.content if full else None,
        "content_sha256": value.content_sha256,
        "content_size_bytes": value.content_size_bytes,
        "created_at": to_text(value.created_at),
        "updated_at": to_text(value.updated_at),
    }


def list_item(value: Memory | Directory, *, full: bool) -> Json:
    """A `memory`, or a `memory_prefix` that stands for the memories below it."""
    if isinstance(value, Directory):
        return {"type": "memory_prefix", "path": value.path}
    return memory(value, full=full)


def version(value: Version) -> Json:
    """A `memory_version`; its content is null where it was not asked for, or is no more."""
    return {
        "id": value.id,
        "type": "memory_version",
        "memory_store_id": value.store_id,
        "memory_id": value.memory_id,
        "operation": str(value.operation),
        "path": value.path,
        "content": value.content,
        "content_sha256": value.content_sha256,
        "content_size_bytes": value.content_size_bytes,
        "created_at": to_text(value.created_at),
        "created_by": actor(value.created_by),
        "redacted_at": _time(value.redacted_at),
        "redacted_by": actor(value.redacted_by),
    }


def api_key(value: ApiKey) -> Json:
    """An `api_key` without its secret."""
    return {
        "id": value.id,
        "type": "api_key",
        "name": value.name,
        "role": str(value.role),
        "memory_store_ids": list(value.store_ids) if value.store_ids is not None else None,
        "created_at": to_text(value.created_at),
        "created_by": actor(value.created_by),
        "expires_at": _time(value.expires_at),
    }


def resource(value: Resource) -> Json:
    """A `memory_store` as it is attached to a session, deployment or bot."""
    return {
        "type": "memory_store",
        "memory_store_id": value.store_id,
        "access": str(value.access),
        "instructions": value.instructions,
        "name": value.name,
        "description": value.description,
        "mount_path": value.mount_path,
    }


def session(value: Session) -> Json:
    """A `session`; what tells about running an agent, which this project does not, has neutral values."""
    return {
        "id": value.id,
        "type": "session",
        "agent": _agent(value.agent_id, value.agent_version),
        "environment_id": value.environment_id,
        "title": value.title,
        "metadata": value.metadata,
        "status": "idle",
        "resources": [resource(each) for each in value.resources],
        "deployment_id": _holder_id(value, HolderKind.DEPLOYMENT),
        "bot_id": _holder_id(value, HolderKind.BOT),
        "created_at": to_text(value.created_at),
        "updated_at": to_text(value.updated_at),
        "archived_at": _time(value.archived_at),
        "created_by": actor(value.created_by),
        "vault_ids": [],
        "outcome_evaluations": [],
        "budget": None,
        "stats": {"active_seconds": 0, "duration_seconds": 0},
        "usage": {
            "input_tokens": 0,
            "output_tokens": 0,
            "cache_read_input_tokens": 0,
            "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
        },
    }


def _agent(id: str, version: int) -> Json:
    return {
        "id": id,
        "type": "agent",
        "version": version,
        "name": id,
        "description": None,
        "model": {"id": ""},
        "system": None,
        "tools": [],
        "skills": [],
        "mcp_servers": [],
        "multiagent": None,
        "execution_identity": {"type": "service_account"},
    }


def _holder_id(value: Session, kind: HolderKind) -> str | None:
    return value.holder.id if value.holder and value.holder.kind is kind else None


def bearer_token(value: BearerToken) -> Json:
    """A bearer token, which is shown only here."""
    return {"type": "bearer", "token": value.token, "expires_at": to_text(value.expires_at)}


def aws_credentials(value: AwsCredentials) -> Json:
    """Temporary AWS credentials, which are shown only here."""
    return {
        "type": "aws",
        "access_key_id": value.access_key_id,
        "secret_access_key": value.secret_access_key,
        "session_token": value.session_token,
        "region": value.region,
        "expires_at": to_text(value.expires_at),
    }


def deleted(type: str, id: str) -> Json:
    """The confirmation of a deletion."""
    return {"id": id, "type": type}


def page(value: Page[T], render: Callable[[T], Json]) -> Json:
    """A list."""
    return {"data": [render(item) for item in value.items], "next_page": value.next_page}


def whole_list(values: Sequence[T], render: Callable[[T], Json]) -> Json:
    """A list that is always one page."""
    return page(Page(list(values), None), render)


def actor(value: Actor | None) -> Json | None:
    """The author of a change."""
    return None if value is None else {"type": str(value.type), _ACTOR_ID[value.type]: value.id}


def _time(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else to_text(milliseconds)
