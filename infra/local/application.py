"""The real app, deployed by the CDK's own command line into an emulator."""

import hashlib
import os
import platform
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from infra.local import tools
from infra.local.emulator import ACCOUNT, REGION, Emulator
from infra.local.setup import ROOT, LocalError

Progress = Callable[[str], None]

# The bucket that the CDK's own bootstrap would make: packages and templates are uploaded to it.
_ASSETS_BUCKET = f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"
_STEP = re.compile(r"✅ .*|\S+ \(\S+\): (?:deploying|creating CloudFormation changeset)\.\.\..*")
_REASON = re.compile(r"_FAILED|❌|^Setting |\w*Error\b|\berror:")


def fingerprint(context: Mapping[str, str]) -> str:
    """A digest of everything that the deployment is made of: it changes when there is something to deploy."""
    local = Path(__file__).parent
    folders = [path for name in ("functions", "infra") for path in sorted((ROOT / name).rglob("*.py"))]
    names = ["app.py", "cdk.json", "package-lock.json", "requirements/functions.txt", "requirements/project.txt"]
    digest = hashlib.sha256(f"{sys.version} {sorted(context.items())}".encode())
    for path in [ROOT / name for name in names] + [path for path in folders if local not in path.parents]:
        digest.update(f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def deploy(emulator: Emulator, context: Mapping[str, str], progress: Progress) -> None:
    """Synthesize and deploy all stacks, telling each step. Raises LocalError with the reason when that fails."""
    emulator.client("s3").create_bucket(Bucket=_ASSETS_BUCKET)
    log = emulator.folder / "deploy.log"
    reasons = []
    with log.open("w") as file, _cdk_deploy(emulator, context) as process:
        for line in process.stdout or ():
            file.write(line)
            if _STEP.fullmatch(line.strip()):
                progress(f"  {line.strip()}")
            if _REASON.search(line):
                reasons.append(line.strip())
    if process.returncode:
        emulator.check()
        raise LocalError(f"The deployment failed: {reasons[0] if reasons else 'no reason given'} (all of it: {log})")


def outputs(emulator: Emulator) -> dict[str, str]:
    """The outputs of all stacks, by name."""
    stacks = emulator.client("cloudformation").describe_stacks()["Stacks"]
    return {output["OutputKey"]: output["OutputValue"] for stack in stacks for output in stack.get("Outputs", [])}


@contextmanager
def _cdk_deploy(emulator: Emulator, context: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    command = [str(tools.node_command("cdk")), "deploy", "--all", "--require-approval=never", "--progress=events"]
    command += ["--no-notices", "--ci", f"--output={emulator.folder / 'cdk.out'}"]  # --ci: on standard output
    for key, value in {**_machine(), **context}.items():
        command += ["--context", f"{key}={value}"]
    environment = emulator.environment() | {"CDK_DISABLE_CLI_TELEMETRY": "true", "NO_COLOR": "1"}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
        env=environment,
        text=True,
        start_new_session=True,  # a group of its own, so that it can be ended with everything that it started
    )
    try:
        yield process
        process.wait()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _machine() -> dict[str, str]:
    """The context that makes the functions run here: under this machine's Python and processor."""
    return {
        "deploy_with_cli_credentials": "true",
        "lambda_architecture": "arm64" if platform.machine() in ("arm64", "aarch64") else "x86_64",
        "lambda_python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }
