"""The tools' environment, and that no process outlives the command that it belongs to."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from infra.local import tools
from infra.local.setup import LocalError


def test_the_environment_has_the_projects_tools_first_and_nobodys_aws_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "someone")
    monkeypatch.setenv("NO_PROXY", "example.com")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    environment = tools.environment(AWS_REGION="us-east-1")
    assert {name: value for name, value in environment.items() if name.startswith("AWS_")} == {
        "AWS_REGION": "us-east-1"
    }
    assert environment["NO_PROXY"] == environment["no_proxy"] == "example.com,127.0.0.1,localhost"
    assert "PYTHONPATH" not in environment
    node = subprocess.check_output(["node", "--version"], env=environment, text=True)
    assert node.startswith("v24.")


def test_a_missing_tool_is_named_with_the_way_to_get_it() -> None:
    with pytest.raises(LocalError, match=r"^nonsense is missing \(node_modules/.bin/nonsense\): run `make setup`\.$"):
        tools.node_command("nonsense")


def test_a_process_group_ends_with_everything_that_it_started(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    deadline = time.monotonic() + 10
    with tools.process_group(["sh", "-c", f"sleep 60 & echo $! > {note}; wait"], dict(os.environ)):
        while not note.exists() or not note.read_text().endswith("\n"):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    _assert_ends(int(note.read_text()))


def _assert_ends(pid: int) -> None:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if "Z" in Path(f"/proc/{pid}/stat").read_text().split():  # ended, and only not yet collected
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} is still running")
