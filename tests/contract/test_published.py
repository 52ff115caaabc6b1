"""The check that every other test's answers pass: it notices what differs from the published contract."""

import copy
import json
from typing import Any

import pytest

from tests.support import published

STORES = "/v1/memory_stores"
DOCUMENT = json.loads(published.FILE.read_text(encoding="utf-8"))
PAGE = DOCUMENT["paths"][STORES]["get"]["responses"]["200"]["content"]["application/json"]["example"]
STORE = PAGE["data"][0]
HEADERS = {"request-id": "req_" + 32 * "0"}


def error(type: str, **details: Any) -> dict[str, Any]:
    details = {"type": type, "message": "what is wrong", **details}
    return {"type": "error", "error": details, "request_id": HEADERS["request-id"]}


def test_what_is_published_passes() -> None:
    published.check("GET", STORES, 200, HEADERS, PAGE)
    published.check("GET", f"{STORES}/{STORE['id']}", 200, HEADERS, STORE)
    published.check("GET", f"{STORES}/x", 404, HEADERS, error("not_found_error"))
    published.check("GET", f"{STORES}/a%2Fb", 404, HEADERS, error("not_found_error"))
    published.check("PUT", STORES, 405, {**HEADERS, "allow": "GET, POST"}, error("invalid_request_error"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "memstore_1"),
        ("type", "memory"),
        ("name", ""),
        ("metadata", {"key": None}),
        ("created_at", "2026-01-31T08:00:00Z"),
        ("archived_at", ""),
        ("revision", 1),
    ],
)
def test_a_field_that_differs_fails(field: str, value: Any) -> None:
    page = copy.deepcopy(PAGE)
    page["data"][0][field] = value
    with pytest.raises(AssertionError, match="not as published"):
        published.check("GET", STORES, 200, HEADERS, page)


@pytest.mark.parametrize("field", sorted(STORE))
def test_a_field_that_is_missing_fails(field: str) -> None:
    store = {name: value for name, value in STORE.items() if name != field}
    with pytest.raises(AssertionError, match=f"'{field}' is a required property"):
        published.check("GET", f"{STORES}/{store.get('id', 'x')}", 200, HEADERS, store)


@pytest.mark.parametrize(
    ("method", "status", "headers", "body", "message"),
    [
        ("GET", 404, HEADERS, error("not_found_error"), "404 is not among the published answers"),
        ("PUT", 400, HEADERS, error("invalid_request_error"), "400 is not among the published answers"),
        ("GET", 401, HEADERS, error("authentication_error"), "401 without the header www-authenticate"),
        ("GET", 403, HEADERS, error("not_found_error"), "not as published"),
        ("GET", 403, HEADERS, error("permission_error", detail="more"), "not as published"),
        ("GET", 403, {"request-id": "1"}, error("permission_error"), "not as published"),
    ],
)
def test_an_error_that_differs_fails(
    method: str, status: int, headers: dict[str, str], body: dict[str, Any], message: str
) -> None:
    with pytest.raises(AssertionError, match=message):
        published.check(method, STORES, status, headers, body)
