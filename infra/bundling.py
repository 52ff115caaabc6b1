"""Builds the functions' package without Docker: sources, pinned dependencies and, where possible, bytecode."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsii
from aws_cdk import AssetHashType, BundlingOptions, DockerImage, ILocalBundling
from aws_cdk import aws_lambda as lambda_

from infra import FUNCTIONS, PROJECT
from infra.settings import Settings

REQUIREMENTS = PROJECT / "requirements" / "functions.txt"
_PLATFORMS = {"arm64": "aarch64-manylinux2014", "x86_64": "x86_64-manylinux2014"}

# botocore carries the models of every AWS service; the functions use these, and botocore itself the plain files.
_SERVICES = ("dynamodb", "s3", "sts")


class BundlingError(RuntimeError):
    """The package could not be built. The message says why."""


def bundled(settings: Settings) -> lambda_.Code:
    """The package that all functions share. Its hash changes only with its inputs: an unchanged one is built once."""
    python = runtime_python(settings.lambda_python)
    return lambda_.Code.from_asset(
        str(FUNCTIONS),
        asset_hash_type=AssetHashType.CUSTOM,
        asset_hash=fingerprint(settings, precompiled=python is not None),
        bundling=BundlingOptions(
            image=DockerImage.from_registry("unused"),  # the type asks for one; the local bundling never fails softly
            local=Package(settings, python),
        ),
    )


@jsii.implements(ILocalBundling)
class Package:
    """Bundles on this machine, for the processor and Python version of the runtime."""

    def __init__(self, settings: Settings, python: str | None) -> None:
        self._settings = settings
        self._python = python

    def try_bundle(self, output_dir: str, *_options: Any, **_named_options: Any) -> bool:
        """Fill `output_dir`. Raises BundlingError."""
        build(Path(output_dir), self._settings, self._python)
        return True


def build(target: Path, settings: Settings, python: str | None) -> None:
    """Fill the folder with the package; `python` of the runtime's version precompiles it. Raises BundlingError."""
    _install(target, settings)
    _trim(target)
    shutil.copytree(FUNCTIONS, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    if python is None:
        print(
            f"No Python {settings.lambda_python} on this machine: the functions are deployed without bytecode, "
            "which makes their cold start slower.",
            file=sys.stderr,
        )
        return
    # Bytecode that trusts its source: deployment resets file times, which would make time-stamped bytecode stale.
    _run(
        "compiling the functions",
        [
            *(python, "-m", "compileall", "-q", "-j", "0", "--invalidation-mode", "unchecked-hash"),
            *("-s", str(target), "-p", "/var/task", str(target)),
        ],
    )


def runtime_python(version: str) -> str | None:
    """An interpreter of that version on this machine, if there is one that runs."""
    for name in (sys.executable, f"python{version}"):
        path = shutil.which(name)
        probe = [path or "", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        if path and subprocess.run(probe, capture_output=True, text=True, check=False).stdout.strip() == version:
            return path
    return None


def _install(target: Path, settings: Settings) -> None:
    command = [
        *(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--target", str(target)),
        *("--requirement", str(REQUIREMENTS), "--require-hashes", "--only-binary", ":all:", "--link-mode", "copy"),
        *("--python-platform", _PLATFORMS[settings.lambda_architecture]),
        *("--python-version", settings.lambda_python),
    ]
    # What setting up this machine downloaded is usually enough: then synthesis needs no network.
    if subprocess.run([*command, "--offline"], capture_output=True, check=False).returncode:
        _run("installing the functions' dependencies", command)


def _trim(target: Path) -> None:
    """Drop what no function loads: most of the package's size is models of services that are never called."""
    shutil.rmtree(target / "bin", ignore_errors=True)
    for data in (target / "botocore" / "data", target / "boto3" / "data"):
        for folder in data.iterdir():
            if folder.is_dir() and folder.name not in _SERVICES:
                shutil.rmtree(folder)


def fingerprint(settings: Settings, *, precompiled: bool) -> str:
    """A digest of everything that the package is made of, in hexadecimal."""
    digest = hashlib.sha256(f"{settings.lambda_architecture} {settings.lambda_python} {precompiled}".encode())
    sources = sorted(path for path in FUNCTIONS.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    for path in (Path(__file__), REQUIREMENTS, *sources):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(PROJECT)} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _run(doing: str, arguments: list[str]) -> None:
    result = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if result.returncode:
        raise BundlingError(f"{doing} failed: {result.stderr.strip() or result.stdout.strip()}")
