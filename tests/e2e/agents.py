"""Agents at the signed door: what the API hands out for a session, and who signs with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from botocore.credentials import Credentials

from tests.contract.agents import SessionClient, agent_with, create_session
from tests.contract.steps import Json, StoreClient
from tests.e2e.callers import Callers
from tests.support.client import Client, ok
from tests.support.ministack_backend import HttpDoor, MiniStackBackend


@dataclass(frozen=True)
class Agent:
    """Who holds AWS credentials of a session. `session` is how an admin sees that; `door` takes what is not allowed."""

    session: SessionClient
    credentials: Credentials
    door: HttpDoor
    api: Client

    def notes(self, store_id: str) -> StoreClient:
        """A store, as the agent sees it."""
        return StoreClient(self.api, store_id)


class Agency:
    """Makes agents, for sessions that `api` makes."""

    def __init__(self, backend: MiniStackBackend, callers: Callers, api: Client) -> None:
        self._backend = backend
        self._callers = callers
        self._api = api

    def of(self, api: Client) -> Agency:
        """The same, where another makes the sessions."""
        return Agency(self._backend, self._callers, api)

    def agent(self, *resources: Json, **fields: Any) -> Agent:
        """One with a new session, which has these stores."""
        return self.another(SessionClient(self._api, ok(create_session(self._api, *resources, **fields))["id"]))

    def another(self, session: SessionClient) -> Agent:
        """One with new credentials of this session."""
        made = ok(session.credentials("aws"))
        credentials = Credentials(made["access_key_id"], made["secret_access_key"], made["session_token"])
        return Agent(session, credentials, self._callers.door(credentials), agent_with(self._backend, made))
