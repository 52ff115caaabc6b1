"""Who is calling: what an API key or a session's credential opens, and what an IAM role or user stands for."""

import hmac
import re

from memory_stores.domain import bearer_secrets, clock, ids
from memory_stores.domain.errors import AuthenticationFailed, InvalidRequest, NotFound, PermissionDenied
from memory_stores.domain.models import Actor, ActorType, Caller, Role
from memory_stores.operations import reach
from memory_stores.operations.context import Context, Storage
from memory_stores.storage import credential_items
from memory_stores.storage.expressions import PRESENT, Item, delete, put

_NAME = r"[\w+=,.@-]+"  # of a role, a user or a session, as IAM allows it
_ASSUMED_ROLE = re.compile(rf"(arn:[\w-]+:sts::\d+:assumed-role/{_NAME})/{_NAME}", re.ASCII)
_ROLE = re.compile(rf"arn:([\w-]+):iam::(\d+):role/(?:[!-~]+/)?({_NAME})", re.ASCII)
_PRINCIPAL = re.compile(
    rf"arn:[\w-]+:(?:iam::\d+:(?:user/(?:[!-~]+/)?{_NAME}|root)|sts::\d+:assumed-role/{_NAME})", re.ASCII
)


def authenticate(storage: Storage, secret: str) -> Caller:
    """The caller that an API key's secret, or a session's bearer token, belongs to.

    The row is read anew on each call, so a revoked one fails at once everywhere. Whether a token's session still lives
    is found out with the rules of the operation. Raises AuthenticationFailed where it is unknown, revoked or expired.
    """
    is_token = bearer_secrets.is_secret(bearer_secrets.TOKEN, secret)
    if not is_token and not bearer_secrets.is_secret(bearer_secrets.API_KEY, secret):
        raise AuthenticationFailed("invalid API key")
    digest = bearer_secrets.sha256_of(secret)
    item = storage.table.get(
        credential_items.token_key(digest) if is_token else credential_items.credential_key(digest)
    )
    # The row was found by this digest; that it is the right one rests on a comparison in constant time all the same.
    if item is None or not hmac.compare_digest(item["secret_sha256"], digest):
        raise AuthenticationFailed("invalid API key")
    caller = credential_items.parse_grant(item) if is_token else credential_items.parse_credential(item)
    if _has_expired(caller):
        raise AuthenticationFailed("the session's token has expired" if is_token else "the API key has expired")
    return caller


def identify_signer(storage: Storage, arn: str, access_key_id: str) -> Caller:
    """The caller that signed a request: an agent where it holds the agent role, else what the IAM identity stands for.

    An agent is known by its access key alone: who else could assume the role would still be nobody.
    Raises PermissionDenied for credentials that were not handed out, have expired or are mapped to no workspace.
    """
    if principal_arn(arn) != principal_arn(storage.agent_role.arn):
        return _resolve_principal(storage, principal_arn(arn))
    item = storage.table.get(credential_items.access_key_key(access_key_id))
    caller = credential_items.parse_grant(item) if item else None
    if caller is None or _has_expired(caller):
        raise PermissionDenied("these are not the credentials of a session, or they have expired")
    return caller


def _resolve_principal(storage: Storage, principal: str) -> Caller:
    """What is mapped to an IAM identity, else an admin of the default workspace."""
    item = storage.table.get(credential_items.principal_key(principal))
    if item is None and not storage.default_workspace_id:
        raise PermissionDenied("this IAM identity is not mapped to a workspace")
    return Caller(
        workspace_id=item["workspace_id"] if item else storage.default_workspace_id or "",
        actor=Actor(ActorType.SERVICE_ACCOUNT, principal),
        role=Role(item["role"]) if item else Role.ADMIN,
    )


def _has_expired(caller: Caller) -> bool:
    return caller.expires_at is not None and caller.expires_at <= clock.now()


def map_principal(context: Context, arn: str, workspace_id: str, role: Role) -> str:
    """Store what an IAM role or user stands for; answers the ARN it is known by. Raises InvalidRequest.

    Where it is no admin of their workspace any more, its sessions end, and none of their writes lands after this.
    """
    ids.check_workspace_id(workspace_id, "workspace")
    principal = principal_arn(arn)
    if _PRINCIPAL.fullmatch(principal) is None:
        raise InvalidRequest("must be the ARN of an IAM role, user or account root", "arn")
    mapping: Item = {"workspace_id": workspace_id, "role": str(role)}
    context.table.write(put(credential_items.principal_key(principal), mapping))
    reach.end_creator(context, Actor(ActorType.SERVICE_ACCOUNT, principal), is_final=False)
    return principal


def unmap_principal(context: Context, arn: str) -> str:
    """Forget what an IAM role or user stands for; answers the ARN it was known by. Raises NotFound."""
    principal = principal_arn(arn)
    mapped = delete(credential_items.principal_key(principal), PRESENT, lambda _: NotFound("mapping of", principal))
    try:
        context.table.write(mapped)
    finally:  # a repeat finds no mapping, and has to finish this all the same
        reach.end_creator(context, Actor(ActorType.SERVICE_ACCOUNT, principal), is_final=False)
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
