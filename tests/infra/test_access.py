"""What the policies of the signed door allow, judged the way IAM does it, against the role table of the contract."""

import json
import re
from typing import Any

import pytest
from memory_stores.domain.models import Access
from memory_stores.routes import ROUTES
from memory_stores.storage.agent_role import session_policy

from tests.infra.assembly import Assembly, as_list, text
from tests.infra.conftest import STORE

READ = {"list_stores", "get_store", "list_memories", "get_memory", "list_versions", "get_version"}
WRITE = {"create_memory", "update_memory", "delete_memory", "restore_version"}
ADMINISTER = {"create_store", "update_store", "archive_store", "delete_store", "redact_version"}
KEYS = {"create_api_key", "list_api_keys", "delete_api_key"}
OWN_SESSION = {"get_session", "list_session_resources", "get_memory_prompt"}
SESSIONS = {
    "create_session",
    "list_sessions",
    "archive_session",
    "delete_session",
    "create_credentials",
    "revoke_credentials",
    "add_session_resource",
    "update_session_resource",
    "delete_session_resource",
}
BINDINGS = {
    f"{verb}_{holder}{what}"
    for holder in ("deployment", "bot")
    for verb, what in (
        ("list", "_stores"),
        ("get", "_store"),
        ("attach", "_store"),
        ("detach", "_store"),
        ("delete", ""),
    )
}
ALLOWED = {
    "Reader": READ,
    "Writer": READ | WRITE,
    "Admin": READ | WRITE | ADMINISTER | KEYS | OWN_SESSION | SESSIONS | BINDINGS,
}

OTHER_STORE = STORE[:-1] + "e"
SESSION = "sesn_" + STORE[9:]
IDS = {
    "memory": "mem_" + STORE[9:],
    "version": "memver_" + STORE[9:],
    "key": "apikey_" + STORE[9:],
    "session": SESSION,
    "resource": STORE,
    "deployment": "support",
    "bot": "helper",
}


def resources(assembly: Assembly, policy: str) -> list[str]:
    """The resource patterns of a policy, as they are after `<API>/` of the signed door."""
    (found,) = [
        resource["Properties"]
        for name, resource in assembly.api.of_type("AWS::IAM::ManagedPolicy").items()
        if name.startswith(policy)
    ]
    return invoked(assembly, found["PolicyDocument"])


def agent_routes(assembly: Assembly) -> list[str]:
    """The same of the agent role."""
    (role,) = (name for name in assembly.api.of_type("AWS::IAM::Role") if name.startswith("AgentRole"))
    policies = [policy["Properties"] for policy in assembly.api.of_type("AWS::IAM::Policy").values()]
    (attached,) = (policy for policy in policies if {"Ref": role} in policy["Roles"])
    return invoked(assembly, attached["PolicyDocument"])


def invoked(assembly: Assembly, document: dict[str, Any]) -> list[str]:
    """The patterns of a document that allows requests to the signed door and nothing else."""
    (statement,) = document["Statement"]
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
        ("GET", f"/v1/sessions/{SESSION}"),
        ("GET", "/v1/deployments/support/memory_stores"),
        ("PUT", f"/v1/bots/helper/memory_stores/{STORE}"),
    ],
)
def test_near_misses_are_refused(default: Assembly, role: str, method: str, path: str) -> None:
    assert not allows(resources(default, f"{role}Policy"), method, path)


def test_the_agent_role_allows_what_an_agent_may_call_of_any_store_and_session(default: Assembly) -> None:
    patterns = agent_routes(default)
    assert operations(patterns, STORE) == READ | WRITE | OWN_SESSION
    for method, path in (
        ("GET", "/v1/sessions"),
        ("POST", f"/v1/sessions/{SESSION}"),
        ("POST", f"/v1/memory_stores/{STORE}/memory_versions/{IDS['version']}/redact"),
        ("POST", f"/v1/memory_stores/{STORE}"),
        ("PUT", f"/v1/memory_stores/{STORE}/memories/{IDS['memory']}"),
        ("GET", f"/v1/deployments/support/memory_stores/{STORE}"),
        ("GET", "/v1/api_keys"),
    ):
        assert not allows(patterns, method, path)


@pytest.mark.parametrize(
    ("access", "allowed"),
    [(Access.READ_ONLY, READ | OWN_SESSION), (Access.READ_WRITE, READ | WRITE | OWN_SESSION)],
)
def test_a_session_policy_narrows_the_agent_role_to_its_stores_and_its_session(
    default: Assembly, access: Access, allowed: set[str]
) -> None:
    statement = json.loads(session_policy("aws", SESSION, {STORE: access}))["Statement"]
    prefix = "arn:aws:execute-api:*:*:*/$default/"
    assert (statement["Effect"], statement["Action"]) == ("Allow", "execute-api:Invoke")
    assert all(pattern.startswith(prefix) for pattern in statement["Resource"])
    narrowed = [pattern.removeprefix(prefix) for pattern in statement["Resource"]]
    role = agent_routes(default)
    assert operations(role, STORE) & operations(narrowed, STORE) == allowed
    assert operations(role, OTHER_STORE) & operations(narrowed, OTHER_STORE) == {"list_stores"} | OWN_SESSION
    assert not allows(narrowed, "GET", f"/v1/sessions/{SESSION[:-1]}e")


def test_a_session_policy_of_the_most_stores_fits_into_what_sts_takes() -> None:
    stores = {f"{STORE[:-1]}{number:x}": Access.READ_WRITE for number in range(8)}
    for partition in ("aws", "aws-us-gov", "aws-cn"):
        assert len(session_policy(partition, SESSION, stores)) <= 2048


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
