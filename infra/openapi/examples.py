"""Examples, rendered by the code that renders the answers: whoever changes that, changes these."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from memory_stores.dialects.claude import errors as dialect_errors
from memory_stores.dialects.claude import render
from memory_stores.domain import clock, errors, mounts
from memory_stores.domain.agent_credentials import BearerToken
from memory_stores.domain.models import (
    Access,
    Actor,
    ActorType,
    ApiKey,
    Memory,
    Operation,
    Resource,
    Role,
    Session,
    Store,
    Version,
)
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
_SESSION_ID = f"sesn_{_UUID.format(0xF)}"
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

_RESOURCE = Resource(
    _STORE_ID,
    Access.READ_WRITE,
    _STORE.name,
    _STORE.description,
    mounts.mount_path(_STORE.name, _STORE_ID, ()),
    "Keep build steps in /notes/build.md.",
)
_SESSION = Session(
    id=_SESSION_ID,
    agent_id="build-agent",
    agent_version=1,
    environment_id="ci",
    title="Nightly build",
    metadata={},
    resources=(_RESOURCE,),
    holder=None,
    store_ids=None,
    created_at=_CREATED,
    updated_at=_CREATED,
    archived_at=None,
    created_by=_AUTHOR,
)

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
    "Session": render.session(_SESSION),
    "SessionPage": render.page(Page([_SESSION], None), render.session),
    "SessionDeleted": render.deleted("session_deleted", _SESSION_ID),
    "Resource": render.resource(_RESOURCE),
    "ResourcePage": render.whole_list([_RESOURCE], render.resource),
    "MemoryPrompt": {
        "type": "memory_prompt",
        "session_id": _SESSION_ID,
        "text": mounts.memory_prompt([_RESOURCE]),
    },
    "Credentials": render.bearer_token(BearerToken(f"mst_{'x' * 43}", _UPDATED)),
    "CredentialsRevoked": render.deleted("session_credentials_revoked", _SESSION_ID),
    "StoreDetached": render.deleted("memory_store_detached", _STORE_ID),
    "DeploymentDeleted": render.deleted("deployment_deleted", "nightly-build"),
    "BotDeleted": render.deleted("bot_deleted", "release-helper"),
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
    "create_session": {
        "agent": _SESSION.agent_id,
        "environment_id": _SESSION.environment_id,
        "title": _SESSION.title,
        "resources": [
            {
                "type": "memory_store",
                "memory_store_id": _STORE_ID,
                "access": str(_RESOURCE.access),
                "instructions": _RESOURCE.instructions,
            }
        ],
    },
    "create_credentials": {"type": "bearer"},
    "attach_deployment_store": {"access": "read_only"},
    "attach_bot_store": {"access": "read_only"},
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
