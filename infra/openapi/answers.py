"""The schemas of what is answered. Every property is always there; one without a value is null."""

from collections.abc import Mapping
from typing import Any

from memory_stores.dialects.claude.parameters import DIGEST_SCHEMA, PATH_SCHEMA, id_schema
from memory_stores.domain import attributes, ids
from memory_stores.domain.models import Operation, Role

Schema = dict[str, Any]


def reference(kind: str, name: str) -> Schema:
    """A reference to a component."""
    return {"$ref": f"#/components/{kind}/{name}"}


def record(description: str, properties: Mapping[str, Schema]) -> Schema:
    """An object that has all of these properties and no others."""
    return {
        "type": "object",
        "description": description,
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def nullable(schema: Schema) -> Schema:
    """The schema, or null."""
    if "type" in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def one_of(property_name: str, **names: str) -> Schema:
    """One of the named schemas, told apart by the value of a property."""
    references = {value: reference("schemas", name) for value, name in names.items()}
    mapping = {value: found["$ref"] for value, found in references.items()}
    return {
        "oneOf": list(references.values()),
        "discriminator": {"propertyName": property_name, "mapping": mapping},
    }


def described(schema: Schema, description: str) -> Schema:
    """The schema with a description."""
    return {**schema, "description": description}


def type_of(value: str) -> Schema:
    """The property that says what an object is."""
    return {"type": "string", "const": value}


TIME = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$",
}
TEXT = {"type": "string"}
SIZE = {"type": "integer", "minimum": 0}
ACTOR = nullable(reference("schemas", "Actor"))
NAME = {"type": "string", "minLength": 1, "maxLength": attributes.MAX_NAME}
METADATA = {
    "type": "object",
    "maxProperties": attributes.MAX_PAIRS,
    "propertyNames": {"minLength": 1, "maxLength": attributes.MAX_METADATA_KEY},
    "additionalProperties": {"type": "string", "maxLength": attributes.MAX_METADATA_VALUE},
}

_STORE = {
    "id": id_schema(ids.STORE),
    "type": type_of("memory_store"),
    "name": NAME,
    "description": {"type": "string", "maxLength": attributes.MAX_DESCRIPTION},
    "metadata": described(METADATA, "The caller's own pairs."),
    "created_at": TIME,
    "updated_at": described(TIME, "When the store itself changed; its memories do not count."),
    "archived_at": described(nullable(TIME), "Since when the store takes no changes; null while it does."),
}
_MEMORY = {
    "id": described(id_schema(ids.MEMORY), "The same for the memory's whole life, wherever it is moved."),
    "type": type_of("memory"),
    "memory_store_id": id_schema(ids.STORE),
    "memory_version_id": described(id_schema(ids.VERSION), "The version that is current."),
    "path": PATH_SCHEMA,
    "content": described(nullable(TEXT), "The text, byte for byte; null in the `basic` view."),
    "content_sha256": described(DIGEST_SCHEMA, "Of the text in UTF-8, in lowercase hex."),
    "content_size_bytes": described(SIZE, "Of the text in UTF-8."),
    "created_at": TIME,
    "updated_at": TIME,
}
_PREFIX = {
    "type": type_of("memory_prefix"),
    "path": {"type": "string", "pattern": "^/(.*/)?$"},
}
_VERSION = {
    "id": described(id_schema(ids.VERSION), "Sorts after the ids of the memory's earlier versions."),
    "type": type_of("memory_version"),
    "memory_store_id": id_schema(ids.STORE),
    "memory_id": id_schema(ids.MEMORY),
    "operation": {"type": "string", "enum": [str(name) for name in Operation]},
    "path": described(nullable(PATH_SCHEMA), "Where the memory was; null once redacted."),
    "content": described(nullable(TEXT), "Null in the `basic` view, for a deletion, and once redacted."),
    "content_sha256": described(nullable(DIGEST_SCHEMA), "Null for a deletion, and once redacted."),
    "content_size_bytes": described(nullable(SIZE), "Null for a deletion, and once redacted."),
    "created_at": TIME,
    "created_by": ACTOR,
    "redacted_at": described(nullable(TIME), "When the content was erased for good; null where it was not."),
    "redacted_by": ACTOR,
}
_API_KEY = {
    "id": id_schema(ids.API_KEY),
    "type": type_of("api_key"),
    "name": NAME,
    "role": {"type": "string", "enum": [str(role) for role in Role]},
    "memory_store_ids": described(
        nullable({"type": "array", "items": id_schema(ids.STORE), "minItems": 1}),
        "The only stores the key opens; null for all.",
    ),
    "created_at": TIME,
    "created_by": described(ACTOR, "Null for a key made by the operator's command."),
    "expires_at": described(nullable(TIME), "When the key ends by itself; null for never."),
}
_SECRET = {
    "type": "string",
    "pattern": "^msk_[A-Za-z0-9_-]{43}$",
    "description": "What the caller sends to be known. It is shown here and never again.",
}


def page(description: str, item: Schema) -> Schema:
    """One page of a list."""
    next_page = "What to send as `page` for the items behind these; null on the last page."
    return record(
        description,
        {"data": {"type": "array", "items": item}, "next_page": described(nullable(TEXT), next_page)},
    )


def deleted(description: str, kind: str, id: Schema) -> Schema:
    """What confirms that something is gone."""
    return record(description, {"id": id, "type": type_of(kind)})


_ITEMS = one_of("type", memory="Memory", memory_prefix="MemoryPrefix")

ANSWERS: Mapping[str, Schema] = {
    "MemoryStore": record("A memory store.", _STORE),
    "MemoryStorePage": page("Some memory stores.", reference("schemas", "MemoryStore")),
    "MemoryStoreDeleted": deleted("A memory store that is no more.", "memory_store_deleted", id_schema(ids.STORE)),
    "Memory": record("A memory: a text at a path of a store.", _MEMORY),
    "MemoryPrefix": record("Stands for all memories below a directory.", _PREFIX),
    "MemoryPage": page("Some memories, and directories where they are folded.", _ITEMS),
    "MemoryDeleted": deleted("A memory that is no more; its versions are.", "memory_deleted", id_schema(ids.MEMORY)),
    "MemoryVersion": record("One change of a memory, and the text it had after it.", _VERSION),
    "MemoryVersionPage": page("Some versions.", reference("schemas", "MemoryVersion")),
    "Actor": {
        "description": "Who made a change.",
        **one_of(
            "type",
            api_actor="ApiActor",
            session_actor="SessionActor",
            user_actor="UserActor",
            service_account_actor="ServiceAccountActor",
        ),
    },
    "ApiActor": record("An API key.", {"type": type_of("api_actor"), "api_key_id": id_schema(ids.API_KEY)}),
    "SessionActor": record("An agent's session.", {"type": type_of("session_actor"), "session_id": TEXT}),
    "UserActor": record("A person.", {"type": type_of("user_actor"), "user_id": TEXT}),
    "ServiceAccountActor": record(
        "An IAM role or user, by its ARN without the session's name.",
        {"type": type_of("service_account_actor"), "service_account_id": TEXT},
    ),
    "ApiKey": record("An API key, without its secret.", _API_KEY),
    "NewApiKey": record("An API key that was just made, with its secret.", {**_API_KEY, "secret": _SECRET}),
    "ApiKeyPage": page("Some API keys.", reference("schemas", "ApiKey")),
    "ApiKeyDeleted": deleted("An API key that opens nothing any more.", "api_key_deleted", id_schema(ids.API_KEY)),
}
