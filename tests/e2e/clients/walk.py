"""A walk through every method of the `anthropic` package, written as its users write. Prints what it met as JSON.

It runs as a program of its own, in an environment that holds the package in one version or another. `walk.mjs` is its
twin.
"""

import hashlib
import json
import os
from typing import Any

import anthropic
from anthropic import Anthropic

from tests.e2e.clients.agents import walk_agent, walk_live, walk_sessions
from tests.e2e.clients.answers import Facts, plain, refusal

BASE_URL = os.environ["BASE_URL"]
API_KEY = os.environ["API_KEY"]
WORKSPACE_ID = os.environ["WORKSPACE_ID"]
TEXT = "naïve\r\n\t\0 e\u0301 \ufeff 😀\u2028"
LARGE = "\x01" * 102_400
LOST = "its first reply is lost"  # the test takes away the first reply to a request that says so

client = Anthropic(base_url=BASE_URL, api_key=API_KEY)
stores = client.beta.memory_stores
memories = stores.memories
versions = stores.memory_versions


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def guard(text: str) -> Any:
    return {"type": "content_sha256", "content_sha256": sha256(text)}


def walk_stores() -> Facts:
    created = stores.create(name="Walk", description="The first", metadata={"team": "a", "stage": "test"})
    others = [stores.create(name=f"Other {number}") for number in range(4)]
    facts = {
        "created": plain(created),
        "retrieved": plain(stores.retrieve(created.id)),
        "updated": plain(stores.update(created.id, name="Walked", metadata={"team": None, "owner": "b"})),
        "listed": [store.name for store in stores.list(limit=2)],
        "since": [store.name for store in stores.list(created_at_gte=others[2].created_at)],
        "until": [store.name for store in stores.list(created_at_lte=created.created_at)],
        "archived": plain(stores.archive(others[0].id)),
        "archived_again": plain(stores.archive(others[0].id)),
        "without_archived": [store.name for store in stores.list()],
        "with_archived": [store.name for store in stores.list(include_archived=True, limit=1)],
        "deleted": plain(stores.delete(others[1].id)),
        "in_workspace": plain(stores.retrieve(created.id, workspace_id=WORKSPACE_ID)),
    }
    raw = stores.with_raw_response.retrieve(created.id)
    facts["raw"] = {"status": raw.status_code, "request_id": raw.headers["request-id"], "parsed": plain(raw.parse())}
    wrong = Anthropic(base_url=BASE_URL, api_key="wrong")
    facts["refusals"] = {
        "deleted": refusal(lambda: stores.retrieve(others[1].id)),
        "archived": refusal(lambda: memories.create(others[0].id, path="/a", content="")),
        "both_betas": refusal(lambda: stores.retrieve(created.id, betas=["managed-agents-2026-04-01"])),
        "other_workspace": refusal(lambda: stores.list(workspace_id="wrkspc_other")),
        "wrong_key": refusal(lambda: wrong.beta.memory_stores.create(name="Wrong")),
    }
    return facts


def walk_memories(store: str) -> Facts:
    created = memories.create(store, path="/notes/a.md", content=TEXT, view="full")
    basic = memories.create(store, path="/notes/b.md", content="")
    for path in ("/notes/deep/c.md", "/notes/deep/d.md", "/e.md"):
        memories.create(store, path=path, content=path)
    large = memories.create(store, path="/large", content=LARGE)
    facts = {
        "created": plain(created),
        "basic": plain(basic),
        "retrieved": plain(memories.retrieve(created.id, memory_store_id=store)),
        "retrieved_basic": plain(memories.retrieve(created.id, memory_store_id=store, view="basic")),
        "large": plain(large),
        "large_is_whole": memories.retrieve(large.id, memory_store_id=store).content == LARGE,
        "updated": plain(
            memories.update(created.id, memory_store_id=store, content="two", precondition=guard(TEXT), view="full")
        ),
        "renamed": plain(memories.update(created.id, memory_store_id=store, path="/notes/z.md", view="full")),
        "paths": [item.path for item in memories.list(store, limit=2)],
        "folded": [
            plain(item) for item in memories.list(store, path_prefix="/notes/", depth=1) if item.path[-1] == "/"
        ],
        "children": [item.path for item in memories.list(store, path_prefix="/notes/", depth=1, limit=1)],
        "full": {item.path: item.content for item in memories.list(store, view="full") if item.type == "memory"},
    }
    facts["full"].pop("/large")
    facts["refusals"] = {
        "taken": refusal(lambda: memories.create(store, path="/notes/z.md", content="other")),
        "below_a_file": refusal(lambda: memories.create(store, path="/e.md/f", content="")),
        "a_directory": refusal(lambda: memories.create(store, path="/notes/deep", content="")),
        "stale": refusal(
            lambda: memories.update(created.id, memory_store_id=store, content="three", precondition=guard("one"))
        ),
        "stale_delete": refusal(
            lambda: memories.delete(created.id, memory_store_id=store, expected_content_sha256=sha256("one"))
        ),
        "bad_path": refusal(lambda: memories.create(store, path="no/slash", content="")),
        "unknown": refusal(lambda: memories.retrieve("mem_" + "0" * 32, memory_store_id=store)),
    }
    facts["deleted"] = plain(memories.delete(basic.id, memory_store_id=store, expected_content_sha256=sha256("")))
    facts["refusals"]["deleted"] = refusal(lambda: memories.retrieve(basic.id, memory_store_id=store))
    return facts


