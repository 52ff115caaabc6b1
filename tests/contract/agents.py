"""Sessions, their agents, and what deployments and bots attach: one line each."""

from __future__ import annotations

from typing import Any, Protocol

import pytest

from tests.contract.steps import FORBIDDEN, UNAUTHENTICATED, Json
from tests.support.backend import Backend
from tests.support.client import Answer, Client, ok

SESSIONS = "/v1/sessions"
WANTED: Json = {"agent": "note-taker", "environment_id": "env_local"}
KINDS = ("deployments", "bots")
NOBODY = "0" * 32

CREDENTIALS = {"key": "bearer", "signed": "aws"}
"""The type of the credentials for a door."""

# What credentials meet that open nothing any more, by the door they are for.
CLOSED = {"key": UNAUTHENTICATED, "signed": FORBIDDEN}

# Over a real deployment, the gateway itself refuses much of what the signed door refuses here: in words of its own.
DOORS = ["key", pytest.param("signed", marks=pytest.mark.moto_only)]
each_door = pytest.mark.parametrize("door", DOORS)
# A deployment's agent at one door, a bot's at the other.
each_kind_and_door = pytest.mark.parametrize(
    ("binder", "door"),
    [("deployments", "key"), pytest.param("bots", "signed", marks=pytest.mark.moto_only)],
    indirect=["binder"],
)


class MakeSession(Protocol):
    def __call__(self, *resources: Json, **fields: Any) -> Json: ...


class MakeAgent(Protocol):
    def __call__(self, session: Json, door: str = "key") -> Client: ...


def mount(store_id: str, access: str | None = None, instructions: str | None = None) -> Json:
    """A store as a session's creation names it."""
    optional = {"access": access, "instructions": instructions}
    given = {name: value for name, value in optional.items() if value is not None}
    return {"type": "memory_store", "memory_store_id": store_id, **given}


def create_session(api: Client, *resources: Json, **fields: Any) -> Answer:
    return api.post(SESSIONS, {**WANTED, "resources": list(resources), **fields})


def agent_with(backend: Backend, credentials: Json) -> Client:
    """Who holds the credentials of a session, at the door they are for."""
    if credentials["type"] == "bearer":
        return Client(backend.key_door, credentials["token"])
    return Client(backend.signed_door_of(credentials))


class SessionClient:
    """One session, seen by one caller."""

    def __init__(self, api: Client, session_id: str) -> None:
        self.api = api
        self.id = session_id
        self.url = f"{SESSIONS}/{session_id}"
        self.credentials_url = f"{self.url}/credentials"
        self.resources_url = f"{self.url}/resources"

    def get(self) -> Answer:
        return self.api.get(self.url)

    def archive(self) -> Answer:
        return self.api.post(f"{self.url}/archive")

    def delete(self) -> Answer:
        return self.api.delete(self.url)

    def list_resources(self) -> Answer:
        return self.api.get(self.resources_url)

    def resources(self) -> list[Json]:
        """All the session's stores, as they are now."""
        return self.api.walk(self.resources_url)

    def add(self, store_id: str) -> Answer:
        return self.api.post(self.resources_url, mount(store_id))

    def change(self, store_id: str) -> Answer:
        return self.api.post(f"{self.resources_url}/{store_id}", {"access": "read_only"})

    def remove(self, store_id: str) -> Answer:
        return self.api.delete(f"{self.resources_url}/{store_id}")

    def prompt(self) -> Answer:
        return self.api.get(f"{self.url}/memory_prompt")

    def credentials(self, type: str = "bearer", **options: Any) -> Answer:
        return self.api.post(self.credentials_url, {"type": type}, **options)

    def revoke(self) -> Answer:
        return self.api.delete(self.credentials_url)


class Binder:
    """A deployment or a saved bot, seen by one caller; `kind` is `deployments` or `bots`."""

    def __init__(self, api: Client, kind: str, id: str = "nightly") -> None:
        self.api = api
        self.kind = kind
        self.id = id
        self.url = f"/v1/{kind}/{id}"
        self.stores_url = f"{self.url}/memory_stores"
        self.field = f"{kind.removesuffix('s')}_id"
        self.reference = {self.field: id}
        """What a session's creation says to see its stores."""

    def seen_by(self, api: Client) -> Binder:
        """The same, for another caller."""
        return Binder(api, self.kind, self.id)

    def attach(self, store_id: str, access: Any = "read_write") -> Answer:
        return self.api.request("PUT", f"{self.stores_url}/{store_id}", json={"access": access})

    def attached(self, store_id: str, access: str = "read_write") -> Json:
        """A store attached, or its access changed: the resource."""
        return dict(ok(self.attach(store_id, access)))

    def get(self, store_id: str) -> Answer:
        return self.api.get(f"{self.stores_url}/{store_id}")

    def list_resources(self) -> Answer:
        return self.api.get(self.stores_url)

    def detach(self, store_id: str) -> Answer:
        return self.api.delete(f"{self.stores_url}/{store_id}")

    def delete(self) -> Answer:
        return self.api.delete(self.url)

    def resources(self) -> list[Json]:
        """All its stores, as they are now."""
        return self.api.walk(self.stores_url)


def ids_of(resources: list[Json]) -> list[str]:
    return [resource["memory_store_id"] for resource in resources]


def paths_of(resources: list[Json]) -> list[str]:
    return [resource["mount_path"] for resource in resources]
