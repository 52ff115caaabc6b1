"""The emulator: taken ports, state that survives, and that it ends in every case."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from infra.local import tools
from infra.local.emulator import HOST, Emulator, check_port, free_port
from infra.local.setup import ROOT, LocalError


def test_a_taken_port_is_refused_in_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(LocalError, match=f"^Port {port} is taken: choose another one, `make run PORT="):
            check_port(port)


def test_a_free_port_is_accepted() -> None:
    check_port(free_port())


def test_its_state_survives_and_is_its_owners_alone(tmp_path: Path) -> None:
    emulator = Emulator(tmp_path)
    emulator.start()
    try:
        emulator.client("ssm").put_parameter(Name="/kept", Type="String", Value="yes")
    finally:
        emulator.stop()
    assert [path.name for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_mode & 0o077] == [
        "emulator.log"
    ]
    again = Emulator(tmp_path)
    again.start()
    try:
        assert again.client("ssm").get_parameter(Name="/kept")["Parameter"]["Value"] == "yes"
    finally:
        again.stop()


def test_an_emulator_that_ends_by_itself_is_reported(tmp_path: Path) -> None:
    emulator = Emulator(tmp_path)
    emulator.start()
    try:
        emulator.check()
        os.kill(_pid(emulator), signal.SIGKILL)
        with pytest.raises(LocalError, match=r"^The emulator stopped unexpectedly: its log is .*emulator\.log\.$"):
            emulator.wait()
    finally:
        emulator.stop()


def test_it_saves_its_state_and_ends_when_its_starter_is_killed(tmp_path: Path) -> None:
    port = free_port()
    starter = (
        "import pathlib, time; from infra.local.emulator import Emulator;"
        f"emulator = Emulator(pathlib.Path({str(tmp_path)!r}), {port}); emulator.start();"
        "emulator.client('ssm').put_parameter(Name='/kept', Type='String', Value='yes');"
        "print('started', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", starter]
    with subprocess.Popen(command, cwd=ROOT, env=tools.environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.kill()
    deadline = time.monotonic() + 15
    while not (tmp_path / "state" / "ssm.json").exists() or _listens(port):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _pid(emulator: Emulator) -> int:
    assert emulator._process is not None
    return emulator._process.pid


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0
