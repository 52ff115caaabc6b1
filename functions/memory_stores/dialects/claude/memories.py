"""The endpoints of memories."""

from typing import Any

from memory_stores.dialects.claude import parameters as p
from memory_stores.dialects.claude import render
from memory_stores.domain.models import Memory
from memory_stores.http.endpoint import Call, Json, endpoint
from memory_stores.http.fields import Field, one_of, parse_record, record_schema, string
from memory_stores.operations import listing, memories
from memory_stores.operations.reading import BodyReader

_PRECONDITION_FIELDS = (
    Field(
        "type",
        one_of("content_sha256"),
        {"type": "string", "const": "content_sha256"},
        "The kind of condition.",
        is_required=True,
    ),
    p.PRECONDITION_SHA256,
)


def _precondition(value: Any, field: str) -> str:
    return str(parse_record(value, field, _PRECONDITION_FIELDS)["content_sha256"])


_PATH = Field(
    "path",
    string,
    p.PATH_SCHEMA,
    "Where the memory is; no other memory may be there, above or below. At most 1,024 bytes of UTF-8 in Unicode "
    "normalization form C; no segment is `.` or `..`, no character a control or format character.",
)
_CONTENT = Field(
    "content",
    string,
    {"type": "string"},
    "The text, stored byte for byte; at most 102,400 bytes of UTF-8 unless the deployment sets another limit.",
)
_PRECONDITION = Field(
    "precondition",
    _precondition,
    record_schema(_PRECONDITION_FIELDS),
    "What must hold for the update to apply.",
)


def answer_changed(call: Call, memory: Memory) -> Json:
    """A memory that was just changed; the text of one that was not sent with the change is read where it is wanted."""
    full = p.is_full(call.query, default="basic")
    if full and memory.content is None:
        memory = BodyReader(call.context).fill_changed(memory)
    return render.memory(memory, full=full)


@endpoint("Memory", body=(_PATH.required(), _CONTENT.required()), query=(p.BASIC_VIEW,))
def create_memory(call: Call) -> Json:
    """Create a memory; it never overwrites another.

    Where the path is taken, the error names the memory in the way, so that a repeated request can find its own.
    """
    return answer_changed(call, memories.create_memory(call.context, call.path["store"], **call.body))


@endpoint("MemoryPage", query=(p.PATH_PREFIX, p.DEPTH, p.BASIC_VIEW, p.LIMIT, p.PAGE))
def list_memories(call: Call) -> Json:
    """List memories in the byte order of their paths.

    With contents a page holds at most 20, and fewer where they are large: it may be short and still have a next one.
    """
    full = p.is_full(call.query, default="basic")
    page = listing.list_memories(
        call.context,
        call.path["store"],
        path_prefix=call.query.get("path_prefix", "/"),
        depth=call.query.get("depth", 0),
        full=full,
        limit=p.limit_of(call.query),
        page=call.query.get("page"),
    )
    return render.page(page, lambda item: render.list_item(item, full=full))


@endpoint("Memory", query=(p.FULL_VIEW,))
def get_memory(call: Call) -> Json:
    """Retrieve a memory."""
    full = p.is_full(call.query, default="full")
    memory = memories.get_memory(call.context, call.path["store"], call.path["memory"], full=full)
    return render.memory(memory, full=full)


@endpoint("Memory", body=(_CONTENT, _PATH, _PRECONDITION), query=(p.BASIC_VIEW,))
def update_memory(call: Call) -> Json:
    """Update a memory's content, path or both, as one change and one version.

    At least one of them must be given. What changes nothing makes no version. A request that is fulfilled already is
    answered with the memory even where its precondition no longer holds, so that repeating it is safe.
    """
    memory = memories.update_memory(
        call.context,
        call.path["store"],
        call.path["memory"],
        content=call.body.get("content"),
        path=call.body.get("path"),
        expected_sha256=call.body.get("precondition"),
    )
    return answer_changed(call, memory)


@endpoint("MemoryDeleted", query=(p.EXPECTED_SHA256,))
def delete_memory(call: Call) -> Json:
    """Delete a memory; its history stays."""
    memories.delete_memory(
        call.context,
        call.path["store"],
        call.path["memory"],
        expected_sha256=call.query.get("expected_content_sha256"),
    )
    return render.deleted("memory_deleted", call.path["memory"])
