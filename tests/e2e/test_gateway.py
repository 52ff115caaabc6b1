"""What the gateway hands to no function of a resource: unknown paths, other methods, odd spellings, on both doors."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from botocore.credentials import Credentials
from memory_stores.routes import ROUTES

from infra.local.deployment import Deployment
from tests.e2e.callers import Callers
from tests.e2e.reach import NOTHING
from tests.support.client import Client
from tests.support.ministack_backend import MiniStackBackend

STORES = "/v1/memory_stores"
NOBODY = NOTHING["store"]
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "FOO")
PATHS = sorted({route.path for route in ROUTES})


@pytest.fixture(params=["key", "signed"])
def door(
    request: pytest.FixtureRequest, deployed: Deployment, backend: MiniStackBackend, callers: Callers
) -> Iterator[Client]:
    """An admin of the default workspace at each of the doors."""
    if request.param == "key":
        yield Client(backend.key_door, deployed.api_key)
    else:
        aws = deployed.aws
        yield callers.client(Credentials(aws.access_key_id, aws.secret_access_key))


@pytest.mark.parametrize("path", PATHS)
def test_other_methods_of_a_path_are_refused_with_those_it_has(door: Client, path: str) -> None:
    allowed = {route.method for route in ROUTES if route.path == path}
    for method in set(METHODS) - allowed:
        answer = door.request(method, path.format(**NOTHING), json={})
        assert answer.failure == (405, "invalid_request_error")
        assert set(answer.headers["allow"].split(", ")) == allowed


def test_a_head_request_is_answered_without_a_body(door: Client) -> None:
    status, headers, body = door.send("HEAD", STORES, {"x-api-key": door.key} if door.key else {}, None)
    assert (status, headers["allow"], body) == (405, "GET, POST", b"")
    assert headers["request-id"].startswith("req_")


@pytest.mark.parametrize(
    "path",
    ["/", "/v1", "/v2/memory_stores", f"{STORES}/{NOBODY}/memory", f"{STORES}/{NOBODY}/memories/a/b", "/favicon.ico"],
)
def test_an_unknown_path_is_not_found_by_any_method(door: Client, path: str) -> None:
    for method in METHODS:
        answer = door.request(method, path)
        assert answer.failure == (404, "not_found_error")
        assert "allow" not in answer.headers


def test_no_other_origin_is_let_in(backend: MiniStackBackend, deployed: Deployment) -> None:
    asked = {"origin": "https://example.com", "access-control-request-method": "GET", "x-api-key": deployed.api_key}
    for method in ("OPTIONS", "GET"):
        status, headers, _ = backend.key_door(method, STORES, asked, None)
        assert status == 200 or 400 <= status < 500
        assert not [name for name in headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    "path",
    [
        f"{STORES}/",
        f"{STORES};a=b",
        f"{STORES}/..",
        f"{STORES}/../memory_stores",
        f"{STORES}/%2e%2e/api_keys",
        f"{STORES}/a%2Fb",
        f"{STORES}/%00",
        f"{STORES}/%ff",
        f"{STORES}/%zz",
        f"{STORES}/%F0%9F%98%80",
        f"{STORES}/{{store}}",
        f"{STORES}/{NOBODY.upper()}",
        f"{STORES}/{NOBODY}/memories/",
        f"{STORES}/{NOBODY}%20",
        f"{STORES}/" + "x" * 5000,
        f"{STORES}/{NOBODY}/memories/" + "/" * 200,
        "/v1//memory_stores",
        "/V1/memory_stores",
    ],
    ids=lambda path: path[:60],
)
def test_an_odd_path_is_not_found(deployed: Deployment, path: str) -> None:
    """Sent as it stands: other clients would tidy it up."""
    url = urlsplit(deployed.key_door)
    with closing(http.client.HTTPConnection(str(url.hostname), url.port, timeout=60)) as connection:
        connection.request("GET", url.path + path, headers={"x-api-key": deployed.api_key})
        answer = connection.getresponse()
        envelope = json.load(answer)
    assert (answer.status, envelope["error"]["type"]) == (404, "not_found_error")
    assert envelope["request_id"] == answer.headers["request-id"]
