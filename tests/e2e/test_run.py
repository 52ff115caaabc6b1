"""`make run` as a user sees it: a first start, a first call, a stop, and a second start with everything still there."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from infra.local import tools
from infra.local.emulator import check_port, free_port
from infra.local.setup import ROOT

FIRST_START_SECONDS = 150
SECOND_START_SECONDS = 30  # some 3 where nothing else runs


def test_the_data_and_the_key_survive_a_stop_and_another_port(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with _running(folder, free_port(), FIRST_START_SECONDS) as first:
        assert first.file.stat().st_mode & 0o777 == 0o600
        assert first.connection["key_door"] in first.output
        assert first.connection["signed_door"] in first.output
        store = first.call("POST", "/v1/memory_stores", {"name": "Kept"})
        first.call("POST", f"/v1/memory_stores/{store['id']}/memories", {"path": "/a.md", "content": "kept"})
        if shutil.which("curl"):
            assert store in first.run_curl_line()["data"]
        refused = subprocess.run(_command(folder, free_port()), cwd=ROOT, capture_output=True, text=True, check=False)
        assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
        assert first.file.exists()
        assert first.stop(signal.SIGTERM) == 0
    assert not first.file.exists()

    with _running(folder, free_port(), SECOND_START_SECONDS) as second:
        assert "Deploying" not in second.output
        assert second.connection["api_key"] == first.connection["api_key"]
        assert second.connection["aws"] == first.connection["aws"]
        listed = second.call("GET", f"/v1/memory_stores/{store['id']}/memories?view=full")
        assert [memory["content"] for memory in listed["data"]] == ["kept"]
        assert second.stop(signal.SIGINT) == 0


def test_a_start_that_is_interrupted_leaves_nothing_behind(tmp_path: Path) -> None:
    port = free_port()
    with subprocess.Popen(_command(tmp_path, port), cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "Deploying" in line:
                time.sleep(1)  # now the CDK is at work
                process.terminate()
                break
        assert process.wait(60) == 130
    check_port(port)
    assert not (tmp_path / "connection.json").exists()
    for command_line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert str(tmp_path) not in command_line.read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue


class _Run:
    def __init__(self, process: subprocess.Popen[bytes], folder: Path, printed: Path) -> None:
        self.process = process
        self.file = folder / "connection.json"
        self.connection: dict[str, Any] = json.loads(self.file.read_text())
        deadline = time.monotonic() + 10
        while "curl" not in printed.read_text() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.output = printed.read_text()

    def call(self, method: str, path: str, body: dict[str, str] | None = None) -> Any:
        headers = {"authorization": f"Bearer {self.connection['api_key']}", "content-type": "application/json"}
        data = json.dumps(body).encode() if body else None
        url = self.connection["key_door"] + path
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=60) as answer:
            return json.load(answer)

    def run_curl_line(self) -> Any:
        line = next(line for line in self.output.splitlines() if line.startswith("  curl "))
        return json.loads(subprocess.check_output(["sh", "-c", f"{line} --silent"], timeout=60))

    def stop(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


@contextmanager
def _running(folder: Path, port: int, seconds: int) -> Iterator[_Run]:
    printed = folder.with_suffix(f".{port}")
    with printed.open("wb") as output:
        process = subprocess.Popen(_command(folder, port), cwd=ROOT, env=tools.environment(), stdout=output)
    try:
        deadline = time.monotonic() + seconds
        while not (folder / "connection.json").exists():
            assert process.poll() is None, printed.read_text()
            assert time.monotonic() < deadline, printed.read_text()
            time.sleep(0.1)
        yield _Run(process, folder, printed)
    finally:
        process.terminate()
        process.wait(60)


def _command(folder: Path, port: int) -> list[str | os.PathLike[str]]:
    return [sys.executable, "-m", "infra.local", str(port), folder]
