"""The signed door with requests that botocore signed: who gets in, as whom, and who does not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.credentials import Credentials

from infra.local.deployment import Deployment
from tests.e2e.callers import Callers
from tests.e2e.reach import Answered, is_refused_by_gateway
from tests.support.client import Client, ok
from tests.support.ministack_backend import HttpDoor, MiniStackBackend

STORES = "/v1/memory_stores"
JSON = {"content-type": "application/json"}
BODY = json.dumps({"name": "Genuine"}).encode()
OTHER_BODY = json.dumps({"name": "Tampered"}).encode()


@dataclass(frozen=True)
class Alice:
    """An IAM user that may do everything, in a workspace of her own."""

    arn: str
    credentials: Credentials
    api: Client
    workspace: str


@pytest.fixture
def alice(callers: Callers, deployed: Deployment, backend: MiniStackBackend, workspace: str) -> Alice:
    arn, credentials = callers.user(deployed.outputs["AdminPolicyArn"])
    backend.command("map-principal", "--arn", arn, "--workspace", workspace, "--role", "admin")
    return Alice(arn, credentials, callers.client(credentials), workspace)


@pytest.fixture
def unsigned(callers: Callers) -> HttpDoor:
    return callers.door(None)


def assert_refused(answered: Answered) -> None:
    assert is_refused_by_gateway(answered)


def author(api: Client) -> dict[str, Any]:
    """Who the API says a caller is."""
    store = ok(api.post(STORES, {"name": "Notes"}))
    ok(api.post(f"{STORES}/{store['id']}/memories", {"path": "/a", "content": "one"}))
    (version,) = api.walk(f"{STORES}/{store['id']}/memory_versions")
    return dict(version["created_by"])


# --- allowed ---


def test_a_user_works_in_the_workspace_it_is_mapped_to(alice: Alice, api: Client) -> None:
    store = ok(alice.api.post(STORES, {"name": "Notes"}))
    url = f"{STORES}/{store['id']}"
    memory = ok(alice.api.post(f"{url}/memories", {"path": "/größe.md", "content": "naïve 😀"}))
    assert ok(api.get(f"{url}/memories/{memory['id']}"))["content"] == "naïve 😀"
    ok(api.post(f"{url}/memories/{memory['id']}", {"content": "new"}))
    created = alice.api.walk(f"{url}/memory_versions", {"created_at[gte]": store["created_at"], "operation": "created"})
    assert [version["id"] for version in created] == [memory["memory_version_id"]]
    redacted = ok(alice.api.post(f"{url}/memory_versions/{memory['memory_version_id']}/redact"))
    me = {"type": "service_account_actor", "service_account_id": alice.arn}
    assert (redacted["created_by"], redacted["redacted_by"]) == (me, me)
    assert ok(alice.api.delete(url)) == {"id": store["id"], "type": "memory_store_deleted"}
    assert api.walk(STORES) == []


def test_the_sessions_of_a_role_are_one_author(callers: Callers, deployed: Deployment) -> None:
    role = callers.role(deployed.outputs["AdminPolicyArn"])
    one, two = (author(callers.client(callers.session(role, name))) for name in ("session-one", "session-two"))
    assert one == two
    name = role.rpartition("/")[2]
    assert one["type"] == "service_account_actor"
    assert one["service_account_id"].endswith(f"role/{name}")


def test_a_role_is_what_its_mapping_says(
    callers: Callers, deployed: Deployment, backend: MiniStackBackend, api: Client, workspace: str
) -> None:
    """IAM lets it call every route; the mapping lets it read."""
    role = callers.role(deployed.outputs["AdminPolicyArn"])
    backend.command("map-principal", "--arn", role, "--workspace", workspace, "--role", "read_only")
    store = ok(api.post(STORES, {"name": "Notes"}))
    caller = callers.client(callers.session(role, "agent"))
    assert caller.walk(STORES) == [store]
    for refused in (caller.post(STORES, {"name": "Mine"}), caller.get("/v1/api_keys")):
        assert refused.failure == (403, "permission_error")


def test_a_caller_without_a_mapping_is_in_the_default_workspace(
    callers: Callers, deployed: Deployment, backend: MiniStackBackend
) -> None:
    _, credentials = callers.user(deployed.outputs["AdminPolicyArn"])
    store = ok(callers.client(credentials).post(STORES, {"name": "Default"}))
    default = Client(backend.key_door, deployed.api_key)
    headers = {"anthropic-workspace-id": backend.default_workspace_id}
    assert ok(default.get(f"{STORES}/{store['id']}", headers=headers)) == store
    ok(default.delete(f"{STORES}/{store['id']}"))


def test_the_user_of_the_run_command_is_allowed(callers: Callers, deployed: Deployment) -> None:
    aws = deployed.aws
    own = callers.client(Credentials(aws.access_key_id, aws.secret_access_key))
    assert author(own)["service_account_id"].endswith(":user/local-admin")


# --- refused ---


def test_a_request_without_a_signature_is_refused(unsigned: HttpDoor, deployed: Deployment) -> None:
    for headers in ({}, {"x-api-key": deployed.api_key}):
        for path in (STORES, "/nowhere"):
            assert_refused(unsigned("GET", path, headers, None))


@pytest.mark.parametrize("scheme", ["Bearer", "Basic", "AWS4-HMAC-SHA256"])
def test_an_authorization_that_is_no_signature_is_refused(unsigned: HttpDoor, scheme: str) -> None:
    """The emulator lets some of them through to the function, which has to refuse them as well."""
    status, _, _ = unsigned("GET", STORES, {"authorization": f"{scheme} nonsense"}, None)
    assert status in (401, 403)


def test_credentials_that_are_not_right_are_refused(callers: Callers, alice: Alice) -> None:
    access_key, secret = alice.credentials.access_key, alice.credentials.secret_key
    assert ok(callers.client(Credentials(access_key, secret)).get(STORES))["data"] == []
    for wrong in (
        Credentials(access_key, secret[:-1] + ("a" if secret[-1] != "a" else "b")),
        Credentials("AKIA" + "A" * 16, secret),
    ):
        assert_refused(callers.door(wrong)("GET", STORES, {}, None))
    assert_refused(callers.door(alice.credentials, region="eu-central-1")("GET", STORES, {}, None))
    callers.deactivate(alice.arn, alice.credentials)
    assert_refused(callers.door(alice.credentials)("GET", STORES, {}, None))


def test_a_session_without_its_token_is_refused(callers: Callers, deployed: Deployment) -> None:
    session = callers.session(callers.role(deployed.outputs["AdminPolicyArn"]), "agent")
    ok(callers.client(session).get(STORES))
    assert_refused(callers.door(Credentials(session.access_key, session.secret_key))("GET", STORES, {}, None))


def test_a_signature_holds_for_one_request_only(callers: Callers, alice: Alice, unsigned: HttpDoor) -> None:
    """Each part of a signed request is changed, one at a time; then it goes as it was signed."""
    headers = callers.signature(alice.credentials, "POST", STORES, BODY) | JSON
    for method, target, body in (
        ("POST", STORES, OTHER_BODY),
        ("POST", STORES, None),
        ("GET", STORES, BODY),
        ("POST", f"{STORES}?limit=1", BODY),
        ("POST", f"{STORES}/memstore_{'0' * 32}", BODY),
    ):
        assert_refused(unsigned(method, target, headers, body))
    assert alice.api.walk(STORES) == []
    status, _, _ = unsigned("POST", STORES, headers, BODY)
    assert (status, [store["name"] for store in alice.api.walk(STORES)]) == (200, ["Genuine"])


def test_an_old_signature_is_refused(
    callers: Callers, alice: Alice, unsigned: HttpDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("botocore.auth.get_current_datetime", _an_hour_ago)
        headers = callers.signature(alice.credentials, "GET", STORES)
    assert_refused(unsigned("GET", STORES, headers, None))


def _an_hour_ago(remove_tzinfo: bool = True) -> datetime:
    then = datetime.now(UTC) - timedelta(hours=1)
    return then.replace(tzinfo=None) if remove_tzinfo else then
