"""The signed door: IAM has said who calls; the stored mapping, or the default workspace, says as whom."""

import re
import secrets

import pytest

from tests.contract.conftest import STORES, MakeKey, Signed
from tests.contract.steps import FORBIDDEN, NOT_FOUND, StoreClient, refused
from tests.support.backend import Backend
from tests.support.client import Client, ok

ACCOUNT = "arn:aws:iam::123456789012:"


def fresh_role() -> str:
    return f"{ACCOUNT}role/{secrets.token_hex(8)}"


def author(client: Client) -> dict[str, str]:
    """Who the API says a caller is."""
    notes = StoreClient(client, ok(client.post(STORES, {"name": "Notes"}))["id"])
    ok(notes.create("/a"))
    return dict(notes.history()[0]["created_by"])


def test_a_caller_without_a_mapping_is_admin_of_the_default_workspace(
    backend: Backend, signed: Signed, api: Client
) -> None:
    caller = signed()
    store = ok(caller.post(STORES, {"name": "Notes"}))
    refused(api.get(f"{STORES}/{store['id']}"), NOT_FOUND)
    key = ok(caller.post("/v1/api_keys", {"name": "n", "role": "admin"}))
    in_default = api.with_key(key["secret"]).with_headers(anthropic_workspace_id=backend.default_workspace_id)
    assert ok(in_default.get(f"{STORES}/{store['id']}")) == store
    ok(caller.delete(f"{STORES}/{store['id']}"))
    ok(caller.delete(f"/v1/api_keys/{key['id']}"))


def test_the_author_is_the_role_without_the_session_name(signed: Signed) -> None:
    actor = author(signed(session_name="session-one"))
    assert set(actor) == {"type", "service_account_id"}
    assert actor["type"] == "service_account_actor"
    assert re.fullmatch(r"arn:aws:(iam|sts)::\d{12}:(role|assumed-role|user)/[\w+=,.@/-]+", actor["service_account_id"])
    assert "session-one" not in actor["service_account_id"]
    assert author(signed(session_name="session-two")) == actor


@pytest.mark.moto_only
def test_two_roles_are_two_authors_and_both_can_be_asked_for(signed: Signed) -> None:
    one, two = signed(f"{ACCOUNT}role/One"), signed(f"{ACCOUNT}role/Two")
    notes = StoreClient(one, ok(one.post(STORES, {"name": "Notes"}))["id"])
    memory = notes.created("/a", "old")
    ok(StoreClient(two, notes.id).update(memory["id"], {"content": "new"}))
    newest, oldest = notes.history()
    assert newest["created_by"] != oldest["created_by"]
    assert oldest["created_by"]["service_account_id"].endswith("role/One")
    for version in (newest, oldest):
        assert notes.history(service_account_id=version["created_by"]["service_account_id"]) == [version]
    redacted = ok(StoreClient(two, notes.id).redact(oldest["id"]))
    assert redacted["created_by"] == oldest["created_by"]
    assert redacted["redacted_by"] == newest["created_by"]


@pytest.mark.moto_only
def test_a_user_is_an_author_by_its_arn(signed: Signed) -> None:
    arn = f"{ACCOUNT}user/team/alice"
    assert author(signed(arn)) == {"type": "service_account_actor", "service_account_id": arn}


@pytest.mark.moto_only
@pytest.mark.parametrize("kind", ["role", "user"])
def test_a_mapping_says_workspace_and_role(
    backend: Backend, signed: Signed, api: Client, workspace: str, kind: str
) -> None:
    arn = f"{ACCOUNT}{kind}/{secrets.token_hex(8)}"
    store = ok(api.post(STORES, {"name": "Notes"}))
    refused(signed(arn).get(f"{STORES}/{store['id']}"), NOT_FOUND)
    backend.command("map-principal", "--arn", arn, "--workspace", workspace, "--role", "read_write")
    for session in ("one", "two"):
        notes = StoreClient(signed(arn, session), store["id"])
        ok(notes.create(f"/{session}"))
        refused(notes.api.post(notes.url, {"name": "n"}), FORBIDDEN)
        refused(notes.api.get("/v1/api_keys"), FORBIDDEN)


@pytest.mark.moto_only
def test_a_mapping_can_be_changed(backend: Backend, signed: Signed, api: Client, workspace: str) -> None:
    arn = fresh_role()
    for role, may_write in (("read_only", False), ("read_write", True), ("read_only", False)):
        backend.command("map-principal", "--arn", arn, "--workspace", workspace, "--role", role)
        store = ok(api.post(STORES, {"name": "Notes"}))
        answer = StoreClient(signed(arn), store["id"]).create("/a")
        if may_write:
            ok(answer)
        else:
            refused(answer, FORBIDDEN)


@pytest.mark.moto_only
def test_a_mapping_is_for_one_role_only(backend: Backend, signed: Signed, api: Client, workspace: str) -> None:
    arn = fresh_role()
    backend.command("map-principal", "--arn", arn, "--workspace", workspace, "--role", "admin")
    store = ok(api.post(STORES, {"name": "Notes"}))
    ok(signed(arn).get(f"{STORES}/{store['id']}"))
    for other in (arn + "x", arn[:-1], arn.replace("123456789012", "999999999999"), arn.replace(":role/", ":user/")):
        refused(signed(other).get(f"{STORES}/{store['id']}"), NOT_FOUND)


@pytest.mark.moto_only
def test_the_signed_caller_counts_whatever_key_is_sent_along(
    backend: Backend, signed: Signed, make_key: MakeKey, api: Client, workspace: str
) -> None:
    """IAM has said who calls: a key beside the signature lends it no other workspace and no other role."""
    arn = fresh_role()
    backend.command("map-principal", "--arn", arn, "--workspace", workspace, "--role", "read_only")
    answer = signed(arn).with_key(make_key("admin").key).post(STORES, {"name": "n"})
    assert answer.status in (401, 403)
    assert api.walk(STORES) == []


@pytest.mark.moto_only
def test_the_workspace_header_must_match_the_mapping(backend: Backend, signed: Signed, workspace: str) -> None:
    arn = fresh_role()
    backend.command("map-principal", "--arn", arn, "--workspace", workspace, "--role", "admin")
    ok(signed(arn).with_headers(anthropic_workspace_id=workspace).get(STORES))
    refused(signed(arn).with_headers(anthropic_workspace_id="wrkspc_other").get(STORES), FORBIDDEN)


@pytest.mark.moto_only
def test_keys_made_through_the_signed_door_are_no_stronger_than_the_mapping(
    backend: Backend, signed: Signed, api: Client, workspace: str
) -> None:
    arn = fresh_role()
    backend.command("map-principal", "--arn", arn, "--workspace", workspace, "--role", "admin")
    key = ok(signed(arn).post("/v1/api_keys", {"name": "n", "role": "admin"}))
    store = ok(api.post(STORES, {"name": "Notes"}))
    assert ok(api.with_key(key["secret"]).get(f"{STORES}/{store['id']}")) == store
