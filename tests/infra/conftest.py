"""Two syntheses that all tests share: the defaults, and every setting that differs."""

import pytest

from tests.infra.assembly import Assembly

STORE = "memstore_0190c0ffee007000800000000000abcd"
CERTIFICATE = "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-000000000000"

# As the command line passes them: every value of `--context` is a string.
CHANGED = {
    "name": "trial",
    "retain_data": "false",
    "default_workspace_id": "",
    "max_memory_bytes": "2048",
    "max_memories_per_store": "7",
    "max_stores_per_workspace": "3",
    "max_attached_stores": "2",
    "bearer_lifetime_seconds": "60",
    "aws_lifetime_seconds": "900",
    "throttle_rate": "50",
    "throttle_burst": "60",
    "key_door_domain": f'{{"name": "api.example.com", "certificate_arn": "{CERTIFICATE}", "base_path": "keys"}}',
    "signed_door_domain": f'{{"name": "api.example.com", "certificate_arn": "{CERTIFICATE}", "base_path": "signed"}}',
    "store_policies": f'[{{"memory_store_id": "{STORE}", "access": "read_only"}},'
    f' {{"memory_store_id": "{STORE}", "access": "read_write"}}]',
    "log_retention_days": "7",
    "log_level": "DEBUG",
    "lambda_memory_mb": "512",
    "lambda_architecture": "x86_64",
    "lambda_python": "3.12",
    "deploy_with_cli_credentials": "true",
}


@pytest.fixture(scope="session")
def default(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """The app with the settings of cdk.json."""
    return Assembly.of(tmp_path_factory.mktemp("default"), {})


@pytest.fixture(scope="session")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """The app with every setting changed, as a throw-away deployment on a domain of its own."""
    return Assembly.of(tmp_path_factory.mktemp("changed"), CHANGED)
