"""What the contract tests need of the place the API runs in."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from tests.support.client import Client, Send

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

ROLE = "arn:aws:iam::123456789012:role/Agent"


class Backend(Protocol):
    """The deployed API. `max_stores` and `max_memories` are its limits a workspace and a store; `bearer_seconds` and
    `aws_seconds` are how long the credentials of an agent last."""

    name: str
    table_name: str
    bucket_name: str
    default_workspace_id: str
    max_stores: int
    max_memories: int
    bearer_seconds: int
    aws_seconds: int
    dynamodb: DynamoDBClient
    s3: S3Client

    @property
    def key_door(self) -> Send: ...

    def signed_door(self, role_arn: str = ROLE, session_name: str = "session") -> Send: ...

    def signed_door_of(self, credentials: Mapping[str, str]) -> Send:
        """The signed door, for who holds these: `access_key_id`, `secret_access_key` and `session_token`."""
        ...

    def command(self, *arguments: str) -> dict[str, Any]:
        """Run the operator's command against the deployment; the JSON object it prints."""
        ...

    def first_key(self, workspace_id: str, name: str, role: str) -> dict[str, Any]:
        """What `create-api-key` prints: `id` and `secret`, at least."""
        ...

    def traces_of(self, text: str) -> list[str]:
        """Where a text is found in all that is stored: none, once it is erased."""
        ...


def fresh_workspace() -> str:
    """The id of a workspace nobody has used."""
    return f"wrkspc_{secrets.token_hex(12)}"


def first_client(backend: Backend, workspace_id: str) -> Client:
    """An admin of the workspace, through the key door."""
    key = backend.first_key(workspace_id, "tests", "admin")
    return Client(backend.key_door, key["secret"], key_id=key["id"])


def stored(backend: Backend) -> Iterator[tuple[str, str]]:
    """Each row of the table and each body in the bucket: its name and all it holds, as text."""
    for page in backend.dynamodb.get_paginator("scan").paginate(TableName=backend.table_name):
        for item in page["Items"]:
            yield f"row {item['pk']} {item['sk']}", str(item)
    for listed in backend.s3.get_paginator("list_objects_v2").paginate(Bucket=backend.bucket_name):
        for found in listed.get("Contents", []):
            # Tests that share a deployment delete bodies of their own stores meanwhile.
            with contextlib.suppress(backend.s3.exceptions.NoSuchKey):
                body = backend.s3.get_object(Bucket=backend.bucket_name, Key=found["Key"])["Body"].read()
                yield f"body {found['Key']}", body.decode(errors="replace")


def everything(backend: Backend) -> str:
    """All that the table and the bucket hold, as one text."""
    return "\n".join(f"{name} {held}" for name, held in stored(backend))
