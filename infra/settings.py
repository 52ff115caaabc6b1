"""The deploy-time settings: context keys, whose defaults are in `cdk.json`, checked before anything is built."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

LOG_RETENTION_DAYS = (1, 3, 7, 14, 30, 90, 180, 365, 731, 1827, 3653)
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
PYTHON_VERSIONS = ("3.11", "3.12", "3.13", "3.14")
ARCHITECTURES = ("arm64", "x86_64")
ACCESSES = ("read_only", "read_write")


class SettingsError(ValueError):
    """A context key is missing, unknown or has a value that cannot be deployed. The message names the key."""


@dataclass(frozen=True)
class Domain:
    """A custom domain of one door. An empty `base_path` maps the door to the root of the domain."""

    name: str
    certificate_arn: str
    base_path: str


@dataclass(frozen=True)
class StorePolicy:
    """A managed policy that opens one store on the signed door, `read_only` or `read_write`."""

    memory_store_id: str
    access: str


@dataclass(frozen=True)
class Settings:
    """Every deploy-time setting. Each field is the context key of the same name."""

    name: str
    """Prefix of the stacks' names: 1-64 letters, digits and hyphens."""
    retain_data: bool
    """Keep table, bucket and logs when the stacks go, and protect the table from deletion. False: throw-away."""
    default_workspace_id: str
    """Workspace of IAM callers without a stored mapping. Empty: such callers are refused."""
    max_memory_bytes: int
    """Largest content of a memory, in bytes of UTF-8."""
    max_memories_per_store: int
    """Most living memories in one store."""
    max_stores_per_workspace: int
    """Most stores in one workspace."""
    max_attached_stores: int
    """Most stores that one session, deployment or bot reaches."""
    bearer_lifetime_seconds: int
    """Lifetime of a session's bearer tokens, in seconds."""
    aws_lifetime_seconds: int
    """Lifetime of a session's temporary AWS credentials, in seconds."""
    throttle_rate: int
    """Steady requests a second that each door lets through."""
    throttle_burst: int
    """Requests that each door lets through at once."""
    key_door_domain: Domain | None
    """Custom domain of the key door: `{"name", "certificate_arn", "base_path"}`, or null."""
    signed_door_domain: Domain | None
    """Custom domain of the signed door. Both doors may share a domain under different base paths."""
    store_policies: tuple[StorePolicy, ...]
    """Managed policies for single stores: a list of `{"memory_store_id", "access"}`."""
    log_retention_days: int
    """Days that function and access logs are kept."""
    log_level: str
    """Lowest level that the functions log."""
    lambda_memory_mb: int
    """Memory of each function, in MiB; its processor share grows with it."""
    lambda_architecture: str
    """Processor of the functions: `arm64` or `x86_64`."""
    lambda_python: str
    """Python version of the functions' runtime."""
    deploy_with_cli_credentials: bool
    """Deploy with the credentials of the CDK CLI instead of the bootstrap roles, as emulators need it."""

    @classmethod
    def from_context(cls, context: Mapping[str, Any]) -> "Settings":
        """Read the settings out of the app's context. Raises SettingsError, which names the key."""
        known = {field.name for field in fields(cls)}
        for key in context.keys() - known:
            # The CDK keeps keys of its own here, such as `@aws-cdk/…` or `cli-telemetry`.
            if re.fullmatch("[a-z0-9_]+", key) or key.replace("-", "_") in known:
                raise SettingsError(f"{key}: no such setting (known: {', '.join(sorted(known))})")
        context = {**dict.fromkeys(known), **context}  # the CDK's engine leaves out what is null
        settings = cls(
            name=_text(context, "name", r"[A-Za-z][A-Za-z0-9-]{0,63}", "1-64 letters, digits and hyphens"),
            retain_data=_flag(context, "retain_data"),
            default_workspace_id=_text(
                context, "default_workspace_id", r"[A-Za-z0-9_-]{0,64}", "at most 64 letters, digits, '_' and '-'"
            ),
            # An escaped control character takes 7 bytes in the event, and the event must stay below Lambda's 6 MB.
            max_memory_bytes=_whole(context, "max_memory_bytes", 1, 800_000),
            max_memories_per_store=_whole(context, "max_memories_per_store", 1, 1_000_000),
            max_stores_per_workspace=_whole(context, "max_stores_per_workspace", 1, 1_000_000),
            # More would not fit into the 2,048 characters of the policy that narrows AWS credentials.
            max_attached_stores=_whole(context, "max_attached_stores", 1, 8),
            bearer_lifetime_seconds=_whole(context, "bearer_lifetime_seconds", 60, 86_400),
            # STS gives no less than 15 minutes, and no more than an hour to a role that another role assumes.
            aws_lifetime_seconds=_whole(context, "aws_lifetime_seconds", 900, 3_600),
            throttle_rate=_whole(context, "throttle_rate", 1, 1_000_000),
            throttle_burst=_whole(context, "throttle_burst", 1, 1_000_000),
            key_door_domain=_domain(context, "key_door_domain"),
            signed_door_domain=_domain(context, "signed_door_domain"),
            store_policies=_store_policies(context, "store_policies"),
            log_retention_days=_whole(context, "log_retention_days", 1, 3653),
            log_level=_choice(context, "log_level", LOG_LEVELS),
            lambda_memory_mb=_whole(context, "lambda_memory_mb", 128, 10_240),
            lambda_architecture=_choice(context, "lambda_architecture", ARCHITECTURES),
            lambda_python=_choice(context, "lambda_python", PYTHON_VERSIONS),
            deploy_with_cli_credentials=_flag(context, "deploy_with_cli_credentials"),
        )
        settings._check_together()
        return settings

    def _check_together(self) -> None:
        if self.log_retention_days not in LOG_RETENTION_DAYS:
            raise SettingsError(f"log_retention_days: must be one of {', '.join(map(str, LOG_RETENTION_DAYS))}")
        key, signed = self.key_door_domain, self.signed_door_domain
        if key and signed and key.name == signed.name:
            if key.certificate_arn != signed.certificate_arn:
                raise SettingsError("signed_door_domain: a domain shared by both doors has one certificate_arn")
            if key.base_path == signed.base_path:
                raise SettingsError("signed_door_domain: doors that share a domain need different base_path values")


