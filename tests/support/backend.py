"""What the contract tests need of the place the API runs in."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Protocol

from tests.support.client import Client, Send

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

ROLE = "arn:aws:iam::123456789012:role/Agent"


class Backend(Protocol):
    """The deployed API. `max_stores` and `max_memories` are its limits a workspace and a store."""

    name: str
    table_name: str
    bucket_name: str
    default_workspace_id: str
    max_stores: int
    max_memories: int
    dynamodb: DynamoDBClient
    s3: S3Client

    @property
    def key_door(self) -> Send: ...

    def signed_door(self, role_arn: str = ROLE, session_name: str = "session") -> Send: ...

    def command(self, *arguments: str) -> dict[str, Any]:
        """Run the operator's command against the deployment; the JSON object it prints."""
        ...

    def first_key(self, workspace_id: str, name: str, role: str) -> dict[str, Any]:
        """What `create-api-key` prints: `id` and `secret`, at least."""
        ...


def fresh_workspace() -> str:
    """The id of a workspace nobody has used."""
    return f"wrkspc_{secrets.token_hex(12)}"


def first_client(backend: Backend, workspace_id: str) -> Client:
    """An admin of the workspace, through the key door."""
    key = backend.first_key(workspace_id, "tests", "admin")
    return Client(backend.key_door, key["secret"], key_id=key["id"])


def everything(backend: Backend) -> str:
    """All that the table and the bucket hold, as text: where something must be found nowhere."""
    scan = backend.dynamodb.get_paginator("scan")
    rows = [str(page["Items"]) for page in scan.paginate(TableName=backend.table_name)]
    bodies = []
    for page in backend.s3.get_paginator("list_objects_v2").paginate(Bucket=backend.bucket_name):
        for found in page.get("Contents", []):
            body = backend.s3.get_object(Bucket=backend.bucket_name, Key=found["Key"])["Body"]
            bodies.append(f"{found['Key']} {body.read().decode(errors='replace')}")
    return "\n".join(rows + bodies)
