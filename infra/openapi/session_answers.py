"""The schemas of what is answered about sessions, and about what is attached to deployments and bots."""

from collections.abc import Mapping

from memory_stores.dialects.claude.parameters import ACCESS_SCHEMA, HOLDER_ID_SCHEMA, id_schema
from memory_stores.domain import ids, mounts
from memory_stores.operations.sessions import MAX_INSTRUCTIONS

from infra.openapi.answers import (
    ACTOR,
    METADATA,
    NAME,
    SIZE,
    TEXT,
    TIME,
    Schema,
    deleted,
    described,
    nullable,
    one_of,
    page,
    record,
    reference,
    type_of,
)

_EMPTY = {"type": "array", "maxItems": 0}
_NOTHING = {"type": "null"}
_DESCRIPTION = {"type": "string"}

_RESOURCE = {
    "type": type_of("memory_store"),
    "memory_store_id": id_schema(ids.STORE),
    "access": described(ACCESS_SCHEMA, "What sessions may do in the store."),
    "instructions": described(nullable({"type": "string", "maxLength": MAX_INSTRUCTIONS}), "What the agent is told."),
    "name": described(NAME, "The store's name when it was attached."),
    "description": described(_DESCRIPTION, "The store's description when it was attached."),
    "mount_path": {
        "type": "string",
        "pattern": f"^{mounts.ROOT}[a-z0-9_-]+$",
        "description": "Where an agent finds the store; no other store of the session is there.",
    },
}
_AGENT = {
    "id": NAME,
    "type": type_of("agent"),
    "version": {"type": "integer", "minimum": 1},
    "name": NAME,
    "description": _NOTHING,
    "model": record("No model: agents are run elsewhere.", {"id": {"type": "string", "maxLength": 0}}),
    "system": _NOTHING,
    "tools": _EMPTY,
    "skills": _EMPTY,
    "mcp_servers": _EMPTY,
    "multiagent": _NOTHING,
    "execution_identity": record("Whom the agent acts as.", {"type": type_of("service_account")}),
}
_CACHE_CREATION = {"ephemeral_1h_input_tokens": SIZE, "ephemeral_5m_input_tokens": SIZE}
_USAGE = {
    "input_tokens": SIZE,
    "output_tokens": SIZE,
    "cache_read_input_tokens": SIZE,
    "cache_creation": record("None: agents are run elsewhere.", _CACHE_CREATION),
}
_SESSION = {
    "id": id_schema(ids.SESSION),
    "type": type_of("session"),
    "agent": described(record("The agent, as it was named.", _AGENT), "The agent, as it was named."),
    "environment_id": NAME,
    "title": nullable(NAME),
    "metadata": described(METADATA, "The caller's own pairs."),
    "status": described({"type": "string", "const": "idle"}, "Always the same: agents are run elsewhere."),
    "resources": {"type": "array", "items": reference("schemas", "Resource")},
    "deployment_id": nullable(HOLDER_ID_SCHEMA),
    "bot_id": nullable(HOLDER_ID_SCHEMA),
    "created_at": TIME,
    "updated_at": TIME,
    "archived_at": described(nullable(TIME), "When the session was ended; null while it lives."),
    "created_by": ACTOR,
    "vault_ids": _EMPTY,
    "outcome_evaluations": _EMPTY,
    "budget": _NOTHING,
    "stats": record("None: agents are run elsewhere.", {"active_seconds": SIZE, "duration_seconds": SIZE}),
    "usage": record("None: agents are run elsewhere.", _USAGE),
}
_BEARER = {
    "type": type_of("bearer"),
    "token": {
        "type": "string",
        "pattern": "^mst_[A-Za-z0-9_-]{43}$",
        "description": "What the agent sends to the key door, as an API key. It is shown here and never again.",
    },
    "expires_at": TIME,
}
_AWS = {
    "type": type_of("aws"),
    "access_key_id": TEXT,
    "secret_access_key": described(TEXT, "It is shown here and never again."),
    "session_token": TEXT,
    "region": described(TEXT, "The region to sign for."),
    "expires_at": TIME,
}

ANSWERS: Mapping[str, Schema] = {
    "Session": record("Which memory stores an agent may touch, and how.", _SESSION),
    "SessionPage": page("Some sessions.", reference("schemas", "Session")),
    "SessionDeleted": deleted("A session that is no more.", "session_deleted", id_schema(ids.SESSION)),
    "Resource": record("A memory store as it is attached.", _RESOURCE),
    "ResourcePage": page("All attached memory stores.", reference("schemas", "Resource")),
    "MemoryPrompt": record(
        "What to put into the agent's system prompt.",
        {"type": type_of("memory_prompt"), "session_id": id_schema(ids.SESSION), "text": TEXT},
    ),
    "Credentials": {
        "description": "What an agent calls with as the session.",
        **one_of("type", bearer="BearerToken", aws="AwsCredentials"),
    },
    "BearerToken": record("A token for the key door.", _BEARER),
    "AwsCredentials": record("Temporary AWS credentials for the signed door.", _AWS),
    "CredentialsRevoked": deleted(
        "A session whose credentials are refused.", "session_credentials_revoked", id_schema(ids.SESSION)
    ),
    "StoreDetached": deleted("A memory store that was detached.", "memory_store_detached", id_schema(ids.STORE)),
    "DeploymentDeleted": deleted("A deployment without attachments.", "deployment_deleted", HOLDER_ID_SCHEMA),
    "BotDeleted": deleted("A bot without attachments.", "bot_deleted", HOLDER_ID_SCHEMA),
}
