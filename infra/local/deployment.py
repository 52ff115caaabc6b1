"""A deployment on this machine, ready to be called: emulator, deployed app, first key, a user for the signed door."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from infra.local import application
from infra.local.application import Progress
from infra.local.emulator import REGION, Emulator
from infra.local.setup import ROOT, LocalError

WORKSPACE = "wrkspc_default"
USER = "local-admin"
ANSWER_SECONDS = 30
# Where a shared deployment is described, so that several test processes can use one.
SHARED = "LOCAL_DEPLOYMENT"
# What belongs to the emulator's state is kept in that state, so that both are always of the same moment.
_RECORD = "/local-run/record"


@dataclass(frozen=True)
class AwsCredentials:
    """What a caller of the signed door signs with."""

    access_key_id: str
    secret_access_key: str
    region: str


@dataclass(frozen=True)
class Deployment:
    """How to reach a deployment. The doors are base URLs without a trailing slash; `outputs` are the stacks'."""

    endpoint_url: str
    key_door: str
    signed_door: str
    api_key: str
    workspace_id: str
    aws: AwsCredentials
    table_name: str
    bucket_name: str
    outputs: Mapping[str, str]

    def connection(self) -> dict[str, Any]:
        """What `.local/connection.json` tells a client."""
        names = ("key_door", "signed_door", "api_key", "workspace_id", "aws")
        return {name: value for name, value in asdict(self).items() if name in names}

    def to_json(self) -> str:
        """All of it, for another process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Deployment":
        """The inverse of `to_json`."""
        values = json.loads(text)
        return cls(**{**values, "aws": AwsCredentials(**values["aws"])})


@contextmanager
def deployment(
    folder: Path, port: int = 0, context: Mapping[str, str] | None = None, progress: Progress = lambda line: None
) -> Iterator[tuple[Deployment, Emulator]]:
    """A running deployment with its state in `folder`, stopped at the end. `context` overrides the app's settings.

    Only what changed since the folder's last deployment is deployed. `port` 0 takes a free one. Raises LocalError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    emulator = Emulator(folder.resolve(), port)
    try:
        progress(f"Starting the emulator on {emulator.endpoint_url}")
        emulator.start()
        yield _prepare(emulator, context or {}, progress), emulator
    finally:
        emulator.stop()


@contextmanager
def shared_deployment() -> Iterator[Deployment]:
    """The deployment that LOCAL_DEPLOYMENT describes, else a throw-away one for as long as the context lasts."""
    if SHARED in os.environ:
        yield Deployment.from_json(os.environ[SHARED])
        return
    with tempfile.TemporaryDirectory() as folder, deployment(Path(folder)) as (throw_away, _):
        yield throw_away


def _prepare(emulator: Emulator, context: Mapping[str, str], progress: Progress) -> Deployment:
    record = _read_record(emulator)
    current = application.fingerprint(context)
    if record.get("fingerprint") != current:
        progress("Deploying the app (about half a minute, and only when it changed)")
        application.deploy(emulator, context, progress)
        record = _write_record(emulator, {**record, "fingerprint": current})
    outputs = application.outputs(emulator)
    if "aws" not in record:
        progress(f"Creating the IAM user {USER}")
        record = _write_record(emulator, {**record, "aws": _create_user(emulator, outputs["AdminPolicyArn"])})
    key_door = _door(emulator, outputs["KeyDoorUrl"])
    if "api_key" not in record or not _accepted(emulator, key_door, record["api_key"]):
        progress("Creating an admin key")
        record = _write_record(emulator, {**record, "api_key": _create_key(emulator, outputs["TableName"])})
        if not _accepted(emulator, key_door, record["api_key"]):
            raise LocalError(f"The API refuses the key that was just created (the emulator's log: {emulator.log}).")
    return Deployment(
        endpoint_url=emulator.endpoint_url,
        key_door=key_door,
        signed_door=_door(emulator, outputs["SignedDoorUrl"]),
        api_key=record["api_key"],
        workspace_id=WORKSPACE,
        aws=AwsCredentials(**record["aws"]),
        table_name=outputs["TableName"],
        bucket_name=outputs["BucketName"],
        outputs=outputs,
    )


def _read_record(emulator: Emulator) -> dict[str, Any]:
    ssm = emulator.client("ssm")
    try:
        record: dict[str, Any] = json.loads(ssm.get_parameter(Name=_RECORD, WithDecryption=True)["Parameter"]["Value"])
    except ssm.exceptions.ParameterNotFound:
        return {}
    return record


def _write_record(emulator: Emulator, record: dict[str, Any]) -> dict[str, Any]:
    emulator.client("ssm").put_parameter(Name=_RECORD, Type="SecureString", Value=json.dumps(record), Overwrite=True)
    return record


def _create_user(emulator: Emulator, policy_arn: str) -> dict[str, str]:
    iam = emulator.client("iam")
    with suppress(iam.exceptions.EntityAlreadyExistsException):  # an earlier start was interrupted right here
        iam.create_user(UserName=USER)
    iam.attach_user_policy(UserName=USER, PolicyArn=policy_arn)
    key = iam.create_access_key(UserName=USER)["AccessKey"]
    return {"access_key_id": key["AccessKeyId"], "secret_access_key": key["SecretAccessKey"], "region": REGION}


def _create_key(emulator: Emulator, table_name: str) -> str:
    names = ["--table", table_name, "--workspace", WORKSPACE, "--name", "local", "--role", "admin"]
    result = subprocess.run(
        [sys.executable, "-m", "memory_stores.command", "create-api-key", *names],
        cwd=ROOT / "functions",
        env=emulator.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        lines = result.stderr.strip().splitlines()
        raise LocalError(f"No admin key could be created: {lines[-1] if lines else 'no reason given'}")
    secret: str = json.loads(result.stdout)["secret"]
    return secret


def _door(emulator: Emulator, url: str) -> str:
    """The door's URL on loopback: names below `.localhost` do not resolve everywhere, a path always works."""
    api_id = url.removeprefix("https://").removeprefix("http://").split(".")[0]
    return f"{emulator.endpoint_url}/_aws/execute-api/{api_id}"


def _accepted(emulator: Emulator, key_door: str, api_key: str) -> bool:
    """Whether the API knows the key, asked until it answers. Raises LocalError when it does not in time."""
    path = f"{key_door.removeprefix(emulator.endpoint_url)}/v1/memory_stores"
    deadline = time.monotonic() + ANSWER_SECONDS
    while True:
        emulator.check()
        try:
            status, body = emulator.get(path, {"authorization": f"Bearer {api_key}"}, ANSWER_SECONDS)
        except OSError as error:
            status, body = 0, str(error)
        if status in (200, 401):
            return status == 200
        if time.monotonic() > deadline:
            raise LocalError(f"The API does not answer: {status} {body[:300]} (the emulator's log: {emulator.log})")
        time.sleep(0.5)
