"""The whole document."""

import importlib
from collections.abc import Sequence
from typing import Any

from memory_stores.dialects.claude.parameters import HOLDER_ID_SCHEMA, id_schema
from memory_stores.domain import ids
from memory_stores.http.endpoint import Endpoint
from memory_stores.http.fields import Field
from memory_stores.routes import ROUTES, Route

from infra.openapi import answers, examples, failures, session_answers
from infra.openapi.answers import Schema, described, nullable, reference

Json = dict[str, Any]

_DESCRIPTION = """\
Shared memory for agents: stores of texts with paths, a history of every change, and erasure that is final.

Two doors lead to the same API. The key door takes an API key, as `Authorization: Bearer` or as `x-api-key`; the \
signed door takes requests signed with AWS Signature Version 4 for the service `execute-api`.

Success is 200. Every answer carries a `request-id`, and every error has the same envelope, whatever went wrong. Only \
what API Gateway refuses by itself looks different, `{"message": …}` without that header: a bad signature (403), a \
request above 10 MB (413), its own throttling (429), a function that did not answer in time (503).

A path that no operation has is answered 404, a method that a path does not have 405. Unknown query parameters are \
ignored, unknown fields of a body are refused."""

ANSWERS = {**answers.ANSWERS, **session_answers.ANSWERS}

_TAGS = {
    "stores": ("Memory stores", "Stores hold memories; a workspace holds stores."),
    "memories": ("Memories", "Texts, each at a path of its store."),
    "versions": ("Versions", "The history of the memories: read, erased, restored."),
    "api_keys": ("API keys", "Who may use the key door, and for what."),
    "sessions": ("Sessions", "Which memory stores an agent may touch, and the credentials that it calls with."),
    "bindings": ("Deployments and bots", "Memory stores attached to them, which their sessions see as they are."),
}

_SECURITY = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API key or a session's token; the key door."},
    "api_key": {
        "type": "apiKey",
        "in": "header",
        "name": "x-api-key",
        "description": "An API key or a session's token; the key door.",
    },
    "sigv4": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "AWS Signature Version 4 for the service `execute-api`; the signed door.",
        "x-amazon-apigateway-authtype": "awsSigv4",
    },
}

_PATH_PARAMETERS = {
    "store": (ids.STORE, "The id of a memory store."),
    "memory": (ids.MEMORY, "The id of a memory."),
    "version": (ids.VERSION, "The id of a version."),
    "key": (ids.API_KEY, "The id of an API key; not its secret."),
    "session": (ids.SESSION, "The id of a session."),
}
_FREE_PATH_PARAMETERS = {
    "resource": ({"type": "string"}, "Whatever names a resource of the session."),
    "deployment": (HOLDER_ID_SCHEMA, "The id of a deployment, chosen by its owner."),
    "bot": (HOLDER_ID_SCHEMA, "The id of a saved bot, chosen by its owner."),
}
_HEADER_PARAMETERS = {
    "anthropic-version": "The version of the API that the client speaks; any is taken.",
    "anthropic-beta": "Names of beta features, comma-separated. `agent-memory-2026-07-22` and "
    "`managed-agents-2026-04-01` exclude each other; others are ignored.",
    "anthropic-workspace-id": "The workspace that the client means; any but the credential's own is refused.",
}


def document() -> Json:
    """The OpenAPI document of all routes."""
    operations = [(route, endpoint_of(route)) for route in ROUTES]
    responses = [failures.unrouted(), *(failures.possible(route, endpoint) for route, endpoint in operations)]
    paths: dict[str, Json] = {}
    for route, endpoint in operations:
        paths.setdefault(route.path, {"parameters": _path_item_parameters(route)})
        paths[route.path][route.method.lower()] = _operation(route, endpoint)
    return {
        "openapi": "3.1.1",
        "info": {"title": "Memory stores", "version": "1", "description": _DESCRIPTION},
        "servers": [_server()],
        "security": [{name: []} for name in _SECURITY],
        "tags": [{"name": name, "description": description} for name, description in _TAGS.values()],
        "paths": paths,
        "components": {
            "schemas": {**ANSWERS, **failures.schemas()},
            "responses": {
                failures.name_of(kinds): failures.response_to(kinds)
                for kinds in sorted((kinds for each in responses for kinds in each), key=failures.status_of)
            },
            "parameters": _parameters(),
            "headers": {name: {"required": True, **header} for name, header in failures.HEADERS.items()},
            "securitySchemes": _SECURITY,
        },
    }


def endpoint_of(route: Route) -> Endpoint:
    """The endpoint that serves a route."""
    module = importlib.import_module(f"memory_stores.dialects.claude.{route.function}")
    endpoint: Endpoint = getattr(module, route.operation)
    return endpoint


def _server() -> Json:
    return {
        "url": "https://{host}",
        "description": "The outputs KeyDoorUrl and SignedDoorUrl of a deployment, or its own domains.",
        "variables": {"host": {"default": "api-id.execute-api.us-east-1.amazonaws.com"}},
    }


def _operation(route: Route, endpoint: Endpoint) -> Json:
    operation: Json = {
        "operationId": route.operation,
        "tags": [_TAGS[route.function][0]],
        "summary": endpoint.summary.rstrip("."),
    }
    if endpoint.description:
        operation["description"] = endpoint.description
    if endpoint.query:
        operation["parameters"] = [_query_parameter(field) for field in endpoint.query]
    if endpoint.body is not None:
        operation["requestBody"] = _request_body(route.operation, endpoint.body)
    errors = failures.possible(route, endpoint)
    operation["responses"] = {
        "200": _success(endpoint.answers),
        **{failures.status_of(kinds): reference("responses", failures.name_of(kinds)) for kinds in errors},
    }
    return operation


def _query_parameter(field: Field) -> Json:
    return {"name": field.name, "in": "query", "description": field.description, "schema": field.schema}


def _request_body(operation: str, fields: Sequence[Field]) -> Json:
    """A field that may be left out may be null as well: it means the same."""
    schema: Schema = {
        "type": "object",
        "properties": {
            field.name: described(field.schema if field.is_required else nullable(field.schema), field.description)
            for field in fields
        },
        "additionalProperties": False,
    }
    if required := [field.name for field in fields if field.is_required]:
        schema["required"] = required
    content: Json = {"schema": schema}
    if operation in examples.BODIES:
        content["example"] = examples.BODIES[operation]
    return {"required": bool(fields), "content": {"application/json": content}}


def _success(answer: str) -> Json:
    return {
        "description": ANSWERS[answer]["description"],
        "headers": {"request-id": reference("headers", "request-id")},
        "content": {
            "application/json": {"schema": reference("schemas", answer), "example": examples.ANSWERS[answer]},
        },
    }


def _path_item_parameters(route: Route) -> list[Json]:
    named = [name for name in (*_PATH_PARAMETERS, *_FREE_PATH_PARAMETERS) if f"{{{name}}}" in route.path]
    return [reference("parameters", name) for name in (*named, *_HEADER_PARAMETERS)]


def _parameters() -> dict[str, Json]:
    schemas = {name: (id_schema(prefix), text) for name, (prefix, text) in _PATH_PARAMETERS.items()}
    in_path = {
        name: {"name": name, "in": "path", "required": True, "description": text, "schema": schema}
        for name, (schema, text) in {**schemas, **_FREE_PATH_PARAMETERS}.items()
    }
    in_header = {
        name: {"name": name, "in": "header", "description": text, "schema": {"type": "string"}}
        for name, text in _HEADER_PARAMETERS.items()
    }
    return {**in_path, **in_header}
