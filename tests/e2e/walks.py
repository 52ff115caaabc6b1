"""Runs the walk of one client as a program of its own, with what it sends recorded on the way."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from infra.local import tools
from infra.local.setup import ANTHROPIC1, PROJECT, ROOT, node_folder
from tests.e2e.recorder import Recorded, recording
from tests.support.backend import fresh_workspace
from tests.support.ministack_backend import MiniStackBackend

Facts = dict[str, Any]

TEXT = "naïve\r\n\t\0 e\u0301 \ufeff 😀\u2028"  # as in the scripts
LOST = "its first reply is lost"  # as in the scripts
SECONDS = 120
_PYTHON = "tests.e2e.clients.walk"
_TYPESCRIPT = "tests/e2e/clients/walk.mjs"

# Each client: the version it has to be, and the command that runs its walk.
CLIENTS: dict[str, tuple[str, Callable[[], list[str]]]] = {
    "anthropic": ("2.", lambda: [str(tools.python(PROJECT)), "-m", _PYTHON]),
    "anthropic-1": ("1.", lambda: [str(tools.python(ANTHROPIC1)), "-m", _PYTHON]),
    "typescript": ("1.", lambda: [str(node_folder() / "node"), _TYPESCRIPT]),
}


@dataclass(frozen=True)
class Walk:
    """What a client met (times as `datetime`), what it sent for it, and the id of its key."""

    client: str
    facts: Facts
    requests: list[Recorded]
    key_id: str


def walk(client: str, backend: MiniStackBackend) -> Walk:
    """The walk of one client, as an admin of a fresh workspace. Fails where the client does."""
    workspace = fresh_workspace()
    key = backend.first_key(workspace, client, "admin")
    _, command = CLIENTS[client]
    with recording(backend.key_door, LOST) as (url, recorder):
        variables = {"BASE_URL": url, "API_KEY": key["secret"], "WORKSPACE_ID": workspace}
        own = {name: value for name, value in tools.environment().items() if not name.startswith("ANTHROPIC_")}
        done = subprocess.run(
            command(),
            cwd=ROOT,
            env=own | variables,
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout, object_hook=_with_times)
    return Walk(client, facts, recorder.requests, key["id"])


def _with_times(fields: dict[str, Any]) -> dict[str, Any]:
    """Clients write one moment in several ways."""
    return {
        name: datetime.fromisoformat(value) if name.endswith("_at") and value is not None else value
        for name, value in fields.items()
    }


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def refused(refusal: Facts, status: int, error_type: str, class_name: str) -> Facts:
    """The `error` object of what has to be this refusal."""
    body = refusal["body"]
    assert (refusal["class"], refusal["status"], body["error"]["type"]) == (class_name, status, error_type)
    assert set(body) == {"type", "error", "request_id"}
    assert refusal["request_id"] == body["request_id"]
    return dict(body["error"])


def invalid(refusal: Facts, *mentions: str) -> None:
    message = refused(refusal, 400, "invalid_request_error", "BadRequestError")["message"]
    for word in mentions:
        assert word in message


def forbidden(refusal: Facts) -> None:
    refused(refusal, 403, "permission_error", "PermissionDeniedError")


def unauthenticated(refusal: Facts) -> None:
    refused(refusal, 401, "authentication_error", "AuthenticationError")


def not_found(refusal: Facts) -> None:
    refused(refusal, 404, "not_found_error", "NotFoundError")
