"""Agents that sign with the AWS credentials of a session: what they reach, and what the gateway keeps from them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from infra.local.deployment import Deployment
from tests.contract.agents import Binder, ids_of, mount
from tests.contract.steps import FORBIDDEN, StoreClient, refused
from tests.e2e.agents import Agency
from tests.e2e.callers import Callers
from tests.e2e.reach import READ, WRITE, is_refused_by_gateway, reached
from tests.support.client import Client, ok
from tests.support.ministack_backend import MiniStackBackend

STORES = "/v1/memory_stores"
OWN_SESSION = {"get_session", "list_session_resources", "get_memory_prompt"}
JSON = {"content-type": "application/json"}


# --- what an agent does ---


def test_an_agent_reads_and_writes_as_its_session(agency: Agency, notes: StoreClient) -> None:
    agent = agency.agent(mount(notes.id))
    theirs = agent.notes(notes.id)
    memory = theirs.created("/größe.md", "naïve 😀")
    ok(theirs.update(memory["id"], {"content": "new", "path": "/moved.md"}))
    ok(theirs.restore(memory["memory_version_id"]))
    (listed,) = ok(theirs.list_memories(path_prefix="/", view="full"))["data"]
    assert (listed["path"], listed["content"]) == ("/moved.md", "naïve 😀")
    assert ok(theirs.get(memory["id"])) == listed
    assert ok(theirs.version(memory["memory_version_id"]))["path"] == "/größe.md"
    ok(theirs.delete(memory["id"]))
    history = theirs.history()
    assert [version["operation"] for version in history] == ["deleted", "modified", "modified", "created"]
    me = {"type": "session_actor", "session_id": agent.session.id}
    assert [version["created_by"] for version in history] == [me] * 4
    assert notes.history() == history


def test_an_agent_finds_its_stores_and_its_session(agency: Agency, notes: StoreClient, other: StoreClient) -> None:
    agent = agency.agent(mount(notes.id, "read_only"))
    assert agent.api.walk(STORES) == [ok(notes.api.get(notes.url))]
    assert ok(agent.api.get(agent.session.url)) == ok(agent.session.get())
    assert agent.api.walk(agent.session.resources_url) == agent.session.resources()
    assert ok(agent.api.get(f"{agent.session.url}/memory_prompt")) == ok(agent.session.prompt())


def test_iam_knows_an_agent_by_the_id_of_its_session(
    agency: Agency, callers: Callers, deployed: Deployment, notes: StoreClient
) -> None:
    agent = agency.agent(mount(notes.id))
    known = callers.arn(agent.credentials)
    assert re.fullmatch(rf"arn:aws:sts::\d{{12}}:assumed-role/[\w-]+/{agent.session.id}", known)
    assert ok(agent.session.credentials("aws"))["region"] == deployed.aws.region


def test_all_the_stores_fit_that_an_agent_can_have(agency: Agency, api: Client) -> None:
    """Eight: its own, and then the first that its deployment got later."""
    stores = [ok(api.post(STORES, {"name": f"Notes {number}"}))["id"] for number in range(10)]
    nightly = Binder(api, "deployments")
    nightly.attached(stores[-1])
    ok(nightly.detach(stores[-1]))
    session = agency.agent(*(mount(store_id) for store_id in stores[:5]), **nightly.reference).session
    for store_id in stores[5:]:
        nightly.attached(store_id)
    assert ids_of(session.resources()) == stores[:8]
    agent = agency.another(session)
    for store_id in stores[:8]:
        agent.notes(store_id).created("/a", store_id)
    for store_id in stores[:8]:
        assert [version["content"] for version in StoreClient(api, store_id).history()] == [store_id]


# --- what the gateway refuses before a function is asked ---


@pytest.mark.parametrize(("access", "opened"), [("read_write", READ | WRITE), ("read_only", READ)])
def test_the_gateway_lets_an_agent_reach_its_stores_as_they_are_attached(
    agency: Agency, notes: StoreClient, access: str, opened: set[str]
) -> None:
    agent = agency.agent(mount(notes.id, access))
    before = notes.snapshot()
    own = {"store": notes.id, "resource": notes.id, "session": agent.session.id}
    assert reached(agent.door, **own) == opened | OWN_SESSION
    assert notes.snapshot() == before


def test_the_gateway_keeps_other_stores_and_sessions_from_an_agent(
    agency: Agency, notes: StoreClient, other: StoreClient
) -> None:
    agent, colleague = (agency.agent(mount(notes.id)) for _ in range(2))
    foreign = {"store": other.id, "resource": other.id, "session": colleague.session.id}
    assert reached(agent.door, **foreign) == {"list_stores"}
    assert reached(agency.agent().door, **foreign) == {"list_stores"}


def test_what_a_read_only_agent_writes_reaches_no_function(agency: Agency, notes: StoreClient) -> None:
    memory = notes.created("/a", "one")
    ok(notes.update(memory["id"], {"content": "two"}))
    agent = agency.agent(mount(notes.id, "read_only"))
    before = notes.snapshot()
    assert agent.notes(notes.id).snapshot() == before
    of_memory = f"{notes.memories_url}/{memory['id']}"
    for method, target, body in (
        ("POST", notes.memories_url, {"path": "/b", "content": ""}),
        ("POST", of_memory, {"content": "three"}),
        ("DELETE", of_memory, None),
        ("POST", f"{notes.versions_url}/{memory['memory_version_id']}/restore", {}),
    ):
        assert is_refused_by_gateway(agent.door(method, target, JSON, json.dumps(body).encode() if body else None))
    assert notes.snapshot() == before


def test_what_is_attached_later_takes_new_credentials(
    agency: Agency, api: Client, notes: StoreClient, other: StoreClient
) -> None:
    nightly = Binder(api, "deployments")
    nightly.attached(notes.id, "read_only")
    agent = agency.agent(**nightly.reference)
    nightly.attached(notes.id, "read_write")
    nightly.attached(other.id)
    body = json.dumps({"path": "/a", "content": ""}).encode()
    for store in (notes, other):
        assert is_refused_by_gateway(agent.door("POST", store.memories_url, JSON, body))
    renewed = agency.another(agent.session)
    for store in (notes, other):
        renewed.notes(store.id).created("/a")


# --- whose signature counts ---


def test_credentials_that_are_not_whole_are_refused(agency: Agency, callers: Callers, notes: StoreClient) -> None:
    agent = agency.agent(mount(notes.id))
    key, secret, token = agent.credentials.access_key, agent.credentials.secret_key, agent.credentials.token
    altered = secret[:-1] + ("a" if secret[-1] != "a" else "b")
    for wrong in (
        Credentials(key, altered, token),
        Credentials(key, secret),
        Credentials(key, secret, agency.another(agent.session).credentials.token),
        Credentials("ASIA" + "A" * 16, secret, token),
    ):
        assert is_refused_by_gateway(callers.door(wrong)("GET", notes.url, {}, None))
    ok(agent.api.get(notes.url))


def test_a_body_that_was_changed_on_the_way_is_refused(agency: Agency, callers: Callers, notes: StoreClient) -> None:
    agent = agency.agent(mount(notes.id))
    genuine, tampered = (json.dumps({"path": f"/{name}", "content": ""}).encode() for name in ("genuine", "tampered"))
    headers = callers.signature(agent.credentials, "POST", notes.memories_url, genuine) | JSON
    unsigned = callers.door(None)
    assert is_refused_by_gateway(unsigned("POST", notes.memories_url, headers, tampered))
    assert unsigned("POST", notes.memories_url, headers, genuine)[0] == 200
    assert notes.paths() == ["/genuine"]


def test_nobody_but_the_api_makes_an_agent(agency: Agency, callers: Callers, notes: StoreClient) -> None:
    """Not even the account's root; and where the role is made to trust others, they are nobody to the function."""
    agent = agency.agent(mount(notes.id))
    role = callers.role_of(agent.credentials)
    with pytest.raises(ClientError, match="AccessDenied"):
        callers.session(role, agent.session.id)
    with callers.trusting(role):
        nobody = callers.client(callers.session(role, agent.session.id))
    for answer in (
        nobody.get(STORES),
        nobody.get(notes.url),
        StoreClient(nobody, notes.id).create("/a"),
        nobody.get(agent.session.url),
    ):
        refused(answer, FORBIDDEN)
    assert notes.paths() == []


def test_an_agents_credentials_open_nothing_else_of_the_account(
    agency: Agency, callers: Callers, backend: MiniStackBackend, notes: StoreClient
) -> None:
    agent = agency.agent(mount(notes.id))
    notes.created("/a")
    table, bucket = {"TableName": backend.table_name}, {"Bucket": backend.bucket_name}
    attempts: list[tuple[str, Callable[[Any], object]]] = [
        ("dynamodb", lambda dynamodb: dynamodb.scan(**table)),
        ("s3", lambda s3: s3.list_objects_v2(**bucket)),
        ("iam", lambda iam: iam.list_roles()),
        ("sts", lambda sts: sts.assume_role(RoleArn=callers.role_of(agent.credentials), RoleSessionName="deputy")),
    ]
    for service, attempt in attempts:
        with pytest.raises(ClientError, match="AccessDenied"):
            attempt(callers.client_of(service, agent.credentials))
    ok(agent.api.get(notes.url))
