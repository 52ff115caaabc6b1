"""Who is calling: what an API key's secret opens, and what an IAM role or user stands for."""

import hmac
import re

from memory_stores.domain import clock, ids
from memory_stores.domain.errors import AuthenticationFailed, InvalidRequest, NotFound, PermissionDenied
from memory_stores.domain.models import Actor, ActorType, Caller, Role
from memory_stores.operations.api_keys import SECRET_PREFIX, secret_sha256
from memory_stores.operations.context import Storage
from memory_stores.storage import items
from memory_stores.storage.expressions import PRESENT, Item, delete, put

_SECRET = re.compile(rf"{SECRET_PREFIX}[A-Za-z0-9_-]{{43}}")
_NAME = r"[\w+=,.@-]+"  # of a role, a user or a session, as IAM allows it
_ASSUMED_ROLE = re.compile(rf"(arn:[\w-]+:sts::\d+:assumed-role/{_NAME})/{_NAME}", re.ASCII)
_ROLE = re.compile(rf"arn:([\w-]+):iam::(\d+):role/(?:[!-~]+/)?({_NAME})", re.ASCII)
_PRINCIPAL = re.compile(
    rf"arn:[\w-]+:(?:iam::\d+:(?:user/(?:[!-~]+/)?{_NAME}|root)|sts::\d+:assumed-role/{_NAME})", re.ASCII
)


def authenticate_key(storage: Storage, secret: str) -> Caller:
    """The caller a secret belongs to. Raises AuthenticationFailed where it is unknown, revoked or expired.

    The row is read anew on each call, so a revoked key fails at once everywhere.
    """
    if _SECRET.fullmatch(secret) is None:
        raise AuthenticationFailed("invalid API key")
    digest = secret_sha256(secret)
    item = storage.table.get(items.credential_key(digest))
    # The row was found by this digest; that it is the right one rests on a comparison in constant time all the same.
    if item is None or not hmac.compare_digest(item["secret_sha256"], digest):
        raise AuthenticationFailed("invalid API key")
    caller = items.parse_credential(item)
    if caller.expires_at is not None and caller.expires_at <= clock.now():
        raise AuthenticationFailed("invalid API key")
    return caller


def resolve_principal(storage: Storage, arn: str, default_workspace_id: str | None) -> Caller:
    """The caller an IAM identity stands for: its stored mapping, else an admin of the default workspace.

    Raises PermissionDenied where there is neither.
    """
    principal = principal_arn(arn)
    item = storage.table.get(items.principal_key(principal))
    if item is None and not default_workspace_id:
        raise PermissionDenied("this IAM identity is not mapped to a workspace")
    return Caller(
        workspace_id=item["workspace_id"] if item else default_workspace_id or "",
        actor=Actor(ActorType.SERVICE_ACCOUNT, principal),
        role=Role(item["role"]) if item else Role.ADMIN,
    )


def map_principal(storage: Storage, arn: str, workspace_id: str, role: Role) -> str:
    """Store what an IAM role or user stands for; answers the ARN it is known by. Raises InvalidRequest."""
    ids.check_workspace_id(workspace_id, "workspace")
    principal = principal_arn(arn)
    if _PRINCIPAL.fullmatch(principal) is None:
        raise InvalidRequest("must be the ARN of an IAM role, user or account root", "arn")
    mapping: Item = {"workspace_id": workspace_id, "role": str(role)}
    storage.table.write(put(items.principal_key(principal), mapping))
    return principal


def unmap_principal(storage: Storage, arn: str) -> str:
    """Forget what an IAM role or user stands for; answers the ARN it was known by. Raises NotFound."""
    principal = principal_arn(arn)
    mapped = delete(items.principal_key(principal), PRESENT, lambda _: NotFound("mapping of", principal))
    storage.table.write(mapped)
    return principal


def principal_arn(arn: str) -> str:
    """The ARN that names an identity in every session: of an assumed role, the part before the session's name.

    A role's own ARN has a path that its sessions' ARNs lack; it is brought to the same form.
    """
    if session := _ASSUMED_ROLE.fullmatch(arn):
        return session[1]
    if role := _ROLE.fullmatch(arn):
        return f"arn:{role[1]}:sts::{role[2]}:assumed-role/{role[3]}"
    return arn
