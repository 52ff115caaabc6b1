"""The managed policies of the stack, attached to users and roles: each opens its routes and nothing else."""

from __future__ import annotations

import pytest
from memory_stores.routes import ROUTES, Route

from infra.local.deployment import Deployment
from tests.e2e.callers import Callers
from tests.support.ministack_backend import HttpDoor

READ = {"list_stores", "get_store", "list_memories", "get_memory", "list_versions", "get_version"}
WRITE = READ | {"create_memory", "update_memory", "delete_memory", "restore_version"}
ALLOWED = {"Reader": READ, "Writer": WRITE, "Admin": {route.operation for route in ROUTES}}
# Nothing has these ids, so that no call changes anything.
IDS = {
    "store": "memstore_",
    "memory": "mem_",
    "version": "memver_",
    "key": "apikey_",
    "session": "sesn_",
    "resource": "memstore_",
    "deployment": "deployment_",
    "bot": "bot_",
}


def opened(door: HttpDoor) -> set[str]:
    """The operations that a caller reaches: the function answers, if only that there is no such thing."""
    return {route.operation for route in ROUTES if reaches(door, route.method, filled(route))}


def filled(route: Route) -> str:
    return route.path.format(**{name: prefix + "0" * 32 for name, prefix in IDS.items()})


def reaches(door: HttpDoor, method: str, path: str) -> bool:
    """Whether the function is asked; if not, the gateway has to say 403."""
    body = b"{}" if method in ("POST", "PUT") else None
    status, headers, _ = door(method, path, {"content-type": "application/json"}, body)
    if "request-id" in headers:
        assert status in (200, 400, 404)
        return True
    assert status == 403
    return False


@pytest.mark.parametrize("policy", ALLOWED)
def test_a_policy_opens_its_routes_to_a_user(callers: Callers, deployed: Deployment, policy: str) -> None:
    _, credentials = callers.user(deployed.outputs[f"{policy}PolicyArn"])
    assert opened(callers.door(credentials)) == ALLOWED[policy]


@pytest.mark.parametrize("policy", ALLOWED)
def test_a_policy_opens_its_routes_to_a_role(callers: Callers, deployed: Deployment, policy: str) -> None:
    role = callers.role(deployed.outputs[f"{policy}PolicyArn"])
    assert opened(callers.door(callers.session(role, "agent"))) == ALLOWED[policy]


def test_without_a_policy_nothing_is_open(callers: Callers) -> None:
    _, credentials = callers.user()
    assert opened(callers.door(credentials)) == set()
    assert opened(callers.door(callers.session(callers.role(), "agent"))) == set()


@pytest.mark.parametrize("policy", ["Reader", "Writer"])
def test_no_other_spelling_of_a_path_opens_more(callers: Callers, deployed: Deployment, policy: str) -> None:
    _, credentials = callers.user(deployed.outputs[f"{policy}PolicyArn"])
    door = callers.door(credentials)
    store = IDS["store"] + "0" * 32
    for method, path in (
        ("GET", "/v1/api_keys?x=/v1/memory_stores/"),
        ("GET", "//v1/api_keys"),
        ("POST", f"/v1/memory_stores/{store}/archive?x=/memories/"),
        ("DELETE", f"/v1/memory_stores/{store}?x=/memories/"),
        ("PUT", f"/v1/memory_stores/{store}"),
        ("HEAD", "/v1/memory_stores"),
        ("GET", "/nowhere"),
    ):
        assert not reaches(door, method, path), (method, path)
