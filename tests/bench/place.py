"""The handlers in this process, over the table and the bucket of a real deployment on an emulator."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, cast

import boto3
from botocore.config import Config
from memory_stores import observability, runtime

from tests.bench import filling
from tests.bench.recorder import Call, Recorder, seconds_inside
from tests.contract.steps import Json, StoreClient
from tests.support.backend import ROLE, fresh_workspace
from tests.support.client import Answer, Client, ok
from tests.support.environment import environment
from tests.support.gateway import Event, Gateway, Handler, iam_caller
from tests.support.ministack_backend import MiniStackBackend, ministack_backend

TEXT = "A memory of usual size, in plain text. " * 50

_FUNCTIONS = ("stores", "memories", "versions", "api_keys", "sessions", "bindings")
_HOLD_SECONDS = 0.1
_numbers = itertools.count()


@dataclass(frozen=True)
class Measurement:
    """One request: its AWS calls in the order of their start, and the seconds its handler took."""

    calls: list[Call]
    seconds: float

    @property
    def inside(self) -> float:
        """Seconds with an AWS call under way."""
        return seconds_inside(self.calls)

    @property
    def beyond(self) -> float:
        """Seconds without."""
        return self.seconds - self.inside

    @property
    def calls_of_operation(self) -> list[Call]:
        """The calls, less the one read that finds out who is calling."""
        first = self.calls[0]
        assert first.parameters["Key"]["pk"]["S"].startswith(("apikey#", "token#", "principal#")), first
        return self.calls[1:]


class Place:
    """A workspace with its admin, `api` through the key door and `signed` through the other.

    `dynamodb` is a client that is not recorded.
    """

    def __init__(self, backend: MiniStackBackend, recorder: Recorder, handlers: Mapping[str, Handler]) -> None:
        self._backend = backend
        self.dynamodb = backend.dynamodb
        self._recorder = recorder
        self._handlers = handlers
        self._seconds = 0.0
        workspace_id = fresh_workspace()
        key = backend.first_key(workspace_id, "bench", "admin")
        self.workspace_id = workspace_id
        self.api = Client(Gateway(self._timed), key["secret"], key_id=key["id"])
        self.signed = Client(Gateway(self._timed, iam=iam_caller(ROLE)))
        self._warm_up()

    def store(self) -> StoreClient:
        """A new store, empty."""
        return StoreClient(self.api, ok(self.api.post("/v1/memory_stores", {"name": "Bench"}))["id"])

    def filled_store(self, folders: int, files: int) -> StoreClient:
        """A new store with this many folders below `/filled/`, of this many memories each."""
        store = self.store()
        backend = self._backend
        target = filling.Target(backend.dynamodb, backend.s3, backend.table_name, backend.bucket_name)
        filling.fill(target, self.workspace_id, store.id, filling.paths(folders, files), TEXT)
        return store

    def memory(self, store: StoreClient, versions: int = 1) -> Json:
        """A new memory with so many versions."""
        created = store.created(fresh_path(), TEXT)
        for number in range(1, versions):
            ok(store.update(created["id"], {"content": f"{number} {TEXT}"}))
        return created

    def count(self, request: Callable[[], Answer], status: int) -> Measurement:
        """One request with its answers held back, so that what runs side by side is seen to."""
        with self._recorder.holding(_HOLD_SECONDS):
            return self.measure(request, status)

    def measure(self, request: Callable[[], Answer], status: int) -> Measurement:
        """One request, at full speed."""
        self._recorder.calls = []
        answer = request()
        assert answer.status == status, answer.text
        calls, self._recorder.calls = self._recorder.calls, []
        return Measurement(calls, self._seconds)

    def _warm_up(self) -> None:
        """Let each function answer a page that has a next one: it keeps the secret of the workspace's cursors."""
        store = self.store()
        for _ in range(2):
            self.store()
            self.memory(store)
            ok(self.api.post("/v1/api_keys", {"name": "Bench", "role": "read_only"}))
        for url in ("/v1/memory_stores", "/v1/api_keys", store.memories_url, store.versions_url):
            assert ok(self.api.get(url, {"limit": 1}))["next_page"]

    def _timed(self, function: str) -> Handler:
        handler = self._handlers[function]

        def timed(event: Event, context: Any) -> Mapping[str, Any]:
            started = time.perf_counter()
            try:
                return handler(event, context)
            finally:
                self._seconds = time.perf_counter() - started

        return timed


def fresh_path() -> str:
    """A path in a directory that all of them share."""
    return f"/notes/{next(_numbers):06d}.md"


@contextlib.contextmanager
def places() -> Iterator[Callable[[], Place]]:
    """A way to make places, on a deployment that is there for as long as the context lasts."""
    recorder = Recorder()
    with ministack_backend() as backend:
        variables = {
            "TABLE_NAME": backend.table_name,
            "BUCKET_NAME": backend.bucket_name,
            "DEFAULT_WORKSPACE_ID": backend.default_workspace_id,
            "AGENT_ROLE_ARN": "arn:aws:iam::123456789012:role/NoAgents",
            "MAX_MEMORIES_PER_STORE": "20000",  # above what is measured, or the last creates would take turns
            "POWERTOOLS_SERVICE_NAME": "bench",
            "POWERTOOLS_METRICS_NAMESPACE": "Bench",
        }
        with environment(variables), Path(os.devnull).open("w") as nowhere:
            boto3.setup_default_session()
            assert boto3.DEFAULT_SESSION
            recorder.attach(boto3.DEFAULT_SESSION)
            # The emulator's Query takes seconds in a large store.
            runtime._CONFIG = runtime._CONFIG.merge(Config(read_timeout=60))
            # The log is written as ever, and sent nowhere.
            cast("logging.StreamHandler[TextIO]", observability.logger.registered_handler).setStream(nowhere)
            handlers = {function: importlib.import_module(function).handler for function in _FUNCTIONS}
            yield lambda: Place(backend, recorder, handlers)
