"""`make run`: the whole product on this machine, in the foreground, with its data kept in `.local/`."""

import fcntl
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from infra.local.deployment import Deployment, deployment
from infra.local.setup import ROOT, LocalError

FOLDER = ROOT / ".local"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(port: str = "4566", folder: str = str(FOLDER)) -> int:
    """Run until interrupted: 0 when that stopped a running one, 130 when it was still starting, 1 when it fails."""
    data = Path(folder)
    file = data / "connection.json"
    ready = False
    try:
        with (
            alone(data),
            deployment(data, parse_port(port), progress=_Progress()) as (running, emulator),
            connection_file(file, running),
        ):
            ready = True
            print(summary(running, file), flush=True)
            emulator.wait()
    except LocalError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"Stopped; the data stays in {data.name}/.", flush=True)
    return 0 if ready else 130


def parse_port(text: str) -> int:
    """Raises LocalError when it is not a port."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
        raise LocalError(f"PORT={text} is not a port: choose a number from 1024 to 65535.")
    return int(text)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the folder, and clean up after a run that could not. Raises LocalError when another run holds it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LocalError(f"It is running already, with its data in {folder}: stop that one first.") from None
        (folder / "connection.json").unlink(missing_ok=True)
        yield


@contextmanager
def connection_file(file: Path, running: Deployment) -> Iterator[None]:
    """The file that tells clients how to connect, readable by its owner only and there as long as the API answers."""
    draft = file.with_suffix(".new")
    draft.unlink(missing_ok=True)
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:  # noqa: PTH123 - takes a mode
        json.dump(running.connection(), opened, indent=2)
    draft.rename(file)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def summary(running: Deployment, file: Path) -> str:
    """What a user needs to make the first call."""
    return f"""
Ready. Ctrl-C stops it; the data stays in {file.parent.name}/.

  Key door      {running.key_door}
  Signed door   {running.signed_door}
  API key       {running.api_key}
  Table         {running.table_name}
  Connection    {file.parent.name}/{file.name} (with AWS credentials for the signed door)

  curl -H 'Authorization: Bearer {running.api_key}' {running.key_door}/v1/memory_stores
"""


class _Progress:
    """Prints each step with the seconds since the start."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def __call__(self, line: str) -> None:
        print(f"{time.monotonic() - self._start:6.1f} s  {line}", flush=True)


def _interrupt(number: int, frame: FrameType | None) -> None:
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)  # the first one counts: nothing interrupts the orderly stop
    raise KeyboardInterrupt


if __name__ == "__main__":
    for signal_number in SIGNALS:
        signal.signal(signal_number, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr] # a terminal may not know every character
    sys.exit(main(*sys.argv[1:]))
