"""The settings: read from context or from the command line's strings, refused with the name of the key."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from infra import PROJECT
from infra.settings import Domain, Settings, SettingsError, StorePolicy, default_context
from tests.infra.assembly import run_app
from tests.infra.conftest import CERTIFICATE, CHANGED, STORE

DEFAULTS = default_context(PROJECT / "cdk.json")
DOMAIN = {"name": "api.example.com", "certificate_arn": CERTIFICATE}


def read(**changes: Any) -> Settings:
    return Settings.from_context({**DEFAULTS, **changes})


def test_defaults() -> None:
    assert read() == Settings(
        name="memory-stores",
        retain_data=True,
        default_workspace_id="wrkspc_default",
        max_memory_bytes=102_400,
        max_memories_per_store=10_000,
        max_stores_per_workspace=1_000,
        max_attached_stores=8,
        bearer_lifetime_seconds=3_600,
        aws_lifetime_seconds=3_600,
        throttle_rate=1_000,
        throttle_burst=2_000,
        key_door_domain=None,
        signed_door_domain=None,
        store_policies=(),
        log_retention_days=90,
        log_level="INFO",
        lambda_memory_mb=1_024,
        lambda_architecture="arm64",
        lambda_python="3.13",
        deploy_with_cli_credentials=False,
    )


def test_every_setting_has_its_default_in_cdk_json() -> None:
    written = {key for key in json.loads((PROJECT / "cdk.json").read_text())["context"] if not key.startswith("@")}
    assert written == {field.name for field in dataclasses.fields(Settings)}


def test_the_command_line_passes_strings() -> None:
    assert CHANGED.keys() == {field.name for field in dataclasses.fields(Settings)}
    settings = read(**CHANGED)
    assert settings.retain_data is False
    assert settings.max_memory_bytes == 2048
    assert settings.key_door_domain == Domain("api.example.com", CERTIFICATE, "keys")
    assert settings.store_policies == (StorePolicy(STORE, "read_only"), StorePolicy(STORE, "read_write"))


def test_the_cdks_own_context_is_left_alone() -> None:
    kept = {
        "@aws-cdk/core:newStyleStackSynthesis": True,
        "aws:cdk:bundling-stacks": [],
        "acknowledged-issue-numbers": [],
    }
    assert read(**kept) == read()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", ""),
        ("name", "memory stores"),
        ("name", "1st"),
        ("retain_data", "no"),
        ("retain_data", "1"),
        ("retain_data", None),
        ("default_workspace_id", "a#b"),
        ("default_workspace_id", "a/b"),
        ("default_workspace_id", None),
        ("max_memory_bytes", 0),
        ("max_memory_bytes", 800_001),
        ("max_memory_bytes", "100KB"),
        ("max_memory_bytes", True),
        ("max_memory_bytes", 1.5),
        ("max_memories_per_store", -1),
        ("max_stores_per_workspace", "many"),
        ("max_attached_stores", 0),
        ("max_attached_stores", 9),
        ("bearer_lifetime_seconds", 59),
        ("bearer_lifetime_seconds", 86_401),
        ("aws_lifetime_seconds", 899),
        ("aws_lifetime_seconds", 3_601),
        ("throttle_rate", 0),
        ("throttle_burst", "0"),
        ("key_door_domain", "api.example.com"),
        ("key_door_domain", {"name": "api.example.com"}),
        ("key_door_domain", {**DOMAIN, "stage": "x"}),
        ("key_door_domain", {**DOMAIN, "name": "https://api.example.com"}),
        ("key_door_domain", {**DOMAIN, "certificate_arn": "arn:aws:iam::1:server-certificate/x"}),
        ("signed_door_domain", {**DOMAIN, "base_path": "/signed"}),
        ("store_policies", STORE),
        ("store_policies", [STORE]),
        ("store_policies", [{"memory_store_id": STORE, "access": "admin"}]),
        ("store_policies", [{"memory_store_id": "*", "access": "read_only"}]),
        ("store_policies", [{"memory_store_id": STORE, "access": "read_only"}] * 2),
        ("log_retention_days", 8),
        ("log_level", "TRACE"),
        ("lambda_memory_mb", 64),
        ("lambda_architecture", "arm"),
        ("lambda_python", "3.10"),
        ("lambda_python", 3.13),
        ("deploy_with_cli_credentials", "maybe"),
    ],
)
def test_a_bad_value_is_refused_by_the_name_of_its_key(key: str, value: object) -> None:
    with pytest.raises(SettingsError, match=rf"^{key}\b"):
        read(**{key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("max_attached_stores", 1),
        ("bearer_lifetime_seconds", 60),
        ("bearer_lifetime_seconds", 86_400),
        ("aws_lifetime_seconds", 900),
    ],
)
def test_a_bound_itself_can_be_set(key: str, value: int) -> None:
    assert getattr(read(**{key: value}), key) == value


@pytest.mark.parametrize("key", ["retain_dat", "retain-data"])
def test_an_unknown_key_is_refused(key: str) -> None:
    with pytest.raises(SettingsError, match=rf"^{key}: no such setting"):
        read(**{key: "false"})


def test_doors_on_one_domain_need_paths_and_one_certificate() -> None:
    with pytest.raises(SettingsError, match=r"^signed_door_domain: .*base_path"):
        read(key_door_domain=DOMAIN, signed_door_domain=DOMAIN)
    other = {**DOMAIN, "base_path": "signed", "certificate_arn": CERTIFICATE[:-1] + "1"}
    with pytest.raises(SettingsError, match=r"^signed_door_domain: .*certificate_arn"):
        read(key_door_domain=DOMAIN, signed_door_domain=other)
    settings = read(key_door_domain=DOMAIN, signed_door_domain={**DOMAIN, "name": "signed.example.com"})
    assert settings.signed_door_domain == Domain("signed.example.com", CERTIFICATE, "")


def test_the_app_ends_with_one_sentence(tmp_path: Path) -> None:
    result = run_app(tmp_path, {"max_memory_bytes": "1e9"})
    assert result.returncode == 1
    assert result.stderr == ("Setting max_memory_bytes: must be a whole number from 1 to 800000, not '1e9'\n")
    assert list(tmp_path.iterdir()) == []
