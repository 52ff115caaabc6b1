"""The handlers in this process, over moto."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any, cast

import boto3
from moto import mock_aws

from tests.support.backend import ROLE, stored
from tests.support.environment import environment
from tests.support.gateway import ACCOUNT, Gateway, Handler, iam_caller
from tests.support.wire import Wire

REGION = "us-east-1"
TABLE = "memory-stores-tests"
BUCKET = "memory-stores-tests"
DEFAULT_WORKSPACE = "wrkspc_default"
# Lower than a deployment's, so that a test can reach them.
MAX_STORES = 30
MAX_MEMORIES = 200
# Other than a deployment's, so that a test sees whether they count.
BEARER_SECONDS = 1_800
AWS_SECONDS = 1_200
AGENT_ROLE = "memory-stores-tests-agent"

ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_SESSION_TOKEN": "testing",
    "AWS_REGION": REGION,
    "AWS_DEFAULT_REGION": REGION,
    "AWS_EC2_METADATA_DISABLED": "true",
    "TABLE_NAME": TABLE,
    "BUCKET_NAME": BUCKET,
    "DEFAULT_WORKSPACE_ID": DEFAULT_WORKSPACE,
    "MAX_MEMORY_BYTES": "102400",
    "MAX_MEMORIES_PER_STORE": str(MAX_MEMORIES),
    "MAX_STORES_PER_WORKSPACE": str(MAX_STORES),
    "MAX_ATTACHED_STORES": "8",
    "BEARER_LIFETIME_SECONDS": str(BEARER_SECONDS),
    "AWS_LIFETIME_SECONDS": str(AWS_SECONDS),
    "AGENT_ROLE_ARN": f"arn:aws:iam::{ACCOUNT}:role/{AGENT_ROLE}",
    "POWERTOOLS_SERVICE_NAME": "memory-stores",
    "POWERTOOLS_METRICS_NAMESPACE": "MemoryStores",
    "POWERTOOLS_LOG_LEVEL": "INFO",
    "LOG_LEVEL": "INFO",
}


class MotoBackend:
    """`backend.Backend` over moto; `wire` carries its AWS calls."""

    name = "moto"
    table_name = TABLE
    bucket_name = BUCKET
    default_workspace_id = DEFAULT_WORKSPACE
    max_stores = MAX_STORES
    max_memories = MAX_MEMORIES
    bearer_seconds = BEARER_SECONDS
    aws_seconds = AWS_SECONDS
    agent_role_arn = ENVIRONMENT["AGENT_ROLE_ARN"]

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.dynamodb = boto3.client("dynamodb")
        self.s3 = boto3.client("s3")
        self._importing = threading.Lock()
        self.s3.create_bucket(Bucket=BUCKET)
        self._create_table()
        trust = {"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "sts:AssumeRole"}
        document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
        boto3.client("iam").create_role(RoleName=AGENT_ROLE, AssumeRolePolicyDocument=document)

    def key_gateway(self, **options: Any) -> Gateway:
        """The key door, e.g. behind a named stage or with another timeout."""
        return Gateway(self.handler, **options)

    @property
    def key_door(self) -> Gateway:
        return self.key_gateway()

    def signed_door(self, role_arn: str = ROLE, session_name: str = "session") -> Gateway:
        return Gateway(self.handler, iam=iam_caller(role_arn, session_name))

    def signed_door_of(self, credentials: Mapping[str, str]) -> Gateway:
        """STS says who they are, as it does to the gateway; what their session policy denies is not looked at."""
        access_key = credentials["access_key_id"]
        sts = boto3.client(
            "sts",
            aws_access_key_id=access_key,
            aws_secret_access_key=credentials["secret_access_key"],
            aws_session_token=credentials["session_token"],
        )
        arn = sts.get_caller_identity()["Arn"]
        return Gateway(self.handler, iam=iam_caller(arn, arn.rpartition("/")[2], access_key))

    def command(self, *arguments: str) -> dict[str, Any]:
        printed = io.StringIO()
        command = importlib.import_module("memory_stores.command")  # reads the environment, so not before it is set
        with contextlib.redirect_stdout(printed):
            command.main([arguments[0], "--table", TABLE, *arguments[1:]])
        return dict(json.loads(printed.getvalue()))

    def first_key(self, workspace_id: str, name: str, role: str) -> dict[str, Any]:
        return self.command("create-api-key", "--workspace", workspace_id, "--name", name, "--role", role)

    def traces_of(self, text: str) -> list[str]:
        return [name for name, held in stored(self) if text in held]

    def handler(self, function: str) -> Handler:
        """A function's handler; its module is imported on first use, when the environment is set."""
        with self._importing:
            return cast(Handler, importlib.import_module(function).handler)

    def empty(self) -> None:
        """Forget all rows and bodies: moto copies the whole table for a transaction, so keep it small."""
        self.dynamodb.delete_table(TableName=TABLE)
        self._create_table()
        for page in self.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
            for found in page.get("Contents", []):
                self.s3.delete_object(Bucket=BUCKET, Key=found["Key"])
        self.wire.operations.clear()

    def _create_table(self) -> None:
        names = ("pk", "sk", "by_created", "by_memory")
        self.dynamodb.create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in names],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            LocalSecondaryIndexes=[
                {
                    "IndexName": index,
                    "KeySchema": [
                        {"AttributeName": "pk", "KeyType": "HASH"},
                        {"AttributeName": index, "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
                for index in ("by_created", "by_memory")
            ],
        )
        self.dynamodb.update_time_to_live(
            TableName=TABLE, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"}
        )


@contextlib.contextmanager
def moto_backend() -> Iterator[MotoBackend]:
    """Moto with an empty table and bucket, and the environment of the functions, set before any of them is imported."""
    with environment({**ENVIRONMENT, "AWS_ENDPOINT_URL": None}), mock_aws(), Wire().installed() as wire:
        yield MotoBackend(wire)
