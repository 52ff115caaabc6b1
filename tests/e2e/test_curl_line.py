"""The line that the run command prints for a first call."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from infra.local import tools
from infra.local.__main__ import summary
from infra.local.deployment import Deployment
from tests.support.client import Client, ok
from tests.support.ministack_backend import MiniStackBackend


@pytest.mark.skipif(not (shutil.which("bash") and shutil.which("curl")), reason="needs bash and curl")
def test_the_printed_line_works_as_it_is_printed(deployed: Deployment, backend: MiniStackBackend) -> None:
    api = Client(backend.key_door, deployed.api_key)
    store = ok(api.post("/v1/memory_stores", {"name": "Seen by curl"}))
    printed = summary(deployed, Path(".local/connection.json")).splitlines()
    (line,) = [line for line in printed if line.lstrip().startswith("curl ")]
    done = subprocess.run(["bash", "-c", line], env=tools.environment(), capture_output=True, timeout=60, check=True)
    listed = json.loads(done.stdout)
    assert set(listed) == {"data", "next_page"}
    assert store in listed["data"]
    ok(api.delete(f"/v1/memory_stores/{store['id']}"))