def default_context(file: Path) -> dict[str, Any]:
    """The context of `cdk.json`, for a synthesis that the CDK CLI did not start."""
    context: dict[str, Any] = json.loads(file.read_text())["context"]
    return context


def _text(context: Mapping[str, Any], key: str, pattern: str, rule: str) -> str:
    value = context[key]
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        raise SettingsError(f"{key}: must be {rule}, not {value!r}")
    return value


def _flag(context: Mapping[str, Any], key: str) -> bool:
    value = _structure(context, key)
    if not isinstance(value, bool):
        raise SettingsError(f"{key}: must be true or false, not {context[key]!r}")
    return value


def _whole(context: Mapping[str, Any], key: str, low: int, high: int) -> int:
    value = _structure(context, key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # numbers come back from the CDK's engine as floats
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise SettingsError(f"{key}: must be a whole number from {low} to {high}, not {context[key]!r}")
    return value


def _choice(context: Mapping[str, Any], key: str, choices: tuple[str, ...]) -> str:
    value = context[key]
    if value not in choices:
        raise SettingsError(f"{key}: must be one of {', '.join(choices)}, not {value!r}")
    return str(value)


def _structure(context: Mapping[str, Any], key: str) -> Any:
    """A value as JSON: `--context key=value` on the command line always arrives as a string."""
    value = context[key]
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise SettingsError(f"{key}: cannot be read as JSON: {value!r}") from None


def _domain(context: Mapping[str, Any], key: str) -> Domain | None:
    value = _structure(context, key)
    if value is None:
        return None
    if not isinstance(value, dict) or value.keys() - {"base_path"} != {"name", "certificate_arn"}:
        raise SettingsError(f"{key}: must be null or an object with name, certificate_arn and, if wanted, base_path")
    part = {"base_path": "", **value}
    try:
        return Domain(
            name=_text(part, "name", r"(?=.{4,253}$)([a-z0-9*]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}", "a domain name"),
            certificate_arn=_text(part, "certificate_arn", r"arn:[a-z-]+:acm:[^ ]+", "the ARN of a certificate of ACM"),
            base_path=_text(part, "base_path", r"([\w.~-]+(/[\w.~-]+)*)?", "path segments without a leading '/'"),
        )
    except SettingsError as error:
        raise SettingsError(f"{key}.{error}") from None


def _store_policies(context: Mapping[str, Any], key: str) -> tuple[StorePolicy, ...]:
    value = _structure(context, key)
    if not isinstance(value, list):
        raise SettingsError(f"{key}: must be a list of objects with memory_store_id and access, not {value!r}")
    policies = []
    for position, part in enumerate(value):
        if not isinstance(part, dict) or part.keys() != {"memory_store_id", "access"}:
            raise SettingsError(f"{key}[{position}]: must be an object with memory_store_id and access")
        try:
            policies.append(
                StorePolicy(
                    _text(part, "memory_store_id", r"memstore_[0-9a-f]{32}", "memstore_ and 32 hexadecimal digits"),
                    _choice(part, "access", ACCESSES),
                )
            )
        except SettingsError as error:
            raise SettingsError(f"{key}[{position}].{error}") from None
    if len(set(policies)) != len(policies):
        raise SettingsError(f"{key}: names one store with one access twice")
    return tuple(policies)
