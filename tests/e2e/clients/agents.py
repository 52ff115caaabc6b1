"""The sessions of the `anthropic` package, and the memory of the agents in them. `agents.mjs` is its twin.

What the package does not know (credentials, prompts, deployments, bots) it reaches by its path.
"""

from typing import Any, Literal

from anthropic import Anthropic

from tests.e2e.clients.answers import Facts, ids, plain, refusal, strictly

PROMISE = "kept by an agent"  # as in the test


def walk_sessions(client: Anthropic, store: str) -> Facts:
    """Sessions that have a store, a second one to be read only, or none."""
    sessions = client.beta.sessions
    rules = client.beta.memory_stores.create(name="House rules", description="What all must know.").id
    raw = sessions.with_raw_response.create(
        agent="note-taker",
        environment_id="env_local",
        title="Walk",
        metadata={"team": "a"},
        resources=[
            {"type": "memory_store", "memory_store_id": store},
            {
                "type": "memory_store",
                "memory_store_id": rules,
                "access": "read_only",
                "instructions": "Read them first.",
            },
        ],
    )
    created = raw.parse()
    others = [
        sessions.create(agent={"type": "agent", "id": "note-taker", "version": number}, environment_id="env_local")
        for number in (1, 2, 3)
    ]
    changes = sessions.resources
    return {
        "rules": rules,
        "created": strictly(raw),
        "versioned": plain(others[2]),
        "retrieved": strictly(sessions.with_raw_response.retrieve(created.id)),
        "resources": [plain(resource) for resource in changes.list(created.id)],
        "whole_list": strictly(sessions.with_raw_response.list()),
        "others": ids(others),
        "listed": ids(sessions.list(limit=2)),
        "with_store": ids(sessions.list(memory_store_id=rules)),
        "since": ids(sessions.list(created_at_gte=others[1].created_at)),
        "archived": plain(sessions.archive(others[0].id)),
        "without_archived": ids(sessions.list()),
        "with_archived": ids(sessions.list(include_archived=True)),
        "deleted": plain(sessions.delete(others[1].id)),
        "prompt": client.get(f"/v1/sessions/{created.id}/memory_prompt", cast_to=object),
        "refusals": {
            "deleted": refusal(lambda: sessions.retrieve(others[1].id)),
            "unknown_store": refusal(lambda: create_with(client, "memstore_" + "0" * 32)),
            "twice": refusal(lambda: create_with(client, store, store)),
            "add": refusal(lambda: changes.add(created.id, type="file", file_id="file_0")),
            "update": refusal(lambda: changes.update(store, session_id=created.id, authorization_token="x")),
            "delete": refusal(lambda: changes.delete(store, session_id=created.id)),
        },
    }


def create_with(client: Anthropic, *stores: str) -> Any:
    return client.beta.sessions.create(
        agent="note-taker",
        environment_id="env_local",
        resources=[{"type": "memory_store", "memory_store_id": store} for store in stores],
    )


def walk_agent(client: Anthropic, session: str, store: str, rules: str) -> Facts:
    """An agent has a token of its session where others have a key, and finds its stores."""
    credentials_url = f"/v1/sessions/{session}/credentials"
    credentials: Any = client.post(credentials_url, body={"type": "bearer"}, cast_to=object)
    other = client.beta.memory_stores.create(name="Another").id
    agent = client.with_options(api_key=credentials["token"])
    stores = agent.beta.memory_stores
    memory = stores.memories.create(store, path="/agent.md", content="draft")
    changed = stores.memories.update(memory.id, memory_store_id=store, content=PROMISE, view="full")
    return {
        "credentials": {**credentials, "token": credentials["token"][:4]},
        "sees": ids(stores.list()),
        "changed": plain(changed),
        "versions": [plain(version) for version in stores.memory_versions.list(store, session_id=session)],
        "own_session": plain(agent.beta.sessions.retrieve(session)),
        "refusals": {
            "writes_read_only": refusal(lambda: stores.memories.create(rules, path="/mine", content="")),
            "reads_another": refusal(lambda: stores.retrieve(other)),
            "makes_a_store": refusal(lambda: stores.create(name="Mine")),
            "lists_sessions": refusal(agent.beta.sessions.list),
        },
        "revoked": client.delete(credentials_url, cast_to=object),
        "after_all": refusal(lambda: stores.memories.retrieve(memory.id, memory_store_id=store)),
    }


def walk_live(client: Anthropic, kind: Literal["deployment", "bot"], store: str) -> Facts:
    """The stores of a deployment or bot, as one of its sessions sees them before and after each change."""
    holder = f"/v1/{kind}s/nightly"
    url = f"{holder}/memory_stores/{store}"
    attached = client.put(url, body={"access": "read_write"}, cast_to=object)
    reference = {f"{kind}_id": "nightly"}
    session = client.beta.sessions.create(agent="note-taker", environment_id="env_local", extra_body=reference)

    def look() -> list[Any]:
        resources: Any = client.beta.sessions.resources.list(session.id)
        return [resource.access for resource in resources]

    seen = [look()]
    client.put(url, body={"access": "read_only"}, cast_to=object)
    seen.append(look())
    retrieved, listed = (client.get(read, cast_to=object) for read in (url, f"{holder}/memory_stores"))
    detached = client.delete(url, cast_to=object)
    seen.append(look())
    return {
        "attached": attached,
        "session": plain(session),
        "seen": seen,
        "retrieved": retrieved,
        "listed": listed,
        "detached": detached,
        "deleted": client.delete(holder, cast_to=object),
        "gone": refusal(lambda: client.get(f"{holder}/memory_stores", cast_to=object)),
    }
