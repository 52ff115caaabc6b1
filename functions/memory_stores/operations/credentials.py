"""The credentials of sessions: bearer tokens for the key door, temporary AWS credentials for the signed door."""

from dataclasses import replace

from memory_stores.domain import bearer_secrets, clock
from memory_stores.domain.agent_credentials import AwsCredentials, BearerToken
from memory_stores.domain.errors import InvalidRequest
from memory_stores.domain.models import Actor, ActorType, Caller, Grant, Session
from memory_stores.operations.attached import AttachedStores
from memory_stores.operations.context import Context
from memory_stores.operations.creators import creator_key, expiry_of, may_still_create
from memory_stores.operations.sessions import read_session
from memory_stores.storage import credential_items, session_items
from memory_stores.storage.expressions import put


def create_bearer_token(context: Context, session_id: str) -> BearerToken:
    """A bearer token for the session; it is not kept. Raises NotFound, PermissionDenied, InvalidRequest."""
    _, agent, grant = _read(context, session_id)
    expires_at = clock.now() + context.limits.bearer_lifetime_seconds * 1000
    expires_at = min(expires_at, agent.expires_at or expires_at)
    token = bearer_secrets.new(bearer_secrets.TOKEN)
    digest = bearer_secrets.sha256_of(token)
    attributes = credential_items.grant_attributes(replace(agent, expires_at=expires_at), grant)
    stored = put(credential_items.token_key(digest), {**attributes, "secret_sha256": digest})
    context.insist(lambda: context.table.write(stored))
    return BearerToken(token, expires_at)


def create_aws_credentials(context: Context, session_id: str) -> AwsCredentials:
    """AWS credentials that the gateway lets pass to the session's stores as attached now, and nowhere else.

    Raises NotFound, PermissionDenied, InvalidRequest.
    """
    session, agent, grant = _read(context, session_id)
    [attached] = AttachedStores(context).of([session])
    accesses = {resource.store_id: resource.access for resource in attached}
    made = context.storage.agent_role.assume(session_id, accesses, context.limits.aws_lifetime_seconds)
    expires_at = min(made.expires_at, agent.expires_at or made.expires_at)
    attributes = credential_items.grant_attributes(replace(agent, expires_at=expires_at), grant)
    stored = put(credential_items.access_key_key(made.access_key_id), attributes)
    context.insist(lambda: context.table.write(stored))
    return replace(made, expires_at=expires_at)


def _read(context: Context, session_id: str) -> tuple[Session, Caller, Grant]:
    """The session, and its agent with what a credential made now carries: it ends no later than who makes it."""
    session = read_session(context, session_id)
    good, creator = context.table.get_all(
        [
            session_items.session_credentials_key(context.workspace_id, session_id),
            creator_key(context.workspace_id, session.created_by),
        ]
    )
    if good is None:
        raise InvalidRequest(f"session {session_id} is archived")
    if not may_still_create(context.storage, context.workspace_id, session.created_by, creator):
        raise InvalidRequest(f"session {session_id} has ended: the key or role that created it is revoked")
    ends = [end for end in (context.caller.expires_at, expiry_of(creator)) if end is not None]
    agent = Caller(
        workspace_id=context.workspace_id,
        actor=Actor(ActorType.SESSION, session_id),
        role=None,
        store_ids=None if session.store_ids is None else frozenset(session.store_ids),
        expires_at=min(ends, default=None),
    )
    grant = Grant(
        session_id=session_id,
        epoch=int(good["epoch"]),
        created_by=session.created_by,
        fixed={resource.store_id: resource.access for resource in session.resources},
        holder=session.holder,
    )
    return session, agent, grant
