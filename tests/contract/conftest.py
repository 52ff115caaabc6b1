"""The API that a test of the contract talks to, and its callers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, cast

import pytest
from memory_stores.routes import ROUTES

from tests.contract.agents import (
    CREDENTIALS,
    Binder,
    MakeAgent,
    MakeSession,
    SessionClient,
    agent_with,
    create_session,
    mount,
)
from tests.contract.steps import Json, StoreClient
from tests.support.backend import ROLE, Backend, first_client, fresh_workspace
from tests.support.client import Client, ok
from tests.support.faults import Faults
from tests.support.logs import Logs
from tests.support.moto_backend import MotoBackend, moto_backend

STORES = "/v1/memory_stores"


class MakeKey(Protocol):
    def __call__(self, role: str = "admin", memory_store_ids: list[str] | None = None, **fields: Any) -> Client: ...


class Signed(Protocol):
    def __call__(self, role_arn: str = ROLE, session_name: str = "session") -> Client: ...


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "deployed" not in metafunc.fixturenames:
        return
    chosen = metafunc.config.getoption("--backend")
    backends = ["moto", "ministack"] if chosen == "all" else [chosen]
    metafunc.parametrize("deployed", backends, indirect=True, scope="session")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        needs_moto = item.get_closest_marker("moto_only") or "moto" in getattr(item, "fixturenames", ())
        callspec = getattr(item, "callspec", None)
        backend = callspec.params.get("deployed") if callspec else None
        if needs_moto and backend == "ministack":
            item.add_marker(pytest.mark.skip(reason="needs what a deployment does not do: see the marker moto_only"))
        if item.get_closest_marker("ministack_only") and backend == "moto":
            item.add_marker(pytest.mark.skip(reason="needs what moto does not do: see the marker ministack_only"))


@pytest.fixture(scope="session")
def deployed(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """The API, deployed once."""
    if request.param == "moto":
        with moto_backend() as backend:
            yield backend
    else:
        from tests.support.ministack_backend import ministack_backend

        with ministack_backend() as deployed:
            yield deployed


@pytest.fixture
def backend(deployed: Backend) -> Iterator[Backend]:
    """The place the API runs in, for this test."""
    yield deployed
    if isinstance(deployed, MotoBackend):
        deployed.empty()


@pytest.fixture
def moto(backend: Backend) -> MotoBackend:
    """The backend of a test that only works in process."""
    return cast(MotoBackend, backend)


@pytest.fixture
def faults(moto: MotoBackend) -> Faults:
    """Faults on the AWS calls of the functions."""
    return Faults(moto.wire)


@pytest.fixture
def logs(moto: MotoBackend, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Logs:
    """What the functions print from now on."""
    for route in ROUTES:
        moto.handler(route.function)
    return Logs(capsys, monkeypatch)


@pytest.fixture
def workspace(backend: Backend) -> str:
    """A workspace nobody else uses."""
    return fresh_workspace()


@pytest.fixture
def api(backend: Backend, workspace: str) -> Client:
    """An admin of the workspace, through the key door."""
    return first_client(backend, workspace)


@pytest.fixture
def other_api(backend: Backend) -> Client:
    """An admin of another workspace."""
    return first_client(backend, fresh_workspace())


@pytest.fixture
def signed(backend: Backend) -> Signed:
    """A caller of the signed door; without a stored mapping, in the default workspace."""

    def make(role_arn: str = ROLE, session_name: str = "session") -> Client:
        return Client(backend.signed_door(role_arn, session_name))

    return make


@pytest.fixture
def make_key(api: Client) -> MakeKey:
    """A new key of the workspace, made by its admin."""

    def make(role: str = "admin", memory_store_ids: list[str] | None = None, **fields: Any) -> Client:
        wanted: dict[str, Any] = {"name": f"tests {role}", "role": role, **fields}
        if memory_store_ids is not None:
            wanted["memory_store_ids"] = memory_store_ids
        key = ok(api.post("/v1/api_keys", wanted))
        return api.with_key(key["secret"], key["id"])

    return make


@pytest.fixture
def make_store(api: Client) -> Callable[..., dict[str, Any]]:
    """A new store of the workspace."""

    def make(name: str = "Notes", **fields: Any) -> dict[str, Any]:
        return dict(ok(api.post(STORES, {"name": name, **fields})))

    return make


@pytest.fixture
def store(make_store: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """A new store."""
    return make_store()


@pytest.fixture
def notes(api: Client, store: dict[str, Any]) -> StoreClient:
    """The new store, seen by its workspace's admin."""
    return StoreClient(api, store["id"])


@pytest.fixture
def make_session(api: Client) -> MakeSession:
    """A new session with these stores, made by the workspace's admin."""

    def make(*resources: Json, **fields: Any) -> Json:
        return dict(ok(create_session(api, *resources, **fields)))

    return make


@pytest.fixture
def session(store: Json, make_session: MakeSession) -> Json:
    """A session that may write to the store."""
    return make_session(mount(store["id"]))


@pytest.fixture
def one(api: Client, session: Json) -> SessionClient:
    """That session, seen by the workspace's admin."""
    return SessionClient(api, session["id"])


@pytest.fixture
def agent(backend: Backend, api: Client) -> MakeAgent:
    """The agent of a session, with new credentials for a door, which the workspace's admin asked for."""

    def make(session: Json, door: str = "key") -> Client:
        return agent_with(backend, ok(SessionClient(api, session["id"]).credentials(CREDENTIALS[door])))

    return make


@pytest.fixture
def binder(api: Client) -> Binder:
    """A deployment that is not recorded yet: what attaches stores to sessions. A bot does it the same way."""
    return Binder(api, "deployments")
