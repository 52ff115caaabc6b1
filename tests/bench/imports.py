"""How long a function takes to import, which is most of a cold start."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from typing import NamedTuple

from infra.local import tools
from infra.local.setup import ROOT
from tests.bench.report import table

GOAL = 1.5
ROUNDS = 11
BARE = "import boto3; boto3.client('dynamodb'); boto3.client('s3')"
FUNCTIONS = ("stores", "memories", "versions", "api_keys", "sessions", "bindings", "maintenance", "unrouted")


class Seconds(NamedTuple):
    """Of a whole process: of its processor, and on the wall."""

    processor: float
    wall: float


def imports() -> None:
    """Print the time of each function beside that of bare boto3 with the same two clients.

    The processes take turns, so that whatever else the machine does is shared; bytecode is warm, as in the package.
    """
    programs = {"bare boto3 with two clients": BARE, **{name: f"import {name}" for name in FUNCTIONS}}
    for program in programs.values():
        _run(program)
    rounds = [{name: _run(program) for name, program in programs.items()} for _ in range(ROUNDS)]
    bare = [one["bare boto3 with two clients"] for one in rounds]
    rows = []
    for name in programs:
        times = [one[name] for one in rounds]
        rows.append(
            [
                name,
                f"{statistics.median(time.processor for time in times) * 1000:.0f}",
                _ratio([time.processor for time in times], [time.processor for time in bare]),
                f"{statistics.median(time.wall for time in times) * 1000:.0f}",
                _ratio([time.wall for time in times], [time.wall for time in bare]),
            ]
        )
    print(table(["imported", "processor ms", "ratio", "wall ms", "ratio"], rows))
    print(f"\nThe goal is a ratio of at most {GOAL}.")


def _ratio(times: list[float], bare: list[float]) -> str:
    return f"{statistics.median(one / other for one, other in zip(times, bare, strict=True)):.2f}"


def _run(program: str) -> Seconds:
    environment = tools.environment(
        PYTHONPATH=str(ROOT / "functions"),
        TABLE_NAME="bench",
        BUCKET_NAME="bench",
        AGENT_ROLE_ARN="arn:aws:iam::123456789012:role/NoAgents",
        AWS_REGION="us-east-1",
        AWS_DEFAULT_REGION="us-east-1",
        AWS_ACCESS_KEY_ID="bench",
        AWS_SECRET_ACCESS_KEY="bench",
        POWERTOOLS_SERVICE_NAME="bench",
        POWERTOOLS_METRICS_NAMESPACE="Bench",
    )
    before, started = _processor_seconds(), time.perf_counter()
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    return Seconds(_processor_seconds() - before, time.perf_counter() - started)


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
