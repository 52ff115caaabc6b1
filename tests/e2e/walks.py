"""Runs the walk of one client as a program of its own, with what it sends recorded on the way."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from infra.local import tools
from infra.local.setup import ANTHROPIC1, PROJECT, node_folder
from tests.e2e.recorder import Recorded, recording
from tests.support.backend import fresh_workspace
from tests.support.ministack_backend import MiniStackBackend

LOST = "its first reply is lost"  # as in the scripts
SECONDS = 120
_SCRIPTS = Path(__file__).with_name("clients")

# Each client: the version it has to be, and the command that runs its walk.
CLIENTS: dict[str, tuple[str, Callable[[], list[str]]]] = {
    "anthropic": ("2.", lambda: [str(tools.python(PROJECT)), str(_SCRIPTS / "walk.py")]),
    "anthropic-1": ("1.", lambda: [str(tools.python(ANTHROPIC1)), str(_SCRIPTS / "walk.py")]),
    "typescript": ("1.", lambda: [str(node_folder() / "node"), str(_SCRIPTS / "walk.mjs")]),
}


@dataclass(frozen=True)
class Walk:
    """What a client met (times as `datetime`), what it sent for it, and as whom."""

    client: str
    facts: dict[str, Any]
    requests: list[Recorded]
    key_id: str
    secret: str


def walk(client: str, backend: MiniStackBackend) -> Walk:
    """The walk of one client, as an admin of a fresh workspace. Fails where the client does."""
    workspace = fresh_workspace()
    key = backend.first_key(workspace, client, "admin")
    _, command = CLIENTS[client]
    with recording(backend.key_door, LOST) as (url, recorder):
        variables = {"BASE_URL": url, "API_KEY": key["secret"], "WORKSPACE_ID": workspace}
        own = {name: value for name, value in tools.environment().items() if not name.startswith("ANTHROPIC_")}
        done = subprocess.run(
            command(), env=own | variables, capture_output=True, encoding="utf-8", timeout=SECONDS, check=False
        )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout, object_hook=_with_times)
    return Walk(client, facts, recorder.requests, key["id"], key["secret"])


def _with_times(fields: dict[str, Any]) -> dict[str, Any]:
    """Clients write one moment in several ways."""
    return {
        name: datetime.fromisoformat(value) if name.endswith("_at") and value is not None else value
        for name, value in fields.items()
    }
