"""Sessions: created, read, archived, deleted, and everything that a creation refuses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.contract.agents import (
    NOBODY,
    SESSIONS,
    WANTED,
    Binder,
    MakeSession,
    SessionClient,
    create_session,
    ids_of,
    mount,
)
from tests.contract.conftest import STORES
from tests.contract.steps import INVALID, NOT_FOUND, RFC3339_MILLISECONDS, Json, refused
from tests.support.client import Client, ok

NEUTRAL: Json = {
    "type": "session",
    "environment_id": "env_local",
    "title": None,
    "metadata": {},
    "status": "idle",
    "archived_at": None,
    "resources": [],
    "deployment_id": None,
    "bot_id": None,
    "vault_ids": [],
    "outcome_evaluations": [],
    "budget": None,
    "stats": {"active_seconds": 0, "duration_seconds": 0},
}
NEUTRAL_AGENT: Json = {
    "type": "agent",
    "id": "note-taker",
    "description": None,
    "system": None,
    "tools": [],
    "skills": [],
    "mcp_servers": [],
    "multiagent": None,
    "execution_identity": {"type": "service_account"},
}


# --- what is answered ---


def test_a_session_has_the_shape_that_clients_parse(api: Client) -> None:
    session = ok(api.post(SESSIONS, WANTED))
    assert session.items() >= NEUTRAL.items()
    assert re.fullmatch(r"sesn_[0-9a-f]{32}", session["id"])
    assert re.fullmatch(RFC3339_MILLISECONDS, session["created_at"])
    assert session["updated_at"] == session["created_at"]
    assert session["created_by"] == {"type": "api_actor", "api_key_id": api.key_id}
    assert session["agent"].items() >= NEUTRAL_AGENT.items()
    assert isinstance(session["agent"]["version"], int)
    assert isinstance(session["agent"]["name"], str)
    assert isinstance(session["agent"]["model"]["id"], str)
    assert {"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation"} <= set(session["usage"])
    assert set(numbers(session["usage"])) == {0}


def numbers(value: Any) -> list[float]:
    """All numbers in a structure."""
    if isinstance(value, dict):
        return [number for part in value.values() for number in numbers(part)]
    return [value] if isinstance(value, int | float) else []


def test_a_session_is_read_as_it_was_created(api: Client, store: Json, make_session: MakeSession) -> None:
    fields = {"title": "Tuesday ✓", "metadata": {"team": "blue"}, "environment_id": "env_2"}
    session = make_session(mount(store["id"], "read_only", "Look here first."), **fields)
    assert session.items() >= fields.items()
    assert session["resources"] == [
        {
            "type": "memory_store",
            "memory_store_id": store["id"],
            "access": "read_only",
            "instructions": "Look here first.",
            "name": "Notes",
            "description": "",
            "mount_path": "/mnt/memory/notes",
        }
    ]
    one = SessionClient(api, session["id"])
    assert ok(one.get()) == session
    assert ok(one.list_resources()) == {"data": session["resources"], "next_page": None}


@pytest.mark.parametrize("version", [None, 7])
def test_an_agent_can_be_an_object(make_session: MakeSession, version: int | None) -> None:
    wanted = {"type": "agent", "id": "note-taker"} | ({"version": version} if version else {})
    agent = make_session(agent=wanted)["agent"]
    assert agent.items() >= NEUTRAL_AGENT.items()
    assert version in (None, agent["version"])


def test_null_is_left_out(api: Client, store: Json) -> None:
    optional = ("title", "metadata", "resources", "deployment_id", "bot_id")
    session = ok(api.post(SESSIONS, WANTED | dict.fromkeys(optional)))
    assert session.items() >= NEUTRAL.items()
    agent = {"type": "agent", "id": "note-taker", "version": None}
    resource = mount(store["id"]) | {"access": None, "instructions": None}
    session = ok(api.post(SESSIONS, WANTED | {"agent": agent, "resources": [resource]}))
    assert session["agent"].items() >= NEUTRAL_AGENT.items()
    assert [(each["access"], each["instructions"]) for each in session["resources"]] == [("read_write", None)]


def test_stores_keep_the_order_in_which_they_were_named(
    make_store: Callable[..., Json], make_session: MakeSession
) -> None:
    ids = [make_store(f"store {number}")["id"] for number in (3, 1, 2)]
    for order in (ids, ids[::-1]):
        assert ids_of(make_session(*map(mount, order))["resources"]) == order


def test_eight_stores_are_attached_and_nine_are_not(
    api: Client, make_store: Callable[..., Json], make_session: MakeSession
) -> None:
    ids = [make_store(f"store {number}")["id"] for number in range(9)]
    assert ids_of(make_session(*map(mount, ids[:8]))["resources"]) == ids[:8]
    refused(create_session(api, *map(mount, ids)), INVALID, "resources")


def test_instructions_hold_4096_characters(store: Json, make_session: MakeSession, api: Client) -> None:
    longest = "é" * 4_096
    session = make_session(mount(store["id"], instructions=longest))
    assert session["resources"][0]["instructions"] == longest
    refused(create_session(api, mount(store["id"], instructions=longest + "x")), INVALID, "instructions")


# --- what is refused ---

# What else is wrong with a field, and with a field of an agent.
BAD: dict[str, list[Any]] = {
    "agent": [
        *({"type": "agent", "id": "x", "version": version} for version in ["1", 1.5, True, [], -1]),
        *({"type": "agent", "id": id_} for id_ in [7, "", None, []]),
        {"type": "agent", "id": "x", "colour": "red"},
    ],
    "metadata": [{"": "v"}, {"k" * 65: "v"}, {"k": "v" * 513}, {f"k{number}": "v" for number in range(17)}],
}


@pytest.mark.parametrize("field", BAD)
def test_bad_input_is_named_and_refused(api: Client, subtests: pytest.Subtests, field: str) -> None:
    for value in BAD[field]:
        with subtests.test(value=value):
            refused(api.post(SESSIONS, {**WANTED, field: value}), INVALID, field)
    assert api.walk(SESSIONS) == []


NO_TEXT: list[Any] = [7, True, [], {}]
BAD_IN_RESOURCE: dict[str, list[Any]] = {
    "type": [None, "", 7, "file", "github_repository", "memory_stores", []],
    "memory_store_id": [None, 7, [], {}],
    "access": ["", "write", "READ_ONLY", "none", *NO_TEXT],
    "instructions": NO_TEXT,
    **{key: ["x"] for key in ("colour", "name", "description", "mount_path", "id")},
}


@pytest.mark.parametrize("field", BAD_IN_RESOURCE)
def test_a_bad_resource_is_named_and_refused(api: Client, store: Json, subtests: pytest.Subtests, field: str) -> None:
    for value in BAD_IN_RESOURCE[field]:
        with subtests.test(value=value):
            refused(create_session(api, mount(store["id"]) | {field: value}), INVALID, field)
    assert api.walk(SESSIONS) == []


def test_another_type_of_resource_is_refused_for_its_type(api: Client) -> None:
    for resource in (
        {"type": "file", "file_id": "file_1"},
        {"url": "https://example.com", "type": "github_repository"},
    ):
        refused(create_session(api, resource), INVALID, "resources[0].type")


@pytest.mark.parametrize("field", ["type", "memory_store_id"])
def test_a_resource_needs_a_type_and_a_store(api: Client, store: Json, field: str) -> None:
    resource = {name: value for name, value in mount(store["id"]).items() if name != field}
    refused(create_session(api, resource), INVALID, field)


def test_the_same_store_twice_is_refused(api: Client, store: Json) -> None:
    twice = (mount(store["id"], "read_only"), mount(store["id"]))
    refused(create_session(api, *twice), INVALID, "memory_store_id")
    assert api.walk(SESSIONS) == []


def test_an_archived_store_is_refused(api: Client, make_store: Callable[..., Json]) -> None:
    living, archived = make_store()["id"], make_store()["id"]
    ok(api.post(f"{STORES}/{archived}/archive"))
    refused(create_session(api, mount(living), mount(archived, "read_only")), INVALID, archived)
    assert api.walk(SESSIONS) == []


def test_a_store_that_is_not_there_is_not_found(api: Client, other_api: Client, store: Json) -> None:
    foreign = ok(other_api.post(STORES, {"name": "Theirs"}))["id"]
    ok(api.delete(f"{STORES}/{store['id']}"))
    for unknown in (f"memstore_{NOBODY}", store["id"], foreign):
        refused(create_session(api, mount(unknown)), NOT_FOUND, unknown)
    assert api.walk(SESSIONS) == []


def test_a_deployment_or_bot_that_is_not_there_is_not_found(api: Client, other_api: Client, binder: Binder) -> None:
    refused(create_session(api, **binder.reference), NOT_FOUND, binder.id)
    foreign = ok(other_api.post(STORES, {"name": "Theirs"}))["id"]
    binder.seen_by(other_api).attached(foreign)
    refused(create_session(api, **binder.reference), NOT_FOUND, binder.id)
    assert api.walk(SESSIONS) == []


def test_a_session_is_of_a_deployment_or_of_a_bot(api: Client, store: Json) -> None:
    both = [Binder(api, "deployments"), Binder(api, "bots")]
    for binder in both:
        binder.attached(store["id"])
    answer = create_session(api, **both[0].reference, **both[1].reference)
    message = refused(answer, INVALID)["message"]
    assert "deployment_id" in message or "bot_id" in message
    assert api.walk(SESSIONS) == []


def test_stores_are_attached_at_creation_only(api: Client, store: Json, make_session: MakeSession) -> None:
    """Adding, changing, removing: refused for a session that is there, not found for one that is not."""
    session = make_session(mount(store["id"]))
    one, unknown = SessionClient(api, session["id"]), SessionClient(api, f"sesn_{NOBODY}")
    for asked, error in ((one, INVALID), (unknown, NOT_FOUND)):
        for answer in (asked.add(store["id"]), asked.change(store["id"]), asked.remove(store["id"])):
            refused(answer, error)
    assert ok(one.get()) == session


# --- the end of a session ---


def test_archiving_is_one_way_and_idempotent(api: Client, store: Json, make_session: MakeSession) -> None:
    session = make_session(mount(store["id"]), title="Tuesday")
    one = SessionClient(api, session["id"])
    archived = ok(one.archive())
    assert re.fullmatch(RFC3339_MILLISECONDS, archived["archived_at"])
    assert archived == session | {"archived_at": archived["archived_at"], "updated_at": archived["updated_at"]}
    assert ok(api.post(f"{one.url}/archive", {})) == archived
    assert ok(one.get()) == archived
    assert one.resources() == session["resources"], "still readable"


@pytest.mark.parametrize("archived", [False, True])
def test_a_deleted_session_is_not_there(api: Client, store: Json, make_session: MakeSession, archived: bool) -> None:
    one, witness = (SessionClient(api, make_session(mount(store["id"]))["id"]) for _ in range(2))
    if archived:
        ok(one.archive())
    assert ok(one.delete()) == {"id": one.id, "type": "session_deleted"}
    for answer in (one.get(), one.archive(), one.delete(), one.list_resources(), one.prompt()):
        refused(answer, NOT_FOUND)
    for answer in (one.credentials("bearer"), one.credentials("aws"), one.revoke()):
        refused(answer, NOT_FOUND)
    assert [session["id"] for session in api.walk(SESSIONS, {"include_archived": "true"})] == [witness.id]
    ok(witness.get())
    ok(api.get(f"{STORES}/{store['id']}"))


def test_another_workspace_sees_no_session(
    api: Client, other_api: Client, store: Json, make_session: MakeSession
) -> None:
    """It answers as for a session that never was, and changes nothing."""
    session = make_session(mount(store["id"]))
    for id_ in (session["id"], f"sesn_{NOBODY}", store["id"], "x", "workspace"):
        one = SessionClient(other_api, id_)
        for answer in (one.get(), one.archive(), one.list_resources(), one.prompt(), one.credentials(), one.revoke()):
            refused(answer, NOT_FOUND)
        refused(one.delete(), NOT_FOUND)
    assert other_api.walk(SESSIONS, {"include_archived": "true"}) == []
    assert ok(SessionClient(api, session["id"]).get()) == session
