"""Sessions: create, retrieve, list; and which of their stores they can use now."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import compress

from memory_stores.domain import attributes, clock, ids, mounts
from memory_stores.domain.access import authorize_in
from memory_stores.domain.clock import Period
from memory_stores.domain.errors import InvalidRequest, LimitReached, NotFound, PermissionDenied
from memory_stores.domain.holders import Attachment
from memory_stores.domain.models import Access, Caller, HolderKind, Resource, Session, Store
from memory_stores.operations import reach
from memory_stores.operations.attached import AttachedStores, read_stores, with_resources
from memory_stores.operations.authorization import check_own_session
from memory_stores.operations.bindings import check_within_scope, require_record
from memory_stores.operations.context import Context
from memory_stores.operations.paging import Listing, Page, newest_first
from memory_stores.storage import fences, items, session_items
from memory_stores.storage.expressions import MISSING, Item, put
from memory_stores.storage.fences import Fence

MAX_INSTRUCTIONS = 4096
_FIRST_EPOCH = 1


@dataclass(frozen=True, slots=True)
class ResourceRequest:
    """A store that a new session is to have."""

    store_id: str
    access: Access = Access.READ_WRITE
    instructions: str | None = None


def create_session(
    context: Context,
    *,
    agent_id: str,
    agent_version: int,
    environment_id: str,
    title: str | None,
    metadata: Mapping[str, str],
    requested: Sequence[ResourceRequest],
    holder: tuple[HolderKind, str] | None,
) -> Session:
    """A new session with the requested stores, and those of a deployment or bot as they are on each call.

    Raises InvalidRequest, LimitReached, StoreArchived, NotFound for a store, deployment or bot that is not there,
    PermissionDenied for a store the caller is not allowed.
    """
    _check_requested(context, requested)
    pairs = attributes.merge_metadata({}, attributes.check_metadata(metadata))
    session_id = ids.new(ids.SESSION)
    now = clock.now()

    def attempt() -> Session:
        passes = fences.read_each(context.table, [context.contents(each.store_id) for each in requested])
        record = require_record(context, *holder) if holder else None
        if record:
            check_within_scope(context.caller, record)
        live = record.attachments if record else {}
        stores = read_stores(context, {*(each.store_id for each in requested), *live})
        session = Session(
            id=session_id,
            agent_id=agent_id,
            agent_version=agent_version,
            environment_id=environment_id,
            title=title,
            metadata=pairs,
            resources=_mounted(context, requested, stores, live),
            holder=record.holder if record else None,
            store_ids=None if context.caller.store_ids is None else tuple(sorted(context.caller.store_ids)),
            created_at=now,
            updated_at=now,
            archived_at=None,
            created_by=context.caller.actor,
        )
        _put(context, session, passes)
        return session

    return with_resources(context, [context.until_settled(attempt)], AttachedStores(context))[0]


def _put(context: Context, session: Session, passes: Sequence[Fence]) -> None:
    """Make the session and its credentials exist, unless one of its stores is archived or deleted meanwhile."""
    reach.note_reach(context, session)
    key = session_items.session_key(context.workspace_id, session.id)
    writes = [
        put(key, session_items.session_attributes(session), MISSING),
        put(session_items.session_credentials_key(context.workspace_id, session.id), {"epoch": _FIRST_EPOCH}, MISSING),
        *(fence.pass_through(entries=0, bytes=0) for fence in passes),
    ]
    context.table.transact(writes, witness=key)


def get_session(context: Context, session_id: str) -> Session:
    """A session with its stores as they are attached now.

    Raises NotFound, PermissionDenied for one that reaches stores the caller is not allowed.
    """
    check_own_session(context)
    return with_resources(context, [read_session(context, session_id)], AttachedStores(context))[0]


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """Which sessions a list wants; all the filters hold together."""

    created: Period
    include_archived: bool = False
    store_id: str | None = None
    agent_id: str | None = None
    agent_version: int | None = None
    deployment_id: str | None = None
    bot_id: str | None = None

    def accepts(self, session: Session) -> bool:
        """Whether a session is wanted, as far as its own record tells."""
        holder = session.holder
        return (
            (self.include_archived or session.archived_at is None)
            and self.agent_id in (None, session.agent_id)
            and self.agent_version in (None, session.agent_version)
            and self.deployment_id in (None, holder.id if holder and holder.kind is HolderKind.DEPLOYMENT else "")
            and self.bot_id in (None, holder.id if holder and holder.kind is HolderKind.BOT else "")
        )


def list_sessions(context: Context, wanted: SessionFilter, *, limit: int, page: str | None) -> Page[Session]:
    """The sessions that the caller may manage, newest first, with their stores as they are attached now."""
    filters = {**asdict(wanted), "created": [wanted.created.first, wanted.created.last]}
    listing = Listing(context, "sessions", None, filters)
    attached = AttachedStores(context)

    def keep(found: list[Item]) -> list[Item]:
        sessions = {item["sk"]: session_items.parse_session(item) for item in found}
        kept = [each for each in sessions.values() if wanted.accepts(each) and is_within_scope(context.caller, each)]
        if wanted.store_id is not None:
            resources = attached.of(kept)
            having = [wanted.store_id in {resource.store_id for resource in each} for each in resources]
            kept = list(compress(kept, having))
        ids_kept = {session.id for session in kept}
        return [item for item in found if item["sk"] in ids_kept]

    partition = session_items.sessions_partition(context.workspace_id)
    position = listing.position(page)
    found, last = newest_first(context, partition, ids.SESSION, wanted.created, position, limit, keep)
    return listing.page(
        with_resources(context, [session_items.parse_session(item) for item in found], attached),
        last,
        lambda session: items.by_created(session.id, session.created_at),
    )


def read_session(context: Context, session_id: str) -> Session:
    """A session as it is stored. Raises NotFound, PermissionDenied where the caller may not manage it."""
    item = context.table.get(session_items.session_key(context.workspace_id, session_id))
    if item is None:
        raise NotFound("session", session_id)
    session = session_items.parse_session(item)
    if not context.caller.grant and not is_within_scope(context.caller, session):
        raise PermissionDenied("this session reaches memory stores that this credential is not allowed")
    return session


def is_within_scope(caller: Caller, session: Session) -> bool:
    """Whether the session reaches no store that the caller is not allowed; what a bot gets later is not known now."""
    own = [resource.store_id for resource in session.resources]
    return caller.covers(own) and (session.holder is None or caller.covers(session.store_ids))


def _check_requested(context: Context, requested: Sequence[ResourceRequest]) -> None:
    named: set[str] = set()
    for index, each in enumerate(requested):
        field = f"resources[{index}]"
        if each.store_id in named:
            raise InvalidRequest(f"names {each.store_id} for the second time", f"{field}.memory_store_id")
        named.add(each.store_id)
        if each.instructions is not None:
            attributes.check_text(each.instructions, f"{field}.instructions", most=MAX_INSTRUCTIONS)
        if not context.caller.may_reach(each.store_id):
            raise PermissionDenied(f"{field}.memory_store_id: this credential is limited to other memory stores")
    _check_count(context, len(requested))


def _check_count(context: Context, count: int) -> None:
    limit = context.limits.max_attached_stores
    if count > limit:
        raise LimitReached(f"a session may have at most {limit} memory stores", "resources")


def _mounted(
    context: Context,
    requested: Sequence[ResourceRequest],
    stores: Mapping[str, Store],
    live: Mapping[str, Attachment],
) -> tuple[Resource, ...]:
    """The requested stores with copies of their names and mount paths that no other store of the session has."""
    taken = {attachment.mount_path for attachment in live.values()}
    resources: list[Resource] = []
    for index, each in enumerate(requested):
        if each.store_id in live:
            message = f"{each.store_id} is attached by the deployment or bot already"
            raise InvalidRequest(message, f"resources[{index}].memory_store_id")
        if each.store_id not in stores:
            raise NotFound("memory store", each.store_id)
        store = stores[each.store_id]
        authorize_in(store, context.operation)
        path = mounts.mount_path(store.name, store.id, taken)
        taken.add(path)
        resources.append(Resource(store.id, each.access, store.name, store.description, path, each.instructions))
    _check_count(context, len(stores))
    return tuple(resources)
