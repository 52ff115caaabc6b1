"""The functions' package: built for real, imported by an interpreter that sees nothing else."""

import importlib.util
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from memory_stores.routes import ROUTES

from infra import PROJECT, bundling
from infra.bundling import BundlingError
from infra.settings import Settings, default_context

DEFAULTS = Settings.from_context(default_context(PROJECT / "cdk.json"))
HOST_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
MODULES = sorted({route.function for route in ROUTES} | {"unrouted", "maintenance"})

ENVIRONMENT = {
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "TABLE_NAME": "table",
    "BUCKET_NAME": "bucket",
    "AGENT_ROLE_ARN": "arn:aws:iam::123456789012:role/Agents",
    "DEFAULT_WORKSPACE_ID": "wrkspc_default",
    "MAX_MEMORY_BYTES": "102400",
    "MAX_MEMORIES_PER_STORE": "10000",
    "MAX_STORES_PER_WORKSPACE": "1000",
    "MAX_ATTACHED_STORES": "8",
    "BEARER_LIFETIME_SECONDS": "3600",
    "AWS_LIFETIME_SECONDS": "3600",
    "POWERTOOLS_SERVICE_NAME": "memory-stores",
    "POWERTOOLS_METRICS_NAMESPACE": "MemoryStores",
    "POWERTOOLS_LOG_LEVEL": "INFO",
}

# Prints where the handler's module and boto3 came from, after making a client of each service.
IMPORT = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
module = importlib.import_module(sys.argv[2])
import aws_lambda_powertools, boto3
for service in ("dynamodb", "s3", "sts"):
    boto3.client(service)
assert callable(module.handler)
print(json.dumps([module.__file__, boto3.__file__, aws_lambda_powertools.__file__]))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package for this machine's Python version, precompiled."""
    target = tmp_path_factory.mktemp("package")
    bundling.build(target, replace(DEFAULTS, lambda_python=HOST_PYTHON), sys.executable)
    return target


@pytest.mark.parametrize("module", MODULES)
def test_a_handler_imports_from_the_package_alone(package: Path, module: str) -> None:
    command = [sys.executable, "-I", "-S", "-B", "-c", IMPORT, str(package), module]
    result = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    files = json.loads(result.stdout.splitlines()[-1])
    assert [Path(file).is_relative_to(package) for file in files] == [True, True, True]


def test_the_package_is_the_same_for_every_processor(package: Path) -> None:
    assert [path.name for path in package.rglob("*.so")] == []


def test_every_module_has_bytecode_that_trusts_its_source(package: Path) -> None:
    for source in (*package.glob("memory_stores/**/*.py"), package / "boto3" / "__init__.py"):
        compiled = Path(importlib.util.cache_from_source(str(source))).read_bytes()
        assert int.from_bytes(compiled[4:8], "little") == 0b01, f"{source} is not checked by hash, or checked at all"
        assert str(package).encode() not in compiled
        assert b"/var/task/" in compiled


def test_a_second_package_needs_no_network(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert package.exists()  # has filled the cache, if setting up the machine had not
    monkeypatch.setenv("UV_OFFLINE", "1")
    bundling.build(tmp_path, DEFAULTS, None)
    assert {"boto3", "botocore", "aws_lambda_powertools"} <= {path.name for path in tmp_path.iterdir()}


def test_models_of_other_services_are_left_out(package: Path) -> None:
    models = {path.name for path in (package / "botocore" / "data").iterdir() if path.is_dir()}
    assert models == {"dynamodb", "s3", "sts"}
    files = {path.name for path in (package / "botocore" / "data").iterdir() if path.is_file()}
    assert {"endpoints.json", "partitions.json", "sdk-default-configuration.json", "_retry.json"} <= files


def test_a_host_without_the_runtimes_python_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundling.build(tmp_path, DEFAULTS, None)
    assert "No Python 3.13 on this machine" in capsys.readouterr().err
    assert list(tmp_path.rglob("*.pyc")) == []
    assert (tmp_path / "memory_stores" / "routes.py").exists()


def test_the_runtimes_python_is_found_only_where_it_runs() -> None:
    assert bundling.runtime_python(HOST_PYTHON) == sys.executable
    assert bundling.runtime_python("3.99") is None


def test_a_failed_installation_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requirements = tmp_path / "functions.txt"
    requirements.write_text("boto3==1.44.8 --hash=sha256:" + 64 * "0")
    monkeypatch.setattr(bundling, "REQUIREMENTS", requirements)
    with pytest.raises(BundlingError, match="(?si)installing the functions' dependencies failed: .*hash"):
        bundling.build(tmp_path / "package", DEFAULTS, None)


def test_the_packages_name_changes_with_its_inputs_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    functions, requirements = tmp_path / "functions", tmp_path / "functions.txt"
    (functions / "__pycache__").mkdir(parents=True)
    (functions / "stores.py").write_text("1")
    requirements.write_text("boto3")
    monkeypatch.setattr(bundling, "PROJECT", Path("/"))
    monkeypatch.setattr(bundling, "FUNCTIONS", functions)
    monkeypatch.setattr(bundling, "REQUIREMENTS", requirements)

    def name(settings: Settings = DEFAULTS, precompiled: bool = True) -> str:
        return bundling.fingerprint(settings, precompiled=precompiled)

    first = name()
    (functions / "__pycache__" / "stores.pyc").write_text("1")
    assert name(replace(DEFAULTS, log_level="DEBUG", lambda_memory_mb=512)) == first
    names = {first, name(precompiled=False), name(replace(DEFAULTS, lambda_architecture="x86_64"))}
    names.add(name(replace(DEFAULTS, lambda_python="3.12")))
    (functions / "stores.py").write_text("2")
    names.add(name())
    requirements.write_text("boto3 ")
    names.add(name())
    assert len(names) == 6
