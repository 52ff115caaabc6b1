"""The table of the contract as data: what each principal is answered, operation by operation, by the store's state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.contract.agents import KINDS, SESSIONS, Binder, SessionClient, create_session, mount
from tests.contract.conftest import STORES
from tests.contract.steps import FORBIDDEN, INVALID, NOT_FOUND, StoreClient
from tests.support.client import Answer, Client, ok

API_KEYS = "/v1/api_keys"

ROLES = ("admin", "read_write", "read_only")
AGENTS = ("attached_read_write", "attached_read_only", "not_attached")
PRINCIPALS = ROLES + AGENTS
STATES = ("active", "archived", "deleted")
REFUSALS = {error[0]: error for error in (INVALID, FORBIDDEN, NOT_FOUND)}

# The status where the store is active, archived, deleted; or the one status of what names no store.
Outcome = tuple[int, ...]
READABLE, WRITABLE, FORBIDDEN_ALWAYS = (200, 200, 404), (200, 400, 404), (403, 403, 403)
RELEASABLE, NEVER = (200, 200, 200), (400, 400, 400)
GRANTED, DENIED = (200,), (403,)

# Each in the order of the principals.
READING = (*[READABLE] * 5, FORBIDDEN_ALWAYS)
WRITING = (WRITABLE, WRITABLE, FORBIDDEN_ALWAYS, WRITABLE, FORBIDDEN_ALWAYS, FORBIDDEN_ALWAYS)
EVERYBODY = (GRANTED,) * 6
OWN_SESSION = (GRANTED, DENIED, DENIED, GRANTED, GRANTED, GRANTED)


def admins(outcome: Outcome) -> tuple[Outcome, ...]:
    """Nobody else may."""
    return outcome, *[DENIED * len(outcome)] * 5


@dataclass(frozen=True)
class World:
    """What the rows name: a store with a memory of two versions, a key, two sessions, and a deployment and a bot that
    attach the store. `own_session` is the caller's own where the caller is an agent.
    """

    store_id: str
    memory_id: str
    old_version: str
    key_id: str
    own_session: str
    other_session: str
    binder_id: str

    @classmethod
    def made_by(cls, admin: Client, name: str = "world") -> World:
        store_id = ok(admin.post(STORES, {"name": "Notes"}))["id"]
        key = ok(admin.post(API_KEYS, {"name": "unused", "role": "read_only"}))
        own, other = (ok(create_session(admin, mount(store_id)))["id"] for _ in range(2))
        for kind in KINDS:
            Binder(admin, kind, name).attached(store_id)
        return cls(store_id, "", "", key["id"], own, other, name).with_memory(admin, "/a")

    def with_memory(self, admin: Client, path: str) -> World:
        """The same with another memory, for a caller that may change and delete it."""
        notes = StoreClient(admin, self.store_id)
        memory = notes.created(path, "old")
        ok(notes.update(memory["id"], {"content": "new"}))
        return replace(self, memory_id=memory["id"], old_version=memory["memory_version_id"])

    def seen_by(self, admin: Client) -> Any:
        """All that a refused request must leave as it is."""
        notes = StoreClient(admin, self.store_id)
        return (
            notes.snapshot() if admin.get(notes.url).status == 200 else None,
            [admin.walk(url, {"include_archived": "true"}) for url in (STORES, API_KEYS, SESSIONS)],
            [Binder(admin, kind, self.binder_id).resources() for kind in KINDS],
        )


@dataclass(frozen=True)
class Row:
    """One thing a caller may want, and what each principal is answered."""

    operation: str
    ask: Callable[[Client, World], Answer]
    outcomes: tuple[Outcome, ...]

    @property
    def states(self) -> tuple[str, ...]:
        """The states of a store that the answer depends on."""
        return STATES[: len(self.outcomes[0])]

    def status(self, principal: str, state: str) -> int:
        """What a principal must be answered where the store is in this state."""
        return self.outcomes[PRINCIPALS.index(principal)][STATES.index(state)]


def notes_of(api: Client, world: World) -> StoreClient:
    return StoreClient(api, world.store_id)


READS = [
    Row("get_store", lambda c, w: c.get(notes_of(c, w).url), READING),
    Row("list_memories", lambda c, w: notes_of(c, w).list_memories(), READING),
    Row("get_memory", lambda c, w: notes_of(c, w).get(w.memory_id), READING),
    Row("list_versions", lambda c, w: notes_of(c, w).list_versions(), READING),
    Row("get_version", lambda c, w: notes_of(c, w).version(w.old_version), READING),
]
WRITES = [
    Row("create_memory", lambda c, w: notes_of(c, w).create(f"/new/{w.memory_id}"), WRITING),
    Row("update_memory", lambda c, w: notes_of(c, w).update(w.memory_id, {"content": "newer"}), WRITING),
    Row("update_memory", lambda c, w: notes_of(c, w).update(w.memory_id, {"path": f"/b/{w.memory_id}"}), WRITING),
    Row("restore_version", lambda c, w: notes_of(c, w).restore(w.old_version), WRITING),
    Row("delete_memory", lambda c, w: notes_of(c, w).delete(w.memory_id), WRITING),
    Row("redact_version", lambda c, w: notes_of(c, w).redact(w.old_version), admins(READABLE)),
    Row("update_store", lambda c, w: c.post(notes_of(c, w).url, {"description": "d"}), admins(WRITABLE)),
]
STORE_ENDS = [
    Row("archive_store", lambda c, w: c.post(f"{notes_of(c, w).url}/archive"), admins(READABLE)),
    Row("delete_store", lambda c, w: c.delete(notes_of(c, w).url), admins(READABLE)),
]
IN_A_STORE = [*READS, *WRITES, *STORE_ENDS]
LISTS = [Row("list_stores", lambda c, w: c.get(STORES), EVERYBODY)]
NAMELESS = [
    *LISTS,
    Row("create_store", lambda c, w: c.post(STORES, {"name": "n"}), admins(GRANTED)),
    Row("list_api_keys", lambda c, w: c.get(API_KEYS), admins(GRANTED)),
    Row("create_api_key", lambda c, w: c.post(API_KEYS, {"name": "n", "role": "read_only"}), admins(GRANTED)),
    Row("list_sessions", lambda c, w: c.get(SESSIONS), admins(GRANTED)),
    Row("create_session", lambda c, w: create_session(c), admins(GRANTED)),
]
OTHERS = [
    Row("create_session", lambda c, w: create_session(c, mount(w.store_id)), admins(WRITABLE)),
    Row("delete_api_key", lambda c, w: c.delete(f"{API_KEYS}/{w.key_id}"), admins(GRANTED)),
]


def of_sessions(
    session: Callable[[Client, World], SessionClient], reading: tuple[Outcome, ...]
) -> tuple[list[Row], list[Row]]:
    """The rows of one session, and those that end it."""
    read = [
        Row("get_session", lambda c, w: session(c, w).get(), reading),
        Row("list_session_resources", lambda c, w: session(c, w).list_resources(), reading),
        Row("get_memory_prompt", lambda c, w: session(c, w).prompt(), reading),
    ]
    never = [
        Row("add_session_resource", lambda c, w: session(c, w).add(w.store_id), admins(NEVER)),
        Row("update_session_resource", lambda c, w: session(c, w).change(w.store_id), admins(NEVER)),
        Row("delete_session_resource", lambda c, w: session(c, w).remove(w.store_id), admins(NEVER)),
    ]
    ends = [
        Row("create_credentials", lambda c, w: session(c, w).credentials("bearer"), admins(GRANTED)),
        Row("create_credentials", lambda c, w: session(c, w).credentials("aws"), admins(GRANTED)),
        Row("revoke_credentials", lambda c, w: session(c, w).revoke(), admins(GRANTED)),
        Row("archive_session", lambda c, w: session(c, w).archive(), admins(GRANTED)),
        Row("delete_session", lambda c, w: session(c, w).delete(), admins(GRANTED)),
    ]
    return [*read, *never], ends


def of_binders(kind: str) -> list[Row]:
    """The rows of a deployment or a bot. A store that is deleted is not there any more, but can still be let go."""

    def binder(api: Client, world: World) -> Binder:
        return Binder(api, kind, world.binder_id)

    name = kind.removesuffix("s")
    return [
        Row(f"list_{name}_stores", lambda c, w: binder(c, w).list_resources(), admins(GRANTED)),
        Row(f"get_{name}_store", lambda c, w: binder(c, w).get(w.store_id), admins(READABLE)),
        Row(f"attach_{name}_store", lambda c, w: binder(c, w).attach(w.store_id, "read_only"), admins(WRITABLE)),
        Row(f"detach_{name}_store", lambda c, w: binder(c, w).detach(w.store_id), admins(RELEASABLE)),
        Row(f"delete_{name}", lambda c, w: binder(c, w).delete(), admins(GRANTED)),
    ]


OWN, OWN_ENDS = of_sessions(lambda c, w: SessionClient(c, w.own_session), OWN_SESSION)
OTHER, OTHER_ENDS = of_sessions(lambda c, w: SessionClient(c, w.other_session), admins(GRANTED))
SESSION_ROWS = [*OWN, *OTHER, *OWN_ENDS, *OTHER_ENDS]
BINDER_ROWS = [row for kind in KINDS for row in of_binders(kind)]

# All that names something; what ends a thing comes after everything else about it.
NAMING = [*READS, *WRITES, *OTHERS, *SESSION_ROWS, *BINDER_ROWS, *STORE_ENDS]
TABLE = [*NAMELESS, *NAMING]
