"""The real app, deployed by the CDK's own command line into an emulator."""

import hashlib
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from infra.local import tools
from infra.local.emulator import ACCOUNT, REGION, Emulator
from infra.local.setup import ROOT, LocalError

Progress = Callable[[str], None]

# The bucket that the CDK's own bootstrap would make: packages and templates are uploaded to it.
_ASSETS_BUCKET = f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"
_STEP = re.compile(r"✅ .*|\S+ \(\S+\): (?:deploying|creating CloudFormation changeset)\.\.\..*")
_IGNORED = {"__pycache__", "local"}  # `infra/local` deploys, it is not deployed
# From the most to the least telling: a resource, the CLI's own sentence, the app's setting or exception.
_REASONS = (r".*\| \w+_FAILED +\| (.+)", r"[‣❌] +(.+)", r"(Setting .+)", r"([\w.]+(?:Error|Exception): .+)")


def fingerprint(context: Mapping[str, str]) -> str:
    """A digest of everything that the deployment is made of: it changes when there is something to deploy."""
    names = ["app.py", "cdk.json", "package-lock.json", "requirements/functions.txt", "requirements/project.txt"]
    files = [ROOT / name for name in names]
    for folder in (ROOT / "functions", ROOT / "infra"):
        found = [path for path in folder.rglob("*") if path.is_file()]
        files += sorted(path for path in found if not _IGNORED.intersection(path.relative_to(ROOT).parts))
    digest = hashlib.sha256(f"{sys.version} {sorted(context.items())}".encode())
    for path in files:
        digest.update(f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def deploy(emulator: Emulator, context: Mapping[str, str], progress: Progress) -> None:
    """Synthesize and deploy all stacks, telling each step. Raises LocalError with the reason when that fails."""
    emulator.client("s3").create_bucket(Bucket=_ASSETS_BUCKET)
    log = emulator.folder / "deploy.log"
    lines = []
    with log.open("w", encoding="utf-8") as file, _cdk_deploy(emulator, context) as process:
        for line in process.stdout or ():
            file.write(line)
            if _STEP.fullmatch(line.strip()):
                progress(f"  {line.strip()}")
            lines.append(line.strip())
        process.wait()
    if process.returncode:
        emulator.check()
        raise LocalError(f"The deployment failed: {failure_reason(lines)} (all of it: {log})")


def failure_reason(lines: list[str]) -> str:
    """The most telling line of a failed deployment's output."""
    for pattern in _REASONS:
        for line in lines:
            if match := re.match(pattern, line):
                return match[1]
    return next(filter(None, reversed(lines)), "it said nothing")


def outputs(emulator: Emulator) -> dict[str, str]:
    """The outputs of all stacks, by name."""
    stacks = emulator.client("cloudformation").describe_stacks()["Stacks"]
    return {output["OutputKey"]: output["OutputValue"] for stack in stacks for output in stack.get("Outputs", [])}


def _cdk_deploy(emulator: Emulator, context: Mapping[str, str]) -> AbstractContextManager[subprocess.Popen[str]]:
    command = [str(tools.node_command("cdk")), "deploy", "--all", "--require-approval=never", "--progress=events"]
    command += ["--no-notices", "--ci", f"--output={emulator.folder / 'cdk.out'}"]  # --ci: on standard output
    for key, value in {**_machine(), **context}.items():
        command += ["--context", f"{key}={value}"]
    environment = emulator.environment() | {
        "CDK_DISABLE_CLI_TELEMETRY": "true",
        "NO_COLOR": "1",
        "TMPDIR": str(emulator.folder / "tmp"),
    }
    return tools.process_group(command, environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def _machine() -> dict[str, str]:
    """The context that makes the functions run here: under this machine's Python and processor."""
    return {
        "deploy_with_cli_credentials": "true",
        "lambda_architecture": "arm64" if platform.machine() in ("arm64", "aarch64") else "x86_64",
        "lambda_python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }
