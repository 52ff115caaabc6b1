"""What ends or narrows an agent that signs: its requests still pass the gateway, and the function refuses them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from botocore.credentials import Credentials
from memory_stores.storage import credential_items

from tests.contract.agents import KINDS, Binder, mount
from tests.contract.steps import FORBIDDEN, INVALID, NOT_FOUND, StoreClient, refused
from tests.e2e.agents import Agency, Agent
from tests.e2e.callers import Callers
from tests.e2e.reach import is_refused_by_gateway
from tests.support.client import Client, ok
from tests.support.ministack_backend import MiniStackBackend

STORES = "/v1/memory_stores"
API_KEYS = "/v1/api_keys"
EXPIRY_SECONDS = 20


class Grants:
    """What the table keeps of the AWS credentials that were handed out."""

    def __init__(self, backend: MiniStackBackend) -> None:
        self._table = {"TableName": backend.table_name}
        self._dynamodb: Any = backend.dynamodb

    def expire(self, credentials: Credentials) -> None:
        """Let the time be over that was told with them; STS's own is not."""
        past = {":past": {"N": "1"}}
        self._dynamodb.update_item(
            **self._table,
            Key=_key(credentials),
            UpdateExpression="SET expires_at = :past",
            ExpressionAttributeValues=past,
        )

    def copy(self, credentials: Credentials, others: Credentials) -> None:
        """Treat others as if they had been handed out like these."""
        item = self._dynamodb.get_item(**self._table, Key=_key(credentials))["Item"]
        self._dynamodb.put_item(**self._table, Item=item | _key(others))


def _key(credentials: Credentials) -> dict[str, Any]:
    return dict(credential_items.access_key_key(credentials.access_key).wire)


@pytest.fixture
def grants(backend: MiniStackBackend) -> Grants:
    return Grants(backend)


@pytest.fixture
def maker(api: Client) -> Client:
    """An admin key that makes sessions."""
    key = ok(api.post(API_KEYS, {"name": "maker", "role": "admin"}))
    return api.with_key(key["secret"], key["id"])


def asked(agent: Agent, store_id: str, memory_id: str) -> list[Any]:
    """What an agent does, of every kind."""
    theirs = agent.notes(store_id)
    return [
        theirs.create("/b"),
        theirs.update(memory_id, {"content": "new"}),
        theirs.delete(memory_id),
        theirs.get(memory_id),
        theirs.list_memories(),
        theirs.list_versions(),
        theirs.api.get(theirs.url),
        theirs.api.get(STORES),
        theirs.api.get(agent.session.url),
    ]


# --- credentials that open nothing any more ---

ENDS: dict[str, Callable[[Agent, Client, Grants], object]] = {
    "revoked": lambda agent, api, grants: ok(agent.session.revoke()),
    "session archived": lambda agent, api, grants: ok(agent.session.archive()),
    "session deleted": lambda agent, api, grants: ok(agent.session.delete()),
    "key deleted": lambda agent, api, grants: ok(api.delete(f"{API_KEYS}/{agent.session.api.key_id}")),
    "expired": lambda agent, api, grants: grants.expire(agent.credentials),
}


@pytest.mark.parametrize("end", ENDS)
def test_credentials_that_have_ended_are_refused_by_the_function(
    agency: Agency, api: Client, maker: Client, grants: Grants, notes: StoreClient, end: str
) -> None:
    agent = agency.of(maker).agent(mount(notes.id))
    memory = agent.notes(notes.id).created("/a")
    before = notes.snapshot()
    ENDS[end](agent, api, grants)
    for answer in asked(agent, notes.id, memory["id"]):
        refused(answer, FORBIDDEN)
    assert notes.snapshot() == before


def test_new_credentials_open_what_revoked_ones_did(agency: Agency, notes: StoreClient) -> None:
    agent = agency.agent(mount(notes.id))
    ok(agent.session.revoke())
    renewed = agency.another(agent.session)
    renewed.notes(notes.id).created("/a")
    refused(agent.api.get(notes.url), FORBIDDEN)


def test_credentials_that_sts_ended_are_refused_by_the_gateway(
    agency: Agency, callers: Callers, grants: Grants, notes: StoreClient
) -> None:
    """Sessions of the agent role like those that are handed out, but for how long they last."""
    agent = agency.agent(mount(notes.id))
    role = callers.role_of(agent.credentials)
    with callers.trusting(role):
        brief, lasting = (callers.session(role, agent.session.id, seconds) for seconds in (1, 900))
    for made in (brief, lasting):
        grants.copy(agent.credentials, made)
    door, deadline = callers.door(brief), time.monotonic() + EXPIRY_SECONDS
    while (answered := door("GET", notes.url, {}, None))[0] == 200 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert is_refused_by_gateway(answered)
    ok(callers.client(lasting).get(notes.url))


# --- stores that are no longer what they were ---


@pytest.mark.parametrize("kind", KINDS)
def test_a_downgrade_and_a_detach_act_at_once(agency: Agency, api: Client, notes: StoreClient, kind: str) -> None:
    binder = Binder(api, kind)
    binder.attached(notes.id)
    agent = agency.agent(**binder.reference)
    theirs = agent.notes(notes.id)
    memory = theirs.created("/a")
    binder.attached(notes.id, "read_only")
    refused(theirs.create("/b"), FORBIDDEN, "read_only")
    refused(theirs.delete(memory["id"]), FORBIDDEN, "read_only")
    assert ok(theirs.get(memory["id"])) == memory
    ok(binder.detach(notes.id))
    for answer in (theirs.get(memory["id"]), theirs.list_memories(), theirs.create("/b")):
        refused(answer, FORBIDDEN, "attached")
    assert agent.api.walk(STORES) == []
    assert notes.paths() == ["/a"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_deleted_deployment_or_bot_takes_its_stores_along(
    agency: Agency, api: Client, notes: StoreClient, other: StoreClient, kind: str
) -> None:
    binder = Binder(api, kind)
    binder.attached(notes.id)
    agent = agency.agent(mount(other.id), **binder.reference)
    agent.notes(notes.id).created("/a")
    ok(binder.delete())
    refused(agent.notes(notes.id).create("/b"), FORBIDDEN)
    agent.notes(other.id).created("/b")
    assert notes.paths() == ["/a"]


def test_an_archived_store_is_read_and_a_deleted_one_is_gone(agency: Agency, api: Client, notes: StoreClient) -> None:
    agent = agency.agent(mount(notes.id))
    theirs = agent.notes(notes.id)
    memory = theirs.created("/a")
    notes.archive()
    refused(theirs.create("/b"), INVALID, "archived")
    assert ok(theirs.get(memory["id"])) == memory
    ok(api.delete(notes.url))
    refused(theirs.get(memory["id"]), NOT_FOUND)
