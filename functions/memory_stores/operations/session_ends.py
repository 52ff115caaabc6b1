"""What ends a session's access: revoking its credentials, archiving it, deleting it.

Each first takes away what makes credentials good, then bumps the fences of all stores that the session can reach, and
only then is answered: no write of the session that was under way can land after the answer.
"""

from contextlib import suppress

from memory_stores.domain import clock
from memory_stores.domain.models import Session
from memory_stores.operations import reach
from memory_stores.operations.attached import AttachedStores, with_resources
from memory_stores.operations.context import Context
from memory_stores.operations.sessions import read_session
from memory_stores.storage import session_items
from memory_stores.storage.errors import ConditionFailed
from memory_stores.storage.expressions import PRESENT, Attr, Key, Write, delete, update


def archive_session(context: Context, session_id: str) -> Session:
    """End a session for good and keep its record; repeating it answers the same. Raises NotFound, PermissionDenied."""
    session = read_session(context, session_id)
    if session.archived_at is None:
        _end(context, session, delete(_credentials_key(context, session_id)))
        now = clock.now()
        archived = update(
            session_items.session_key(context.workspace_id, session_id),
            {"archived_at": now, "updated_at": now},
            condition=PRESENT & Attr("archived_at").not_exists(),
            refused=ConditionFailed,
        )
        try:
            session = session_items.parse_session(context.insist(lambda: context.table.write(archived)))
        except ConditionFailed:  # another archived or deleted it meanwhile
            session = read_session(context, session_id)
    return with_resources(context, [session], AttachedStores(context))[0]


def delete_session(context: Context, session_id: str) -> None:
    """End a session and remove its record; versions keep it as their author. Raises NotFound, PermissionDenied."""
    session = read_session(context, session_id)
    _end(context, session, delete(_credentials_key(context, session_id)))
    removed = delete(session_items.session_key(context.workspace_id, session_id))
    context.insist(lambda: context.table.write(removed))


def revoke_credentials(context: Context, session_id: str) -> None:
    """Refuse all credentials handed out so far; new ones can be made. Raises NotFound, PermissionDenied."""
    session = read_session(context, session_id)
    revoked = update(
        _credentials_key(context, session_id), add={"epoch": 1}, condition=PRESENT, refused=ConditionFailed
    )
    _end(context, session, revoked)


def _end(context: Context, session: Session, change: Write) -> None:
    with suppress(ConditionFailed):  # the session has ended already: none of its credentials is good
        context.insist(lambda: context.table.write(change))
    reach.end_session(context, session)


def _credentials_key(context: Context, session_id: str) -> Key:
    return session_items.session_credentials_key(context.workspace_id, session_id)