def walk_versions(store: str, memory_id: str) -> Facts:
    everything = list(versions.list(store, limit=2))
    newest, middle, oldest = versions.list(store, memory_id=memory_id, view="full")
    author = plain(newest)["created_by"]["api_key_id"]
    restore = f"/v1/memory_stores/{store}/memory_versions/{oldest.id}/restore"
    return {
        "everything": [plain(version) for version in everything],
        "of_memory": [plain(version) for version in (newest, middle, oldest)],
        "deletions": [plain(version) for version in versions.list(store, operation="deleted")],
        "by_author": [version.id for version in versions.list(store, api_key_id=author, limit=3)],
        "by_nobody": [version.id for version in versions.list(store, session_id="sesn_nobody")],
        "by_no_service": [version.id for version in versions.list(store, service_account_id="nobody")],
        "at_one_time": [
            version.id
            for version in versions.list(store, created_at_gte=middle.created_at, created_at_lte=middle.created_at)
        ],
        "retrieved": plain(versions.retrieve(oldest.id, memory_store_id=store)),
        "retrieved_basic": plain(versions.retrieve(oldest.id, memory_store_id=store, view="basic")),
        "head": refusal(lambda: versions.redact(newest.id, memory_store_id=store)),
        "restored": client.post(restore, cast_to=object),
        "redacted": plain(versions.redact(oldest.id, memory_store_id=store)),
        "redacted_again": plain(versions.redact(oldest.id, memory_store_id=store)),
        "kept_for_audit": plain(versions.retrieve(oldest.id, memory_store_id=store)),
        "restored_redacted": refusal(lambda: client.post(restore, cast_to=object)),
    }


def walk_lost_replies(store: str) -> Facts:
    """The package sends a request again whose reply it did not get."""
    created = refusal(lambda: memories.create(store, path="/lost", content=f"create: {LOST}"))
    memory_id = created["body"]["error"]["conflicting_memory_id"]
    found = memories.retrieve(memory_id, memory_store_id=store)
    text = f"update: {LOST}"
    updated = memories.update(memory_id, memory_store_id=store, content=text, precondition=guard(found.content or ""))
    history = list(versions.list(store, memory_id=memory_id, view="full"))
    return {"created": created, "updated": plain(updated), "history": [version.content for version in history]}


def walk_keys(store: str) -> Facts:
    """Keys are this service's own: the package reaches them by their paths."""
    wanted = {"name": "Reader", "role": "read_only", "memory_store_ids": [store]}
    key: Any = client.post("/v1/api_keys", body=wanted, cast_to=object)
    reader = Anthropic(base_url=BASE_URL, api_key=key["secret"]).beta.memory_stores
    facts = {
        "created": key,
        "listed": client.get("/v1/api_keys", cast_to=object),
        "sees": [seen.id for seen in reader.list()],
        "may_not_write": refusal(lambda: reader.memories.create(store, path="/mine", content="")),
        "deleted": client.delete(f"/v1/api_keys/{key['id']}", cast_to=object),
        "may_no_more": refusal(lambda: reader.retrieve(store)),
    }
    del key["secret"]
    return facts


def main() -> None:
    """Walk, and print the facts."""
    of_stores = walk_stores()
    store = of_stores["created"]["id"]
    of_memories = walk_memories(store)
    of_versions = walk_versions(store, of_memories["created"]["id"])
    facts = {"stores": of_stores, "memories": of_memories, "versions": of_versions}
    facts |= {"lost": walk_lost_replies(store), "keys": walk_keys(store)}
    of_sessions = walk_sessions(client, store)
    facts["sessions"] = of_sessions
    facts["agent"] = walk_agent(client, of_sessions["created"]["id"], store, of_sessions["rules"])
    facts["live"] = {"deployment": walk_live(client, "deployment", store), "bot": walk_live(client, "bot", store)}
    print(json.dumps({"version": anthropic.__version__, **facts}))


if __name__ == "__main__":
    main()
