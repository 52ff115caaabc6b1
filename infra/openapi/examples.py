"""Examples, rendered by the code that renders the answers: whoever changes that, changes these."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from memory_stores.dialects.claude import errors as dialect_errors
from memory_stores.dialects.claude import render
from memory_stores.domain import clock, errors
from memory_stores.domain.models import Actor, ActorType, ApiKey, Memory, Operation, Role, Store, Version
from memory_stores.operations.paging import Page

Json = dict[str, Any]

_TEXT = "# Build\nRun `make test` before every push.\n"
_DIGEST = hashlib.sha256(_TEXT.encode()).hexdigest()
_OLD_DIGEST = hashlib.sha256(b"# Build\n").hexdigest()
_CREATED = clock.parse_nanoseconds("2026-01-31T08:00:00Z", "created_at") // 1_000_000
_UPDATED = _CREATED + 90_000
_UUID = f"{_CREATED:012x}70008000{{:012x}}"
_STORE_ID = f"memstore_{_UUID.format(0xA)}"
_MEMORY_ID = f"mem_{_UUID.format(0xB)}"
_VERSION_ID = f"memver_{_UUID.format(0xC)}"
_KEY_ID = f"apikey_{_UUID.format(0xD)}"
_REQUEST_ID = f"req_{_UUID.format(0xE)}"
_CURSOR = "b1Zr0aYbq1l4tY8cW2mV1y9idWlsZC5tZA=="
_AUTHOR = Actor(ActorType.API, _KEY_ID)

_STORE = Store(_STORE_ID, "Project notes", "How this project is built.", {"team": "core"}, _CREATED, _UPDATED, None, 2)
_MEMORY = Memory(
    id=_MEMORY_ID,
    store_id=_STORE_ID,
    version_id=_VERSION_ID,
    path="/notes/build.md",
    content_sha256=_DIGEST,
    content_size_bytes=len(_TEXT.encode()),
    metadata={},
    revision=2,
    created_at=_CREATED,
    updated_at=_UPDATED,
    content=_TEXT,
)
_VERSION = Version(
    id=_VERSION_ID,
    store_id=_STORE_ID,
    memory_id=_MEMORY_ID,
    operation=Operation.MODIFIED,
    revision=2,
    path=_MEMORY.path,
    content_sha256=_DIGEST,
    content_size_bytes=_MEMORY.content_size_bytes,
    created_at=_UPDATED,
    created_by=_AUTHOR,
    content=_TEXT,
)
_KEY = ApiKey(_KEY_ID, "Build agent", Role.READ_WRITE, (_STORE_ID,), _CREATED, None, _AUTHOR)

ANSWERS: Mapping[str, Json] = {
    "MemoryStore": render.store(_STORE),
    "MemoryStorePage": render.page(Page([_STORE], None), render.store),
    "MemoryStoreDeleted": render.deleted("memory_store_deleted", _STORE_ID),
    "Memory": render.memory(_MEMORY, full=True),
    "MemoryPage": render.page(Page([_MEMORY], _CURSOR), lambda item: render.list_item(item, full=False)),
    "MemoryDeleted": render.deleted("memory_deleted", _MEMORY_ID),
    "MemoryVersion": render.version(_VERSION),
    "MemoryVersionPage": render.page(Page([_VERSION.with_content(None)], None), render.version),
    "ApiKey": render.api_key(_KEY),
    "NewApiKey": {**render.api_key(_KEY), "secret": f"msk_{'x' * 43}"},
    "ApiKeyPage": render.page(Page([_KEY], None), render.api_key),
    "ApiKeyDeleted": render.deleted("api_key_deleted", _KEY_ID),
}

BODIES: Mapping[str, Json] = {
    "create_store": {"name": _STORE.name, "description": _STORE.description, "metadata": _STORE.metadata},
    "update_store": {"description": "How this project is built and released.", "metadata": {"team": None}},
    "create_memory": {"path": _MEMORY.path, "content": _TEXT},
    "update_memory": {
        "content": _TEXT,
        "precondition": {"type": "content_sha256", "content_sha256": _OLD_DIGEST},
    },
    "create_api_key": {"name": _KEY.name, "role": str(_KEY.role), "memory_store_ids": [_STORE_ID]},
}

_ERRORS: Mapping[type[Exception], Exception] = {
    errors.InvalidRequest: errors.InvalidRequest("must start with '/'", "path"),
    errors.AuthenticationFailed: errors.AuthenticationFailed("invalid API key"),
    errors.PermissionDenied: errors.PermissionDenied("the role read_only may not do this"),
    errors.NotFound: errors.NotFound("memory store", _STORE_ID),
    errors.MethodNotAllowed: errors.MethodNotAllowed("PUT", ["GET", "POST"]),
    errors.PathConflict: errors.PathConflict(_MEMORY.path, _MEMORY.path, _MEMORY_ID),
    errors.PreconditionFailed: errors.PreconditionFailed(_MEMORY_ID),
    errors.RequestTooLarge: errors.RequestTooLarge("the request body is too large"),
    errors.Throttled: errors.Throttled(),
    errors.Overloaded: errors.Overloaded(),
    Exception: Exception(),
}


def error(kind: type[Exception]) -> Json:
    """The body of an error of this kind."""
    return dict(json.loads(dialect_errors.render(_ERRORS[kind], _REQUEST_ID)["body"]))
