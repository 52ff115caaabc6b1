"""Where the project's tools are, and the environment that they run in."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from infra.local.setup import NODE_MODULES, PROJECT, ROOT, LocalError, node_folder


def python(environment: Path) -> Path:
    """The interpreter of one of the project's environments. Raises LocalError when it is not there."""
    return _existing(environment / "bin" / "python")


def node_command(name: str) -> Path:
    """A command that package.json brings: `cdk`, `redocly`. Raises LocalError when it is not there."""
    return _existing(NODE_MODULES / ".bin" / name)


def environment(**variables: str) -> dict[str, str]:
    """This process's environment with the project's Python and Node first on PATH and nobody's AWS settings.

    Loopback is never sent through a proxy. `variables` are added last. Raises LocalError when Node is not there.
    """
    dropped = ("AWS_", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")  # without bytecode, imports take twice the time
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    path = [str(PROJECT / "bin"), str(node_folder()), kept.get("PATH", os.defpath)]
    no_proxy = ",".join(filter(None, [kept.get("NO_PROXY") or kept.get("no_proxy"), "127.0.0.1", "localhost"]))
    own = {"PATH": os.pathsep.join(path), "JSII_NODE": str(node_folder() / "node")}
    return {**kept, **own, "NO_PROXY": no_proxy, "no_proxy": no_proxy, **variables}


@contextmanager
def process_group(
    command: list[str], environment: dict[str, str], stdout: int | None = None, stderr: int | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A command in the project's folder that is ended, with everything that it started, when the context is left."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        cwd=ROOT,
        env=environment,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with process:  # closes its pipes and waits for its end
            pass


def _existing(file: Path) -> Path:
    if not file.exists():
        raise LocalError(f"{file.name} is missing ({file.relative_to(ROOT)}): run `make setup`.")
    return file
