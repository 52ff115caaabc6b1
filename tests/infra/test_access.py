"""The managed policies of the signed door, judged the way IAM does it, against the role table of the contract."""

import re

import pytest
from memory_stores.routes import ROUTES

from tests.infra.assembly import Assembly, as_list, text
from tests.infra.conftest import STORE

READ = {"list_stores", "get_store", "list_memories", "get_memory", "list_versions", "get_version"}
WRITE = {"create_memory", "update_memory", "delete_memory", "restore_version"}
ADMINISTER = {"create_store", "update_store", "archive_store", "delete_store", "redact_version"}
KEYS = {"create_api_key", "list_api_keys", "delete_api_key"}
ALLOWED = {"Reader": READ, "Writer": READ | WRITE, "Admin": READ | WRITE | ADMINISTER | KEYS}

OTHER_STORE = STORE[:-1] + "e"
IDS = {"memory": "mem_" + STORE[9:], "version": "memver_" + STORE[9:], "key": "apikey_" + STORE[9:]}


def resources(assembly: Assembly, policy: str) -> list[str]:
    """The resource patterns of a policy, as they are after `<API>/` of the signed door."""
    (found,) = [
        resource["Properties"]
        for name, resource in assembly.api.of_type("AWS::IAM::ManagedPolicy").items()
        if name.startswith(policy)
    ]
    (statement,) = found["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Action"]) == ("Allow", "execute-api:Invoke")
    prefix = (
        f"arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<{assembly.api.door('SignedDoor')}>/$default/"
    )
    patterns = [text(resource) for resource in as_list(statement["Resource"])]
    assert all(pattern.startswith(prefix) for pattern in patterns)
    return [pattern.removeprefix(prefix) for pattern in patterns]


def allows(patterns: list[str], method: str, path: str) -> bool:
    """IAM's matching: `*` is any run of characters, slashes included."""
    expressions = [".*".join(re.escape(part) for part in pattern.split("*")) for pattern in patterns]
    return any(re.fullmatch(expression, f"{method}{path}") for expression in expressions)


def operations(patterns: list[str], store: str) -> set[str]:
    """The operations that the patterns allow on one store."""
    return {
        route.operation for route in ROUTES if allows(patterns, route.method, route.path.format(store=store, **IDS))
    }


def test_the_role_table_covers_every_route() -> None:
    assert {route.operation for route in ROUTES} == ALLOWED["Admin"]


@pytest.mark.parametrize("role", sorted(ALLOWED))
def test_a_policy_allows_its_operations_and_no_others(default: Assembly, role: str) -> None:
    assert operations(resources(default, f"{role}Policy"), STORE) == ALLOWED[role]


@pytest.mark.parametrize("role", ["Reader", "Writer"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", f"/v1/memory_stores/{STORE}/memory_versions/{IDS['version']}/redact"),
        ("POST", f"/v1/memory_stores/{STORE}"),
        ("POST", "/v1/memory_stores"),
        ("DELETE", f"/v1/memory_stores/{STORE}"),
        ("DELETE", "/v1/memory_stores/memories"),
        ("POST", "/v1/memory_stores_"),
        ("GET", "/v1/api_keys"),
        ("GET", "/v1/memory_storesque"),
    ],
)
def test_near_misses_are_refused(default: Assembly, role: str, method: str, path: str) -> None:
    assert not allows(resources(default, f"{role}Policy"), method, path)


def test_the_policies_are_outputs(default: Assembly) -> None:
    for role in ALLOWED:
        reference = default.api.outputs[f"{role}PolicyArn"]["Value"]["Ref"]
        assert reference in default.api.of_type("AWS::IAM::ManagedPolicy")
        assert reference.startswith(f"{role}Policy")


@pytest.mark.parametrize(
    ("policy", "allowed"), [("ReadOnly", READ - {"list_stores"}), ("ReadWrite", (READ | WRITE) - {"list_stores"})]
)
def test_a_policy_of_one_store_opens_that_store_alone(changed: Assembly, policy: str, allowed: set[str]) -> None:
    patterns = resources(changed, policy)
    assert operations(patterns, STORE) == allowed
    assert operations(patterns, OTHER_STORE) == set()
    assert sum(name.startswith(policy) for name in changed.api.outputs) == 1
