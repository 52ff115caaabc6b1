"""The managed policies of the stack, attached to users and roles: each opens its routes and nothing else."""

from __future__ import annotations

import pytest

from infra.local.deployment import Deployment
from tests.e2e.callers import Callers
from tests.e2e.reach import ALL, NOTHING, READ, WRITE, reached, reaches

ALLOWED = {"Reader": READ, "Writer": READ | WRITE, "Admin": ALL}


@pytest.mark.parametrize("policy", ALLOWED)
def test_a_policy_opens_its_routes_to_a_user(callers: Callers, deployed: Deployment, policy: str) -> None:
    _, credentials = callers.user(deployed.outputs[f"{policy}PolicyArn"])
    assert reached(callers.door(credentials)) == ALLOWED[policy]


@pytest.mark.parametrize("policy", ALLOWED)
def test_a_policy_opens_its_routes_to_a_role(callers: Callers, deployed: Deployment, policy: str) -> None:
    role = callers.role(deployed.outputs[f"{policy}PolicyArn"])
    assert reached(callers.door(callers.session(role, "agent"))) == ALLOWED[policy]


def test_without_a_policy_nothing_is_open(callers: Callers) -> None:
    _, credentials = callers.user()
    assert reached(callers.door(credentials)) == set()
    assert reached(callers.door(callers.session(callers.role(), "agent"))) == set()


@pytest.mark.parametrize("policy", ["Reader", "Writer"])
def test_no_other_spelling_of_a_path_opens_more(callers: Callers, deployed: Deployment, policy: str) -> None:
    _, credentials = callers.user(deployed.outputs[f"{policy}PolicyArn"])
    door = callers.door(credentials)
    store = NOTHING["store"]
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
