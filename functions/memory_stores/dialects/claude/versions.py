"""The endpoints of versions."""

from memory_stores.dialects.claude import parameters as p
from memory_stores.dialects.claude import render
from memory_stores.dialects.claude.memories import answer_changed
from memory_stores.domain.models import Actor, ActorType, Operation
from memory_stores.http.endpoint import Call, Json, endpoint
from memory_stores.operations import redaction, restoring, versions

_AUTHORS = {
    p.SESSION_ID.name: ActorType.SESSION,
    p.API_KEY_ID.name: ActorType.API,
    p.SERVICE_ACCOUNT_ID.name: ActorType.SERVICE_ACCOUNT,
}


@endpoint(
    "MemoryVersionPage",
    query=(
        p.MEMORY_ID,
        p.OPERATION,
        p.CREATED_GTE,
        p.CREATED_LTE,
        p.SESSION_ID,
        p.API_KEY_ID,
        p.SERVICE_ACCOUNT_ID,
        p.BASIC_VIEW,
        p.LIMIT,
        p.PAGE,
    ),
)
def list_versions(call: Call) -> Json:
    """List the versions of a store or of one memory, newest first.

    All filters hold together. With contents a page holds at most 20, and fewer where they are large; a long search for
    rare matches is cut into pages as well. So a page may be short and still have a next one.
    """
    operation = call.query.get("operation")
    wanted = versions.VersionFilter(
        created=p.period_of(call.query),
        memory_id=call.query.get("memory_id"),
        operation=None if operation is None else Operation(operation),
        authors=tuple(Actor(type, call.query[name]) for name, type in _AUTHORS.items() if name in call.query),
    )
    page = versions.list_versions(
        call.context,
        call.path["store"],
        wanted,
        full=p.is_full(call.query, default="basic"),
        limit=p.limit_of(call.query),
        page=call.query.get("page"),
    )
    return render.page(page, render.version)


@endpoint("MemoryVersion", query=(p.FULL_VIEW,))
def get_version(call: Call) -> Json:
    """Retrieve a version, of a deleted memory too."""
    full = p.is_full(call.query, default="full")
    return render.version(versions.get_version(call.context, call.path["store"], call.path["version"], full=full))


@endpoint("MemoryVersion", body=())
def redact_version(call: Call) -> Json:
    """Erase the content of a version, for good.

    Path, digest and size go too; the rest stays for audit. The current version of a living memory cannot be redacted:
    write a newer version or delete the memory first. Repeating it answers the same.
    """
    return render.version(redaction.redact_version(call.context, call.path["store"], call.path["version"]))


@endpoint("Memory", body=(), query=(p.BASIC_VIEW,))
def restore_version(call: Call) -> Json:
    """Make the content of an old version the current one, as a new version.

    A deleted memory comes back under its id, at its last path. Equal content makes no version.
    """
    memory = restoring.restore_version(call.context, call.path["store"], call.path["version"])
    return answer_changed(call, memory)
