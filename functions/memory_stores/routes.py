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
)
