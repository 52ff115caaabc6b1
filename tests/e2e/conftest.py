"""One deployment on an emulator, and its callers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.local.deployment import SHARED, Deployment, shared_deployment
from tests.support.backend import first_client, fresh_workspace
from tests.support.client import Client
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
