"""The parameters that several requests share."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memory_stores.domain import attributes, clock, ids, paths
from memory_stores.domain.errors import InvalidRequest
from memory_stores.domain.models import Access, Operation
from memory_stores.http.fields import Field, Schema, one_of, string, string_map, string_patch

_PLAIN_INTEGER = re.compile(r"[1-9][0-9]{0,2}")
_DEFAULT_LIMIT = 20
_MAX_LIMIT = 100


def _limit(value: Any, field: str) -> int:
    if _PLAIN_INTEGER.fullmatch(value) is None or int(value) > _MAX_LIMIT:
        raise InvalidRequest(f"must be a whole number from 1 to {_MAX_LIMIT}", field)
    return int(value)


def _boolean(value: Any, field: str) -> bool:
    return bool(one_of("true", "false")(value, field) == "true")


def _depth(value: Any, field: str) -> int:
    return int(one_of("0", "1")(value, field))


def _non_empty(value: Any, field: str) -> str:
    if not value:
        raise InvalidRequest("must not be empty", field)
    return string(value, field)


def _memory_id(value: Any, field: str) -> str:
    if not ids.is_id(ids.MEMORY, value):
        raise InvalidRequest("is not the id of a memory", field)
    return string(value, field)


def store_id(value: Any, field: str) -> str:
    """The id of a store, which need not exist."""
    if not ids.is_id(ids.STORE, string(value, field)):
        raise InvalidRequest("is not the id of a memory store", field)
    return string(value, field)


def holder_id(value: Any, field: str) -> str:
    """The id of a deployment or bot, which need not exist."""
    return ids.check_holder_id(string(value, field), field)


def _time(value: Any, field: str) -> str:
    clock.parse_nanoseconds(value, field)
    return string(value, field)


def _milliseconds(value: Any, field: str) -> int:
    milliseconds = clock.parse_nanoseconds(string(value, field), field) // 1_000_000
    if milliseconds > clock.LAST:
        raise InvalidRequest("must lie before the year 10000 in UTC", field)
    return milliseconds


def _digest(value: Any, field: str) -> str:
    return attributes.check_sha256(string(value, field), field)


def id_schema(prefix: str) -> Schema:
    """The form of an id."""
    return {"type": "string", "pattern": f"^{prefix}_[0-9a-f]{{32}}$"}


_METADATA_SCHEMA = {
    "type": "object",
    "maxProperties": attributes.MAX_PAIRS,
    "propertyNames": {"minLength": 1, "maxLength": attributes.MAX_METADATA_KEY},
}
_METADATA_VALUE = {"type": "string", "maxLength": attributes.MAX_METADATA_VALUE}
_TIME_SCHEMA = {"type": "string", "format": "date-time"}
DIGEST_SCHEMA = {"type": "string", "pattern": f"^{attributes.SHA256.pattern}$"}

LIMIT = Field(
    "limit",
    _limit,
    {"type": "integer", "minimum": 1, "maximum": _MAX_LIMIT, "default": _DEFAULT_LIMIT},
    "The most items of a page.",
)
PAGE = Field("page", string, {"type": "string"}, "The `next_page` of the page before, with the same parameters.")
BASIC_VIEW = Field(
    "view",
    one_of("basic", "full"),
    {"type": "string", "enum": ["basic", "full"], "default": "basic"},
    "Whether the answer holds the content: `full`, or null in its place: `basic`.",
)
FULL_VIEW = replace(BASIC_VIEW, schema={**BASIC_VIEW.schema, "default": "full"})
INCLUDE_ARCHIVED = Field(
    "include_archived", _boolean, {"type": "boolean", "default": False}, "Whether archived stores are listed too."
)
PATH_PREFIX = Field(
    "path_prefix",
    string,
    {"type": "string", "maxLength": paths.MAX_BYTES, "pattern": "^/(.*/)?$", "default": "/"},
    "List only what lies below this directory; starts and ends with `/`.",
)
DEPTH = Field(
    "depth",
    _depth,
    {"type": "integer", "enum": [0, 1], "default": 0},
    "0 lists all memories below the prefix, 1 its direct children and folds the deeper ones into `memory_prefix`.",
)
CREATED_GTE = Field("created_at[gte]", _time, _TIME_SCHEMA, "Created at or after this time; it has an offset.")
CREATED_GT = Field("created_at[gt]", _time, _TIME_SCHEMA, "Created after this time; it has an offset.")
CREATED_LT = Field("created_at[lt]", _time, _TIME_SCHEMA, "Created before this time; it has an offset.")
CREATED_LTE = Field("created_at[lte]", _time, _TIME_SCHEMA, "Created at or before this time; it has an offset.")
MEMORY_ID = Field("memory_id", _memory_id, id_schema(ids.MEMORY), "Only versions of this memory, which may be deleted.")
OPERATION = Field(
    "operation",
    one_of(*Operation),
    {"type": "string", "enum": [str(name) for name in Operation]},
    "Only this kind of change.",
)
_AUTHOR_SCHEMA = {"type": "string", "minLength": 1}
SESSION_ID = Field("session_id", _non_empty, _AUTHOR_SCHEMA, "Only changes made by this session.")
API_KEY_ID = Field("api_key_id", _non_empty, _AUTHOR_SCHEMA, "Only changes made with this API key.")
SERVICE_ACCOUNT_ID = Field(
    "service_account_id", _non_empty, _AUTHOR_SCHEMA, "Only changes made by this IAM role or user (an ARN)."
)
EXPECTED_SHA256 = Field(
    "expected_content_sha256", _digest, DIGEST_SCHEMA, "Delete only if the current content has this digest."
)

PRECONDITION_SHA256 = Field(
    "content_sha256", _digest, DIGEST_SCHEMA, "The digest that the current content must have.", is_required=True
)

NAME = Field(
    "name",
    string,
    {"type": "string", "minLength": 1, "maxLength": attributes.MAX_NAME},
    "A display name without control characters; need not be unique.",
)
DESCRIPTION = Field(
    "description",
    string,
    {"type": "string", "maxLength": attributes.MAX_DESCRIPTION},
    "What the store holds; agents are shown it.",
)
METADATA = Field(
    "metadata",
    string_map,
    {**_METADATA_SCHEMA, "additionalProperties": _METADATA_VALUE},
    "Pairs for the caller's own use.",
)
METADATA_PATCH = Field(
    "metadata",
    string_patch,
    {**_METADATA_SCHEMA, "additionalProperties": {**_METADATA_VALUE, "type": ["string", "null"]}},
    "Pairs to set; null removes one.",
)
ACCESS_SCHEMA = {"type": "string", "enum": [str(access) for access in Access]}
HOLDER_ID_SCHEMA = {"type": "string", "pattern": f"^{ids.HOLDER_ID.pattern}$"}
EXPIRES_AT = Field(
    "expires_at",
    _milliseconds,
    _TIME_SCHEMA,
    "When the key ends by itself; null for never.",
)
PATH_SCHEMA = {
    "type": "string",
    "minLength": 2,
    "maxLength": paths.MAX_BYTES,
    "pattern": f"^(/[^/]+){{1,{paths.MAX_SEGMENTS}}}$",
}


def limit_of(query: Mapping[str, Any]) -> int:
    """The page size that a query asks for, or the default."""
    return int(query.get("limit", _DEFAULT_LIMIT))


def period_of(query: Mapping[str, Any]) -> clock.Period:
    """The period that a query asks for, or all time."""
    times = {bound: query.get(f"created_at[{bound}]") for bound in ("gte", "lte", "gt", "lt")}
    return clock.period("created_at", **times)


def is_full(query: Mapping[str, Any], *, default: str) -> bool:
    """Whether the answer is to hold the content."""
    return bool(query.get("view", default) == "full")
