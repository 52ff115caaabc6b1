"""The endpoints of sessions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

from memory_stores.dialects.claude import parameters as p
from memory_stores.dialects.claude import render
from memory_stores.domain import attributes, ids, mounts
from memory_stores.domain.errors import InvalidRequest
from memory_stores.domain.models import Access, HolderKind
from memory_stores.http.endpoint import Call, Json, endpoint
from memory_stores.http.fields import Field, one_of, parse_record, record_schema, string
from memory_stores.operations import credentials, session_ends, sessions
from memory_stores.operations.sessions import MAX_INSTRUCTIONS, ResourceRequest, SessionFilter

_MAX_AGENT_VERSION = 2**31 - 1


def _version(value: Any, field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MAX_AGENT_VERSION:
        raise InvalidRequest(f"must be a whole number from 1 to {_MAX_AGENT_VERSION}", field)
    return value


def _name(value: Any, field: str) -> str:
    return attributes.check_name(string(value, field), field)


_NAME_SCHEMA = {"type": "string", "minLength": 1, "maxLength": attributes.MAX_NAME}
_VERSION_SCHEMA = {"type": "integer", "minimum": 1, "maximum": _MAX_AGENT_VERSION}
_AGENT_FIELDS = (
    Field("type", one_of("agent"), {"type": "string", "const": "agent"}, "What this refers to.", is_required=True),
    Field("id", _name, _NAME_SCHEMA, "The agent's id.", is_required=True),
    Field(
        "version",
        _version,
        {"type": "integer", "minimum": 1, "maximum": _MAX_AGENT_VERSION},
        "The agent's version; 1 where it is left out.",
    ),
)


def _agent(value: Any, field: str) -> Mapping[str, Any]:
    if isinstance(value, str):
        return {"id": _name(value, field)}
    if not isinstance(value, dict):
        raise InvalidRequest("must be the id of an agent, or an object with type, id and version", field)
    return parse_record(value, field, _AGENT_FIELDS)


_AGENT = Field(
    "agent",
    _agent,
    {"anyOf": [_NAME_SCHEMA, record_schema(_AGENT_FIELDS)]},
    "The agent that the session is for: its id, or an object with its id and version. It is told again, never run.",
    is_required=True,
)
_ENVIRONMENT_ID = Field("environment_id", _name, _NAME_SCHEMA, "The agent's environment, told again.", is_required=True)
_TITLE = Field("title", _name, _NAME_SCHEMA, "A display title without control characters.")
_RESOURCE_TYPE = Field(
    "type",
    one_of("memory_store"),
    {"type": "string", "const": "memory_store"},
    "The only kind of resource there is.",
    is_required=True,
)
_RESOURCE_FIELDS = (
    _RESOURCE_TYPE,
    Field("memory_store_id", p.store_id, p.id_schema(ids.STORE), "The store to attach.", is_required=True),
    Field(
        "access", one_of(*Access), {**p.ACCESS_SCHEMA, "default": "read_write"}, "What the agent may do in the store."
    ),
    Field(
        "instructions",
        string,
        {"type": "string", "maxLength": MAX_INSTRUCTIONS},
        "What the agent is told about using the store.",
    ),
)


_CHANGEABLE_FIELDS = tuple(field for field in _RESOURCE_FIELDS if not field.is_required)


def _resources(value: Any, field: str) -> list[ResourceRequest]:
    if not isinstance(value, list):
        raise InvalidRequest("must be an array", field)
    return [_resource(member, f"{field}[{index}]") for index, member in enumerate(value)]


def _resource(value: Any, field: str) -> ResourceRequest:
    if isinstance(value, dict) and "type" in value:  # the members of other types would be named first
        _RESOURCE_TYPE.parse(value["type"], f"{field}.type")
    parsed = parse_record(value, field, _RESOURCE_FIELDS)
    return ResourceRequest(
        store_id=parsed["memory_store_id"],
        access=Access(parsed.get("access", Access.READ_WRITE)),
        instructions=parsed.get("instructions"),
    )


_RESOURCES = Field(
    "resources",
    _resources,
    {"type": "array", "items": record_schema(_RESOURCE_FIELDS)},
    "The memory stores to attach, for as long as the session lives; at most 8 together with those of a deployment or "
    "bot, unless the deployment of the API sets a smaller limit.",
)
_DEPLOYMENT_ID = Field(
    "deployment_id", p.holder_id, p.HOLDER_ID_SCHEMA, "The deployment whose stores the session sees as they are."
)
_BOT_ID = Field("bot_id", p.holder_id, p.HOLDER_ID_SCHEMA, "The saved bot whose stores the session sees as they are.")
_BODY = (_AGENT, _ENVIRONMENT_ID, _TITLE, p.METADATA, _RESOURCES, _DEPLOYMENT_ID, _BOT_ID)


@endpoint("Session", body=_BODY)
def create_session(call: Call) -> Json:
    """Create a session: which memory stores an agent may touch, and how.

    Stores are attached now and never later. With the id of a deployment or bot, the session also has the stores that
    are attached to that at the time of each call.
    """
    body = call.body
    if "deployment_id" in body and "bot_id" in body:
        raise InvalidRequest("cannot be given together with deployment_id", "bot_id")
    holder = None
    if "deployment_id" in body:
        holder = (HolderKind.DEPLOYMENT, body["deployment_id"])
    elif "bot_id" in body:
        holder = (HolderKind.BOT, body["bot_id"])
    session = sessions.create_session(
        call.context,
        agent_id=body["agent"]["id"],
        agent_version=body["agent"].get("version", 1),
        environment_id=body["environment_id"],
        title=body.get("title"),
        metadata=body.get("metadata", {}),
        requested=body.get("resources", []),
        holder=holder,
    )
    return render.session(session)


def _version_filter(value: Any, field: str) -> int:
    return _version(int(value) if value.isascii() and value.isdigit() and len(value) <= 10 else None, field)


def _no_filter(value: Any, field: str) -> str:
    raise InvalidRequest("is not a filter here: every session is idle", field)


_FILTERS = (
    Field("memory_store_id", p.store_id, p.id_schema(ids.STORE), "Only sessions that have this memory store."),
    Field("agent_id", _name, _NAME_SCHEMA, "Only sessions of this agent."),
    Field("agent_version", _version_filter, _VERSION_SCHEMA, "Only sessions of this version of an agent."),
    Field("deployment_id", p.holder_id, p.HOLDER_ID_SCHEMA, "Only sessions of this deployment."),
    Field("bot_id", p.holder_id, p.HOLDER_ID_SCHEMA, "Only sessions of this bot."),
    p.CREATED_GTE,
    p.CREATED_LTE,
    p.CREATED_GT,
    p.CREATED_LT,
    replace(p.INCLUDE_ARCHIVED, description="Whether archived sessions are listed too."),
    Field("order", one_of("desc"), {"type": "string", "const": "desc"}, "Newest first; there is no other order."),
    Field("statuses", _no_filter, {"not": {}}, "Refused: every session is idle."),
    Field("statuses[]", _no_filter, {"not": {}}, "Refused: every session is idle."),
)


@endpoint("SessionPage", query=(*_FILTERS, p.LIMIT, p.PAGE))
def list_sessions(call: Call) -> Json:
    """List sessions, newest first."""
    wanted = SessionFilter(
        created=p.period_of(call.query),
        include_archived=call.query.get("include_archived", False),
        store_id=call.query.get("memory_store_id"),
        agent_id=call.query.get("agent_id"),
        agent_version=call.query.get("agent_version"),
        deployment_id=call.query.get("deployment_id"),
        bot_id=call.query.get("bot_id"),
    )
    page = sessions.list_sessions(call.context, wanted, limit=p.limit_of(call.query), page=call.query.get("page"))
    return render.page(page, render.session)


@endpoint("Session")
def get_session(call: Call) -> Json:
    """Retrieve a session. An agent can retrieve its own."""
    return render.session(sessions.get_session(call.context, call.path["session"]))


@endpoint("Session", body=())
def archive_session(call: Call) -> Json:
    """End a session for good and keep its record; all its credentials are refused from then on."""
    return render.session(session_ends.archive_session(call.context, call.path["session"]))


@endpoint("SessionDeleted")
def delete_session(call: Call) -> Json:
    """End a session and remove its record; all its credentials are refused from then on."""
    session_ends.delete_session(call.context, call.path["session"])
    return render.deleted("session_deleted", call.path["session"])


@endpoint("ResourcePage")
def list_session_resources(call: Call) -> Json:
    """List a session's memory stores: its own, then those of its deployment or bot as they are attached now."""
    return render.whole_list(sessions.get_session(call.context, call.path["session"]).resources, render.resource)


