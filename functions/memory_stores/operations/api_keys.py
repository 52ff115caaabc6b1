"""API keys: create, list, delete."""

from collections.abc import Sequence
from functools import partial

from memory_stores.domain import attributes, bearer_secrets, clock, ids
from memory_stores.domain.clock import Period
from memory_stores.domain.errors import InvalidRequest, NotFound, PermissionDenied
from memory_stores.domain.models import Actor, ActorType, ApiKey, Caller, Role
from memory_stores.operations import reach
from memory_stores.operations.authorization import require_store
from memory_stores.operations.context import Context
from memory_stores.operations.paging import Listing, Page, newest_first
from memory_stores.storage import credential_items, items
from memory_stores.storage.expressions import MISSING, PRESENT, Item, delete, put, update

MAX_SCOPE = 50
"""How many stores a key can be limited to."""


def create_api_key(
    context: Context, *, name: str, role: Role, store_ids: Sequence[str] | None, expires_at: int | None
) -> tuple[ApiKey, str]:
    """A new key and its secret, which is never shown again.

    Raises InvalidRequest, NotFound for an unknown store, PermissionDenied for a key stronger than the caller.
    """
    key = ApiKey(
        id=ids.new(ids.API_KEY),
        name=attributes.check_name(name),
        role=role,
        store_ids=None if store_ids is None else tuple(dict.fromkeys(store_ids)),
        created_at=clock.now(),
        expires_at=expires_at,
        created_by=context.caller.actor,
    )
    if expires_at is not None and expires_at <= key.created_at:
        raise InvalidRequest("must lie in the future", "expires_at")
    _check_not_stronger(context.caller, key)
    _check_scope(context, key)
    secret = bearer_secrets.new(bearer_secrets.API_KEY)
    digest = bearer_secrets.sha256_of(secret)
    opened = credential_items.credential_attributes(context.workspace_id, key, digest)
    key_key = credential_items.api_key_key(context.workspace_id, key.id)
    writes = [
        put(key_key, {**credential_items.api_key_attributes(key), "secret_sha256": digest}, MISSING),
        put(credential_items.credential_key(digest), opened, MISSING),
    ]
    context.until_settled(lambda: context.table.transact(writes, witness=key_key))
    return key, secret


def list_api_keys(context: Context, *, limit: int, page: str | None) -> Page[ApiKey]:
    """The keys the caller may manage, newest first, without their secrets."""
    listing = Listing(context, "api_keys", None, {})

    def keep(found: list[Item]) -> list[Item]:
        return [item for item in found if context.caller.covers(credential_items.parse_api_key(item).store_ids)]

    position = listing.position(page)
    found, last = newest_first(context, context.workspace_id, ids.API_KEY, Period(), position, limit, keep)
    return listing.page(
        [credential_items.parse_api_key(item) for item in found],
        last,
        lambda key: items.by_created(key.id, key.created_at),
    )


def delete_api_key(context: Context, api_key_id: str) -> None:
    """Revoke a key: from the moment this returns it opens nothing, and no write of its sessions lands.

    Raises NotFound, PermissionDenied.
    """
    key_key = credential_items.api_key_key(context.workspace_id, api_key_id)
    item = context.table.get(key_key)
    if item is None:
        raise NotFound("API key", api_key_id)
    if not context.caller.covers(credential_items.parse_api_key(item).store_ids):
        raise PermissionDenied("a credential that is limited to some memory stores cannot revoke a wider key")
    revoked = update(
        key_key, {"revoked_at": clock.now()}, condition=PRESENT, refused=lambda _: NotFound("API key", api_key_id)
    )
    context.insist(lambda: context.table.write(revoked))
    reach.end_creator(context, Actor(ActorType.API, api_key_id), is_final=True)
    # Last come the secret, as a key that revokes itself needs it for a repeat, and the row, by which a repeat finds it.
    for last in (credential_items.credential_key(item["secret_sha256"]), key_key):
        context.insist(partial(context.table.write, delete(last)))


def _check_scope(context: Context, key: ApiKey) -> None:
    if key.store_ids is None:
        return
    if not 1 <= len(key.store_ids) <= MAX_SCOPE:
        raise InvalidRequest(f"must name 1 to {MAX_SCOPE} memory stores, or be null for all", "memory_store_ids")
    for store_id in key.store_ids:
        if not ids.is_id(ids.STORE, store_id):
            raise InvalidRequest("must hold ids of memory stores", "memory_store_ids")
    found = context.table.get_all([items.store_key(context.workspace_id, id) for id in key.store_ids])
    for item, store_id in zip(found, key.store_ids, strict=True):
        require_store(item, store_id)


def _check_not_stronger(caller: Caller, key: ApiKey) -> None:
    if not caller.covers(key.store_ids):
        raise PermissionDenied("memory_store_ids: a key cannot open more memory stores than the credential making it")
    if caller.expires_at is not None and (key.expires_at is None or key.expires_at > caller.expires_at):
        raise PermissionDenied("expires_at: a key cannot outlive the credential making it")
