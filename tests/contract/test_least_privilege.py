"""Each function's role allows the AWS calls that the function makes, and no others."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from memory_stores.domain import clock

from infra.functions import ACCESS, Access
from tests.contract.agents import CREDENTIALS, SESSIONS, Binder, SessionClient, agent_with, create_session, mount
from tests.contract.steps import StoreClient
from tests.support.backend import first_client, fresh_workspace
from tests.support.client import Client, ok
from tests.support.gateway import Context
from tests.support.moto_backend import MotoBackend
from tests.support.wire import Call, Proceed

pytestmark = pytest.mark.moto_only

TRANSACTION = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
S3_ACTIONS = {
    "CopyObject": ("GetObject", "PutObject"),
    "DeleteObjects": ("DeleteObject",),
    "HeadObject": ("GetObject",),
    "ListObjectsV2": ("ListBucket",),
}

# Granted by the agent role itself (infra/agents.py).
ROLES = {("sessions", "sts:AssumeRole")}

# Makes S3 say 404 instead of 403 for a body that is not there; it is needed without a call of its name.
WITHOUT_A_CALL = {("memories", "s3:ListBucket"), ("versions", "s3:ListBucket")}

Needed = set[tuple[str, str]]


def granted(function: str, access: Access) -> Needed:
    named = {f"dynamodb:{action}" for action in access.table} | {f"index:{index}" for index in access.indexes}
    named |= {f"s3:{action}" for action in (*access.bucket, *access.bodies)}
    return {(function, action) for action in named}


def actions(call: Call) -> Iterator[str]:
    """What IAM asks for when this call is made; `index:` stands for a query of that index."""
    service, _, operation = call.operation.partition(".")
    if service == "s3":
        yield from (f"s3:{action}" for action in S3_ACTIONS.get(operation, (operation,)))
    elif service != "dynamodb":
        yield f"{service}:{operation}"
    elif operation == "TransactWriteItems":
        yield from (f"dynamodb:{TRANSACTION[kind]}" for item in call.json["TransactItems"] for kind in item)
    elif operation == "Query" and "IndexName" in call.json:
        yield f"index:{call.json['IndexName']}"
    else:
        yield f"dynamodb:{operation}"


def test_each_function_is_granted_what_it_uses(moto: MotoBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    needed: Needed = set()
    running: str | None = None
    find = moto.handler

    def handler(function: str) -> Any:
        def run(event: Any, context: Any) -> Any:
            nonlocal running
            running = function
            try:
                return find(function)(event, context)
            finally:
                running = None

        return run

    def note(call: Call, proceed: Proceed) -> AWSResponse:
        if running:  # else a test's own call
            needed.update((running, action) for action in actions(call))
        return proceed()

    monkeypatch.setattr(moto, "handler", handler)
    api = first_client(moto, fresh_workspace())
    with moto.wire.fault(note):
        call_everything(api, Client(moto.signed_door()))
        call_sessions(moto, api)
        handler("maintenance")({}, Context("maintenance", 300))
        now = clock.now()
        monkeypatch.setattr(clock, "now", lambda: now + 2 * 3_600_000)
        handler("maintenance")({}, Context("maintenance", 300))

    allowed = ROLES.union(*(granted(function, access) for function, access in ACCESS.items()))
    assert by_function(needed - allowed) == {}, "called, but not allowed"
    assert by_function(allowed - needed - WITHOUT_A_CALL) == {}, "allowed, but never called"


def call_everything(api: Client, signed: Client) -> None:
    """Every route of stores and keys, by both doors, along the ways that make different calls."""
    store = ok(api.post("/v1/memory_stores", {"name": "notes"}))
    ok(api.post(f"/v1/memory_stores/{store['id']}", {"description": "changed"}))
    for url in ("/v1/memory_stores", f"/v1/memory_stores/{store['id']}", "/v1/api_keys"):
        ok(api.get(url))
    ok(signed.get("/v1/memory_stores"))
    assert api.get("/nowhere").status == 404

    notes = StoreClient(api, store["id"])
    memory = notes.created("/a/b", "first")
    ok(notes.update(memory["id"], {"content": "second", "path": "/a/c"}))
    ok(notes.list_memories(view="full"))
    ok(notes.list_memories(depth=1))
    ok(notes.list_versions())
    ok(notes.list_versions(memory_id=memory["id"], view="full"))
    ok(notes.version(memory["memory_version_id"]))
    ok(notes.restore(memory["memory_version_id"]))
    ok(notes.delete(memory["id"]))
    ok(notes.create("/a"))  # where an empty directory stands
    assert notes.create("/a/b").status == 409
    deleted = notes.created("/d/e")
    ok(notes.delete(deleted["id"]))
    ok(notes.restore(deleted["memory_version_id"]))
    ok(notes.delete(deleted["id"]))
    ok(notes.redact(deleted["memory_version_id"]))
    gone = notes.created("/f/g")  # restored where an empty directory stands
    ok(notes.delete(gone["id"]))
    parent = notes.created("/f")
    assert notes.restore(gone["memory_version_id"]).status == 409
    ok(notes.delete(parent["id"]))
    ok(notes.restore(gone["memory_version_id"]))
    ok(notes.delete(gone["id"]))
    child = notes.created("/f/g/h")
    ok(notes.delete(child["id"]))
    ok(notes.restore(gone["memory_version_id"]))

    key = ok(api.post("/v1/api_keys", {"name": "one store", "role": "read_only", "memory_store_ids": [store["id"]]}))
    ok(api.with_key(key["secret"]).get("/v1/memory_stores"))
    ok(api.with_key(key["secret"]).get(notes.memories_url))
    ok(api.delete(f"/v1/api_keys/{key['id']}"))
    notes.archive()
    ok(api.delete(f"/v1/memory_stores/{store['id']}"))

    kept = StoreClient(api, ok(api.post("/v1/memory_stores", {"name": "kept"}))["id"])
    memory = kept.created("/a", "first")
    ok(kept.update(memory["id"], {"content": "second"}))
    ok(kept.redact(memory["memory_version_id"]))


def call_sessions(moto: MotoBackend, api: Client) -> None:
    """The routes of sessions, deployments and bots, and their agents at both doors."""
    store, other = (ok(api.post("/v1/memory_stores", {"name": name}))["id"] for name in ("own", "shared"))
    bot = Binder(api, "bots")
    bot.attached(other)
    bot.attached(other, "read_only")
    ok(bot.get(other))
    ok(bot.list_resources())
    session = SessionClient(api, ok(create_session(api, mount(store), **bot.reference))["id"])
    ok(api.get(SESSIONS))
    for answer in (session.add(store), session.change(store), session.remove(store)):
        assert answer.status == 400
    for type in CREDENTIALS.values():
        agent = agent_with(moto, ok(session.credentials(type)))
        ok(agent.get("/v1/memory_stores"))
        for store_id in (store, other):
            ok(agent.get(f"/v1/memory_stores/{store_id}"))
        notes = StoreClient(agent, store)
        memory = notes.created("/a", "first")
        ok(notes.update(memory["id"], {"content": "second"}))
        ok(notes.list_memories())
        ok(notes.list_versions())
        ok(notes.restore(memory["memory_version_id"]))
        ok(notes.delete(memory["id"]))
        own = SessionClient(agent, session.id)
        for answer in (own.get(), own.list_resources(), own.prompt()):
            ok(answer)
    ok(session.revoke())
    ok(session.archive())
    ok(session.delete())
    ok(bot.detach(other))
    ok(bot.delete())

    deputy = ok(api.post("/v1/api_keys", {"name": "deputy", "role": "admin"}))
    ok(create_session(api.with_key(deputy["secret"]), mount(store)))
    ok(api.delete(f"/v1/api_keys/{deputy['id']}"))


def by_function(pairs: Needed) -> dict[str, list[str]]:
    found = defaultdict(list)
    for function, action in sorted(pairs):
        found[function].append(action)
    return dict(found)
