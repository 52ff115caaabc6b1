"""The published contract as a check: is an answer what docs/openapi.json says of it?"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry
from referencing.jsonschema import DRAFT202012

FILE = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"

# What answers a request that no operation takes.
_UNROUTED = {404: "NotFound", 405: "MethodNotAllowed", 500: "Unexpected"}

Json = dict[str, Any]


def check(method: str, path: str, status: int, headers: Mapping[str, str], body: Any) -> None:
    """Fails where the status, a header or the body of an answer is not what is published for the request."""
    found = _response(method, path, status)
    assert found, f"{method} {path}: {status} is not among the published answers: {body}"
    pointer, response = found
    for name, reference in response["headers"].items():
        assert name in headers, f"{method} {path}: {status} without the header {name}"
        schema = _at(reference["$ref"])["schema"]
        value = int(headers[name]) if schema["type"] == "integer" else headers[name]
        _conform(f"{reference['$ref']}/schema", value)
    _conform(f"{pointer}/content/application~1json/schema", body)


def _response(method: str, path: str, status: int) -> tuple[str, Json] | None:
    """The response of a status, and where it is."""
    pointer = _operation(method, path)
    if pointer is None:
        pointer = f"#/components/responses/{_UNROUTED[status]}" if status in _UNROUTED else None
        return (pointer, _at(pointer)) if pointer else None
    response = _at(pointer)["responses"].get(str(status))
    if response is None:
        return None
    pointer = response.get("$ref", f"{pointer}/responses/{status}")
    return pointer, _at(pointer)


def _operation(method: str, path: str) -> str | None:
    """Where the operation is that takes a request; a gateway decodes the path, and cuts it at a decoded `?`."""
    decoded = unquote(path).partition("?")[0]
    for template, item in _document()["paths"].items():
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template))
        if method.lower() in item and re.fullmatch(pattern, decoded):
            return f"#/paths/{template.replace('/', '~1')}/{method.lower()}"
    return None


def _conform(pointer: str, value: Any) -> None:
    error = best_match(_validator(pointer).iter_errors(value))
    assert error is None, f"not as published at {pointer}: {error.json_path}: {error.message[:500]}"


def _at(pointer: str) -> Json:
    found: Json = _document()
    for step in pointer.removeprefix("#/").split("/"):
        found = found[step.replace("~1", "/")]
    return found


@cache
def _validator(pointer: str) -> Draft202012Validator:
    registry = Registry().with_resource(FILE.name, DRAFT202012.create_resource(_document()))
    return Draft202012Validator({"$ref": f"{FILE.name}{pointer}"}, registry=registry)


@cache
def _document() -> Json:
    return dict(json.loads(FILE.read_text(encoding="utf-8")))
