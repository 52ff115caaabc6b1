"""The credentials of an agent: their shape, what opens with them, and everything that ends them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.contract.agents import (
    MakeAgent,
    SessionClient,
    agent_with,
)
from tests.contract.conftest import STORES, Signed
from tests.contract.steps import (
    FORBIDDEN,
    INVALID,
    RFC3339_MILLISECONDS,
    UNAUTHENTICATED,
    Json,
    StoreClient,
    refused,
)
from tests.support.backend import Backend
from tests.support.client import Client, ok
from tests.support.logs import Logs
from tests.support.moto_backend import MotoBackend

API_KEYS = "/v1/api_keys"


def lasts(credentials: Json, seconds: int) -> bool:
    """Whether they end that long after now, give or take half a minute."""
    assert re.fullmatch(RFC3339_MILLISECONDS, credentials["expires_at"])
    end = datetime.fromisoformat(credentials["expires_at"])
    return abs(end - datetime.now(UTC) - timedelta(seconds=seconds)) < timedelta(seconds=30)


# --- what is answered ---


def test_a_bearer_token_opens_the_key_door(
    backend: Backend, api: Client, one: SessionClient, notes: StoreClient
) -> None:
    credentials = ok(one.credentials("bearer"))
    assert set(credentials) == {"type", "token", "expires_at"}
    assert credentials["type"] == "bearer"
    assert re.fullmatch(r"mst_[A-Za-z0-9_-]{43}", credentials["token"])
    assert lasts(credentials, backend.bearer_seconds)
    by_header = Client(backend.key_door, headers={"authorization": f"Bearer {credentials['token']}"})
    for number, agent in enumerate((agent_with(backend, credentials), by_header)):
        theirs = StoreClient(agent, notes.id)
        assert ok(theirs.get(theirs.created(f"/{number}")["id"]))["path"] == f"/{number}"
    assert notes.paths() == ["/0", "/1"]


def test_aws_credentials_sign_for_the_signed_door(backend: Backend, one: SessionClient, notes: StoreClient) -> None:
    credentials = ok(one.credentials("aws"))
    named = {"type", "access_key_id", "secret_access_key", "session_token", "region", "expires_at"}
    assert set(credentials) == named
    assert credentials["type"] == "aws"
    assert re.fullmatch(r"ASIA[A-Z0-9]{12,124}", credentials["access_key_id"])
    assert credentials["secret_access_key"]
    assert credentials["session_token"]
    assert re.fullmatch(r"[a-z]{2}(-[a-z]+)+-\d", credentials["region"])
    assert lasts(credentials, backend.aws_seconds)
    theirs = StoreClient(agent_with(backend, credentials), notes.id)
    memory = theirs.created("/a")
    ok(theirs.update(memory["id"], {"content": "new"}))
    ok(theirs.restore(memory["memory_version_id"]))
    assert ok(SessionClient(theirs.api, one.id).get())["id"] == one.id
    assert [listed["id"] for listed in theirs.api.walk(STORES)] == [notes.id]
    ok(theirs.delete(memory["id"]))
    assert notes.paths() == []


@pytest.mark.parametrize("type_", ["bearer", "aws"])
def test_each_post_answers_credentials_of_its_own(backend: Backend, one: SessionClient, type_: str) -> None:
    handed_out = [ok(one.credentials(type_)) for _ in range(3)]
    secret = "token" if type_ == "bearer" else "access_key_id"
    assert len({credentials[secret] for credentials in handed_out}) == 3
    for credentials in handed_out:
        ok(agent_with(backend, credentials).get(STORES))


def test_secrets_are_shown_once_and_stored_nowhere(backend: Backend, api: Client, one: SessionClient) -> None:
    token = ok(one.credentials("bearer"))["token"]
    aws = ok(one.credentials("aws"))
    for secret in (token, token.removeprefix("mst_"), token[8:28], aws["secret_access_key"], aws["session_token"]):
        assert backend.traces_of(secret) == []
    shown = str([ok(one.get()), api.walk("/v1/sessions"), ok(one.prompt())])
    assert token not in shown


@pytest.mark.moto_only
def test_secrets_are_in_no_log(one: SessionClient, agent: MakeAgent, session: Json, logs: Logs) -> None:
    token, aws = ok(one.credentials("bearer"))["token"], ok(one.credentials("aws"))
    ok(agent(session).get(STORES))
    assert logs.records
    for secret in (token, aws["secret_access_key"], aws["session_token"]):
        assert secret not in logs.text


@pytest.mark.parametrize(
    "body", [{}, {"type": None}, {"type": "x"}, {"type": "Bearer"}, {"type": ""}, {"type": 7}, {"type": ["aws"]}]
)
def test_the_type_is_bearer_or_aws(api: Client, one: SessionClient, body: Json) -> None:
    refused(api.post(one.credentials_url, body), INVALID, "type")


@pytest.mark.parametrize("field", ["expires_at", "token", "colour", "duration_seconds"])
def test_unknown_fields_are_named(api: Client, one: SessionClient, field: str) -> None:
    refused(api.post(one.credentials_url, {"type": "bearer", field: "x"}), INVALID, field)


@pytest.mark.parametrize("type_", ["bearer", "aws"])
def test_an_answer_with_a_secret_cannot_be_replayed(one: SessionClient, type_: str) -> None:
    answer = one.credentials(type_, headers={"Idempotency-Key": "once"})
    refused(answer, INVALID, "idempotency-key")


@pytest.mark.parametrize("type_", ["bearer", "aws"])
def test_an_archived_session_hands_out_no_more(one: SessionClient, type_: str) -> None:
    ok(one.archive())
    refused(one.credentials(type_), INVALID)


@pytest.mark.moto_only
def test_a_token_is_looked_up_by_its_digest_and_compared_whole(
    backend: Backend, api: Client, one: SessionClient
) -> None:
    token = ok(one.credentials("bearer"))["token"]
    last = "A" if token[-1] != "A" else "B"
    for wrong in (token[:-1], token + "x", token[:-1] + last, token.swapcase(), token.removeprefix("mst_"), "mst_"):
        refused(api.with_key(wrong).get(STORES), UNAUTHENTICATED)
    ok(api.with_key(token).get(STORES))


# --- each at its own door, and for its own holder ---


@pytest.mark.moto_only
def test_an_agent_of_the_signed_door_is_known_by_its_access_key_alone(
    moto: MotoBackend, signed: Signed, one: SessionClient, notes: StoreClient
) -> None:
    """The name of a role session is what its maker says: whoever takes a session's id for it gets nothing by that."""
    ok(one.credentials("aws"))
    for caller in (signed(moto.agent_role_arn, one.id), signed(moto.agent_role_arn, "sesn_" + "0" * 32)):
        for answer in (caller.get(STORES), caller.get(notes.url), caller.post(STORES, {"name": "x"})):
            refused(answer, FORBIDDEN)
        refused(caller.get(API_KEYS), FORBIDDEN)


@pytest.mark.moto_only
def test_an_access_key_is_not_a_key_of_the_key_door(api: Client, one: SessionClient) -> None:
    credentials = ok(one.credentials("aws"))
    for secret in ("access_key_id", "secret_access_key"):
        refused(api.with_key(credentials[secret]).get(STORES), UNAUTHENTICATED)


def test_a_token_beside_another_key_is_refused(backend: Backend, api: Client, one: SessionClient) -> None:
    token = ok(one.credentials("bearer"))["token"]
    refused(api.with_headers(authorization=f"Bearer {token}").get(STORES), UNAUTHENTICATED)


def test_the_workspace_header_must_match_the_sessions(
    api: Client, session: Json, workspace: str, agent: MakeAgent
) -> None:
    running = agent(session)
    ok(running.with_headers(anthropic_workspace_id=workspace).get(STORES))
    refused(running.with_headers(anthropic_workspace_id="wrkspc_other").get(STORES), FORBIDDEN)
