"""`make test`: everything that proves the project, stage by stage; the first failure ends it."""

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from infra.local import tools
from infra.local.deployment import SHARED, deployment
from infra.local.setup import LocalError

PYTEST = ["pytest", "--quiet"]


def in_parallel(processes: int) -> list[str]:
    """Tests in so many processes: more than there are processors where they wait, for pauses or for the emulator."""
    return [*PYTEST, f"--numprocesses={processes}"]


# A stage over its budget says so; one that takes this many times as long has got stuck, and is ended.
PATIENCE = 3


class Stage(NamedTuple):
    """Commands that share a budget, in seconds on two cores, and where `deployed` one deployment on an emulator."""

    name: str
    budget: int
    commands: list[list[str]]
    deployed: bool = False


STAGES = (
    Stage("lint", 10, [["ruff", "check"], ["ruff", "format", "--check"]]),
    Stage("types", 80, [["mypy"]]),
    Stage("unit", 30, [[*in_parallel(2), "tests/unit"]]),
    Stage("contract", 360, [[*in_parallel(4), "tests/contract", "--backend=moto"]]),
    Stage("infra", 80, [[*PYTEST, "tests/infra"]]),
    Stage(
        "deployed",
        340,
        [[*in_parallel(3), "tests/contract", "--backend=ministack"], [*PYTEST, "tests/e2e"]],
        deployed=True,
    ),
)


class StageError(Exception):
    """A stage failed. The message is one sentence."""


def main(names: list[str]) -> int:
    """Run the named stages, or all. Answers 1, after one sentence on stderr, at the first one that fails."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that nothing is left running
    try:
        stages = choose(names)
        for stage in stages:
            print(f"== {stage.name}", flush=True)
            print(f"== {stage.name}: {run(stage)}\n", flush=True)
    except (StageError, LocalError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def choose(names: list[str]) -> list[Stage]:
    """The named stages in their order, or all. Raises StageError for an unknown name."""
    known = [stage.name for stage in STAGES]
    if unknown := set(names).difference(known):
        raise StageError(f"No such stage: {', '.join(sorted(unknown))} (there are {', '.join(known)}).")
    return [stage for stage in STAGES if stage.name in names or not names]


def run(stage: Stage) -> str:
    """How long the stage took, in words. Raises StageError when a command fails or the stage has got stuck."""
    started = time.monotonic()
    deadline = started + PATIENCE * stage.budget
    with _variables(stage) as variables:
        for command in stage.commands:
            with tools.process_group(command, tools.environment(**variables)) as process:
                try:
                    status = process.wait(deadline - time.monotonic())
                except subprocess.TimeoutExpired:
                    raise StageError(f"Stage {stage.name} is stuck: it took {deadline - started:.0f} s.") from None
            if status:
                raise StageError(f"Stage {stage.name} failed: `{' '.join(command)}` ended with {status}.")
    taken = time.monotonic() - started
    return f"{taken:.0f} s of {stage.budget} s{', OVER ITS BUDGET' if taken > stage.budget else ''}"


@contextmanager
def _variables(stage: Stage) -> Iterator[dict[str, str]]:
    if not stage.deployed:
        yield {}
        return
    with tempfile.TemporaryDirectory() as folder, deployment(Path(folder), progress=_print) as (deployed, _):
        yield {SHARED: deployed.to_json()}


def _print(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
