"""The table of routes: the one place that says which request reaches which function and operation.

The deployment builds the gateway's routes from it, the functions dispatch by it, and the OpenAPI document lists it.
"""

from typing import NamedTuple


class Route(NamedTuple):
    """One route of an HTTP API.

    `function` is the module below `functions/` whose handler serves it, `operation` the verb it runs.
    """

    method: str
    path: str
    function: str
    operation: str

    @property
    def key(self) -> str:
        """The route key of API Gateway, which also arrives in each event: `GET /v1/memory_stores/{store}`."""
        return f"{self.method} {self.path}"

    @property
    def is_about_stores(self) -> bool:
        """Whether it serves memory stores or what they hold."""
        return self.path.startswith(_STORES)


_STORES = "/v1/memory_stores"
_STORE = f"{_STORES}/{{store}}"
_MEMORIES = f"{_STORE}/memories"
_MEMORY = f"{_MEMORIES}/{{memory}}"
_VERSIONS = f"{_STORE}/memory_versions"
_VERSION = f"{_VERSIONS}/{{version}}"
_API_KEYS = "/v1/api_keys"
_SESSIONS = "/v1/sessions"
_SESSION = f"{_SESSIONS}/{{session}}"
_RESOURCES = f"{_SESSION}/resources"
_CREDENTIALS = f"{_SESSION}/credentials"


def _bindings(kind: str) -> tuple[Route, ...]:
    """The routes of what holds attachments."""
    holder = f"/v1/{kind}s/{{{kind}}}"
    stores = f"{holder}/memory_stores"
    store = f"{stores}/{{store}}"
    return (
        Route("GET", stores, "bindings", f"list_{kind}_stores"),
        Route("GET", store, "bindings", f"get_{kind}_store"),
        Route("PUT", store, "bindings", f"attach_{kind}_store"),
        Route("DELETE", store, "bindings", f"detach_{kind}_store"),
        Route("DELETE", holder, "bindings", f"delete_{kind}"),
    )


ROUTES = (
    Route("POST", _STORES, "stores", "create_store"),
    Route("GET", _STORES, "stores", "list_stores"),
    Route("GET", _STORE, "stores", "get_store"),
    Route("POST", _STORE, "stores", "update_store"),
    Route("DELETE", _STORE, "stores", "delete_store"),
    Route("POST", f"{_STORE}/archive", "stores", "archive_store"),
    Route("POST", _MEMORIES, "memories", "create_memory"),
    Route("GET", _MEMORIES, "memories", "list_memories"),
    Route("GET", _MEMORY, "memories", "get_memory"),
    Route("POST", _MEMORY, "memories", "update_memory"),
    Route("DELETE", _MEMORY, "memories", "delete_memory"),
    Route("GET", _VERSIONS, "versions", "list_versions"),
    Route("GET", _VERSION, "versions", "get_version"),
    Route("POST", f"{_VERSION}/redact", "versions", "redact_version"),
    Route("POST", f"{_VERSION}/restore", "versions", "restore_version"),
    Route("POST", _API_KEYS, "api_keys", "create_api_key"),
    Route("GET", _API_KEYS, "api_keys", "list_api_keys"),
    Route("DELETE", f"{_API_KEYS}/{{key}}", "api_keys", "delete_api_key"),
    Route("POST", _SESSIONS, "sessions", "create_session"),
    Route("GET", _SESSIONS, "sessions", "list_sessions"),
    Route("GET", _SESSION, "sessions", "get_session"),
    Route("DELETE", _SESSION, "sessions", "delete_session"),
    Route("POST", f"{_SESSION}/archive", "sessions", "archive_session"),
    Route("GET", _RESOURCES, "sessions", "list_session_resources"),
    Route("POST", _RESOURCES, "sessions", "add_session_resource"),
    Route("POST", f"{_RESOURCES}/{{resource}}", "sessions", "update_session_resource"),
    Route("DELETE", f"{_RESOURCES}/{{resource}}", "sessions", "delete_session_resource"),
    Route("GET", f"{_SESSION}/memory_prompt", "sessions", "get_memory_prompt"),
    Route("POST", _CREDENTIALS, "sessions", "create_credentials"),
    Route("DELETE", _CREDENTIALS, "sessions", "revoke_credentials"),
    *_bindings("deployment"),
    *_bindings("bot"),
)
