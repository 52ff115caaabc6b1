"""The headers that say who calls and how: credentials, the workspace, the beta versions."""

from memory_stores.domain.errors import AuthenticationFailed, InvalidRequest, PermissionDenied
from memory_stores.domain.models import Caller
from memory_stores.http.request import Request

_EXCLUSIVE_BETAS = frozenset({"agent-memory-2026-07-22", "managed-agents-2026-04-01"})


def secret_of(request: Request) -> str:
    """The API key, from `Authorization: Bearer` or `x-api-key`; both may be there if they agree.

    Raises AuthenticationFailed.
    """
    given = set()
    if authorization := request.headers.get("authorization"):
        scheme, _, bearer = authorization.strip().partition(" ")
        if scheme.lower() != "bearer" or not bearer.strip():
            raise AuthenticationFailed("the Authorization header must be 'Bearer' and an API key")
        given.add(bearer.strip())
    if key := request.headers.get("x-api-key", "").strip():
        given.add(key)
    if not given:
        raise AuthenticationFailed("an API key is required: send it as 'Authorization: Bearer' or 'x-api-key'")
    if len(given) > 1:
        raise AuthenticationFailed("the Authorization and x-api-key headers hold different keys")
    return given.pop()


def check_workspace(request: Request, caller: Caller) -> None:
    """A request that names a workspace must name the caller's. Raises PermissionDenied."""
    named = request.headers.get("anthropic-workspace-id")
    if named is not None and named.strip() != caller.workspace_id:
        raise PermissionDenied("anthropic-workspace-id: the credential belongs to another workspace")


def refuse_idempotency_key(request: Request) -> None:
    """An answer with a secret is not kept, so it cannot be given again. Raises InvalidRequest."""
    if "idempotency-key" in request.headers:
        raise InvalidRequest("a request that answers a secret cannot be made replayable", "idempotency-key")


def check_betas(request: Request) -> None:
    """The two beta versions of memory stores exclude each other. Raises InvalidRequest."""
    named = {name.strip() for name in request.headers.get("anthropic-beta", "").split(",")}
    if named >= _EXCLUSIVE_BETAS:
        raise InvalidRequest(f"{' and '.join(sorted(_EXCLUSIVE_BETAS))} cannot be combined", "anthropic-beta")
