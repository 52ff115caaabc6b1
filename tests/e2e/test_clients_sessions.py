"""The published clients, with nothing changed but the base URL and the key: sessions, and agents that call as them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.e2e.walks import Facts, Walk, forbidden, invalid, not_found, unauthenticated

PROMISE = "kept by an agent"  # as in the scripts


def resource(store: str, name: str, **more: object) -> Facts:
    """A store as it is attached."""
    return {
        "type": "memory_store",
        "memory_store_id": store,
        "access": "read_write",
        "instructions": None,
        "name": name,
        "description": "The first",
        "mount_path": "/mnt/memory/walked",
        **more,
    }


@pytest.fixture
def mounted(stores: Facts, sessions: Facts) -> list[Facts]:
    """The two stores of the session."""
    rules = resource(
        sessions["rules"],
        "House rules",
        access="read_only",
        instructions="Read them first.",
        description="What all must know.",
        mount_path="/mnt/memory/house-rules",
    )
    return [resource(stores["created"]["id"], "Walked"), rules]


# --- sessions ---


def test_a_session_is_created_and_read(walked: Walk, sessions: Facts, mounted: list[Facts]) -> None:
    created = sessions["created"]
    assert created == {
        "id": created["id"],
        "type": "session",
        "agent": {
            "type": "agent",
            "id": "note-taker",
            "version": 1,
            "name": "note-taker",
            "description": None,
            "model": {"id": ""},
            "system": None,
            "tools": [],
            "skills": [],
            "mcp_servers": [],
            "multiagent": None,
            "execution_identity": {"type": "service_account"},
        },
        "environment_id": "env_local",
        "title": "Walk",
        "metadata": {"team": "a"},
        "status": "idle",
        "resources": mounted,
        "deployment_id": None,
        "bot_id": None,
        "created_at": created["created_at"],
        "created_by": {"type": "api_actor", "api_key_id": walked.key_id},
        "updated_at": created["created_at"],
        "archived_at": None,
        "vault_ids": [],
        "outcome_evaluations": [],
        "budget": None,
        "stats": {"active_seconds": 0, "duration_seconds": 0},
        "usage": {
            "input_tokens": 0,
            "output_tokens": 0,
            "cache_read_input_tokens": 0,
            "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
        },
    }
    assert isinstance(created["created_at"], datetime)
    assert sessions["retrieved"] == created
    assert sessions["resources"] == mounted


def test_an_agent_can_be_named_with_its_version(sessions: Facts) -> None:
    versioned = sessions["versioned"]
    assert versioned["agent"] == sessions["created"]["agent"] | {"version": 3}
    assert (versioned["title"], versioned["metadata"], versioned["resources"]) == (None, {}, [])


def test_sessions_are_listed_over_all_pages(sessions: Facts) -> None:
    one, two, three = sessions["others"]
    created = sessions["created"]["id"]
    assert sessions["listed"] == [three, two, one, created]
    assert sessions["with_store"] == [created]
    assert sessions["since"] == [three, two]
    assert sessions["without_archived"] == [three, two, created]
    assert sessions["with_archived"] == sessions["listed"]


def test_a_session_is_archived_and_another_deleted(sessions: Facts) -> None:
    one, two, _ = sessions["others"]
    assert sessions["archived"]["id"] == one
    assert isinstance(sessions["archived"]["archived_at"], datetime)
    assert sessions["deleted"] == {"id": two, "type": "session_deleted"}
    not_found(sessions["refusals"]["deleted"])


def test_refusals_of_sessions_are_the_clients_own_errors(sessions: Facts) -> None:
    refusals = sessions["refusals"]
    not_found(refusals["unknown_store"])
    invalid(refusals["twice"], "resources[1].memory_store_id")
    for change in ("add", "update", "delete"):
        invalid(refusals[change])


def test_the_prompt_tells_what_an_agent_has(sessions: Facts, mounted: list[Facts]) -> None:
    prompt = sessions["prompt"]
    assert (prompt["type"], prompt["session_id"]) == ("memory_prompt", sessions["created"]["id"])
    for told in ("name", "description", "access", "mount_path"):
        for mount in mounted:
            assert mount[told] in prompt["text"]
    assert "Read them first." in prompt["text"]


# --- an agent, with the token of its session for a key ---


def test_an_agent_writes_as_its_session(agent: Facts, sessions: Facts, mounted: list[Facts]) -> None:
    store, rules = (mount["memory_store_id"] for mount in mounted)
    assert set(agent["sees"]) == {store, rules}
    changed = agent["changed"]
    assert (changed["path"], changed["content"], changed["memory_store_id"]) == ("/agent.md", PROMISE, store)
    assert [(version["operation"], version["memory_id"]) for version in agent["versions"]] == [
        ("modified", changed["id"]),
        ("created", changed["id"]),
    ]
    me = {"type": "session_actor", "session_id": sessions["created"]["id"]}
    assert [version["created_by"] for version in agent["versions"]] == [me, me]
    assert agent["own_session"] == sessions["created"]


def test_an_agent_may_do_nothing_else(agent: Facts) -> None:
    assert set(agent["refusals"]) == {"writes_read_only", "reads_another", "makes_a_store", "lists_sessions"}
    for refusal in agent["refusals"].values():
        forbidden(refusal)


def test_a_token_ends_when_it_is_revoked(agent: Facts, sessions: Facts) -> None:
    credentials = agent["credentials"]
    assert (set(credentials), credentials["type"]) == ({"type", "token", "expires_at"}, "bearer")
    assert credentials["token"] == "mst_"
    assert credentials["expires_at"] > datetime.now(UTC)
    assert agent["revoked"] == {"id": sessions["created"]["id"], "type": "session_credentials_revoked"}
    unauthenticated(agent["after_all"])


# --- deployments and bots ---


@pytest.mark.parametrize("kind", ["deployment", "bot"])
def test_a_session_sees_what_is_attached_at_the_time(walked: Walk, stores: Facts, kind: str) -> None:
    live, store = walked.facts["live"][kind], stores["created"]["id"]
    attached = resource(store, "Walked")
    assert live["attached"] == attached
    other = {"deployment": "bot", "bot": "deployment"}[kind]
    assert (live["session"][f"{kind}_id"], live["session"][f"{other}_id"]) == ("nightly", None)
    assert live["session"]["resources"] == [attached]
    assert live["seen"] == [["read_write"], ["read_only"], []]
    assert live["retrieved"] == attached | {"access": "read_only"}
    assert live["listed"] == {"data": [live["retrieved"]], "next_page": None}
    assert live["detached"] == {"id": store, "type": "memory_store_detached"}
    assert live["deleted"] == {"id": "nightly", "type": f"{kind}_deleted"}
    not_found(live["gone"])