def _refuse_change(call: Call) -> NoReturn:
    sessions.get_session(call.context, call.path["session"])
    raise InvalidRequest("memory stores are attached when a session is created, and stay as they are", "resources")


@endpoint("Resource", body=_RESOURCE_FIELDS)
def add_session_resource(call: Call) -> Json:
    """Always refused: memory stores are attached when a session is created."""
    _refuse_change(call)


@endpoint("Resource", body=_CHANGEABLE_FIELDS)
def update_session_resource(call: Call) -> Json:
    """Always refused: a session's own memory stores stay as they were attached."""
    _refuse_change(call)


@endpoint("Resource")
def delete_session_resource(call: Call) -> Json:
    """Always refused: a session's own memory stores stay attached; archive the session, or revoke its credentials."""
    _refuse_change(call)


@endpoint("MemoryPrompt")
def get_memory_prompt(call: Call) -> Json:
    """The text that tells the agent about its memory, for its system prompt; empty where it has no memory store.

    Per store: name, mount path, what may be done with it now, description and instructions.
    """
    resources = sessions.get_session(call.context, call.path["session"]).resources
    return {"type": "memory_prompt", "session_id": call.path["session"], "text": mounts.memory_prompt(resources)}


_CREDENTIAL_TYPE = Field(
    "type",
    one_of("bearer", "aws"),
    {"type": "string", "enum": ["bearer", "aws"]},
    "`bearer`: a token for the key door. `aws`: temporary AWS credentials to sign requests to the signed door with.",
    is_required=True,
)


@endpoint("Credentials", body=(_CREDENTIAL_TYPE,))
def create_credentials(call: Call) -> Json:
    """Make credentials that an agent calls with as this session; the answer is the only one that shows them.

    AWS credentials let pass only the routes of the stores that are attached now: after a store is attached to the
    session's deployment or bot, or its access is widened, the agent needs new ones to use that.
    """
    session_id = call.path["session"]
    if call.body["type"] == "aws":
        return render.aws_credentials(credentials.create_aws_credentials(call.context, session_id))
    return render.bearer_token(credentials.create_bearer_token(call.context, session_id))


@endpoint("CredentialsRevoked")
def revoke_credentials(call: Call) -> Json:
    """Refuse all credentials of a session that have been made so far; new ones can be made."""
    session_ends.revoke_credentials(call.context, call.path["session"])
    return render.deleted("session_credentials_revoked", call.path["session"])
