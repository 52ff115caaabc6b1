"""Runs inside MiniStack's environment: the emulator, which ends when the process that started it does."""

import hashlib
import importlib
import os
import signal
import sys
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any


def stop_with_parent() -> None:
    """Ask the emulator to save its state and stop once the other end of standard input is gone, for whatever reason."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


def over_tls(app: Any) -> Any:
    """The emulator's ASGI app, which takes loopback for TLS: the bucket's policy refuses anything else."""

    async def answer(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await app({**scope, "scheme": "https"}, receive, send)

    return answer


class SharedPackage(zipfile.ZipFile):
    """A function's package that is extracted once; each further worker gets a link, which makes its start cheap."""

    _lock = threading.Lock()

    def extractall(self, path: Any = None, members: Any = None, pwd: bytes | None = None) -> None:
        """Make the empty folder `path` a link to the extracted package."""
        package = Path(str(self.filename))
        shared = package.parent.parent / f"package-{hashlib.sha256(package.read_bytes()).hexdigest()}"
        with self._lock:
            if not shared.exists():
                super().extractall(shared, members, pwd)
        Path(path).rmdir()
        Path(path).symlink_to(shared)


if __name__ == "__main__":
    threading.Thread(target=stop_with_parent, daemon=True).start()
    try:
        workers: Any = importlib.import_module("ministack.core.lambda_runtime")
        workers.zipfile = SimpleNamespace(**{**vars(zipfile), "ZipFile": SharedPackage})
        ministack: Any = importlib.import_module("ministack.app")
        ministack.app = over_tls(ministack.app)
        ministack.main()
    finally:
        sys.stderr.flush()
        os.killpg(0, signal.SIGKILL)  # what still runs a function, and this process: it leads its own group
