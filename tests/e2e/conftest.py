"""One deployment on an emulator, and its callers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.local.deployment import SHARED, Deployment, shared_deployment
from tests.contract.steps import StoreClient
from tests.e2e.agents import Agency
from tests.e2e.callers import Callers
from tests.e2e.walks import CLIENTS, Facts, Walk, walk
from tests.support.backend import first_client, fresh_workspace
from tests.support.client import Client, ok
from tests.support.environment import environment
from tests.support.ministack_backend import MiniStackBackend, ministack_backend


@pytest.fixture(scope="session")
def deployed() -> Iterator[Deployment]:
    """The deployment that the stage shares, else one of these tests' own."""
    with shared_deployment() as deployment, environment({SHARED: deployment.to_json()}):
        yield deployment


@pytest.fixture(scope="session")
def backend(deployed: Deployment) -> Iterator[MiniStackBackend]:
    """What is behind the doors."""
    with ministack_backend() as backend:
        yield backend


@pytest.fixture
def workspace(backend: MiniStackBackend) -> str:
    """A workspace nobody else uses."""
    return fresh_workspace()


@pytest.fixture
def api(backend: MiniStackBackend, workspace: str) -> Client:
    """An admin of the workspace, through the key door."""
    return first_client(backend, workspace)


@pytest.fixture
def callers(deployed: Deployment, backend: MiniStackBackend) -> Iterator[Callers]:
    """Users and roles of the account."""
    callers = Callers(deployed)
    yield callers
    callers.close()


@pytest.fixture(scope="session", params=CLIENTS)
def walked(request: pytest.FixtureRequest, backend: MiniStackBackend) -> Walk:
    """The walk of each client, done once."""
    return walk(request.param, backend)


@pytest.fixture
def stores(walked: Walk) -> Facts:
    """What the client met of stores."""
    return dict(walked.facts["stores"])


@pytest.fixture
def memories(walked: Walk) -> Facts:
    """What the client met of memories."""
    return dict(walked.facts["memories"])


@pytest.fixture
def versions(walked: Walk) -> Facts:
    """What the client met of versions."""
    return dict(walked.facts["versions"])


@pytest.fixture
def sessions(walked: Walk) -> Facts:
    """What the client met of sessions."""
    return dict(walked.facts["sessions"])


@pytest.fixture
def agent(walked: Walk) -> Facts:
    """What an agent met that called with the token of a session."""
    return dict(walked.facts["agent"])


@pytest.fixture
def agency(backend: MiniStackBackend, callers: Callers, api: Client) -> Agency:
    """Makes agents that sign, for sessions of the workspace."""
    return Agency(backend, callers, api)


@pytest.fixture
def notes(api: Client) -> StoreClient:
    """A store of the workspace, as its admin sees it."""
    return StoreClient(api, ok(api.post("/v1/memory_stores", {"name": "Notes"}))["id"])


@pytest.fixture
def other(api: Client) -> StoreClient:
    """Another store of the workspace."""
    return StoreClient(api, ok(api.post("/v1/memory_stores", {"name": "Other"}))["id"])
