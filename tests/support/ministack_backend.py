"""The API as it is deployed into MiniStack, called over HTTP."""

from __future__ import annotations

import contextlib
import copy
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import boto3
import urllib3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from memory_stores import command

from infra.local.deployment import Deployment, shared_deployment
from tests.support.backend import ROLE, stored
from tests.support.environment import environment

_CALLS_AT_ONCE = 64
_TIMEOUT_SECONDS = 60


class HttpDoor:
    """One door over HTTP, with connections kept alive and shared by all threads; signed where there are credentials."""

    def __init__(self, url: str, credentials: Credentials | None = None, region: str = "") -> None:
        self._url = urlsplit(url)
        self._credentials = credentials
        self._region = region
        self._pool = urllib3.HTTPConnectionPool(
            str(self._url.hostname), self._url.port, maxsize=_CALLS_AT_ONCE, timeout=_TIMEOUT_SECONDS
        )

    def __call__(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, dict[str, str], bytes]:
        target = self._url.path + target
        if self._credentials:
            url = f"{self._url.scheme}://{self._url.netloc}{target}"
            request = AWSRequest(method=method, url=url, data=body, headers=dict(headers))
            SigV4Auth(self._credentials, "execute-api", self._region).add_auth(request)
            headers = dict(request.headers.items())
        answer = self._pool.urlopen(method, target, body=body, headers=dict(headers), redirect=False, retries=False)
        return answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.data

    def signed_with(self, credentials: Credentials) -> HttpDoor:
        """The same door and connections for another caller."""
        door = copy.copy(self)
        door._credentials = credentials
        return door

    def close(self) -> None:
        self._pool.close()


class MiniStackBackend:
    """`backend.Backend` over a deployment with the default limits. Its signed door knows one caller, an IAM user."""

    name = "ministack"
    max_stores = 1000
    max_memories = 10_000
    bearer_seconds = 3_600
    aws_seconds = 3_600

    def __init__(self, deployed: Deployment) -> None:
        self.table_name = deployed.table_name
        self.bucket_name = deployed.bucket_name
        self.default_workspace_id = deployed.workspace_id
        aws = deployed.aws
        credentials = Credentials(aws.access_key_id, aws.secret_access_key)
        self.key_door = HttpDoor(deployed.key_door)
        self._signed_door = HttpDoor(deployed.signed_door, credentials, aws.region)
        self.dynamodb = boto3.client("dynamodb", endpoint_url=deployed.endpoint_url)
        path_style = Config(s3={"addressing_style": "path"})
        self.s3 = boto3.client("s3", endpoint_url=deployed.endpoint_url, config=path_style)

    def signed_door(self, role_arn: str = ROLE, session_name: str = "session") -> HttpDoor:
        return self._signed_door

    def signed_door_of(self, credentials: Mapping[str, str]) -> HttpDoor:
        names = ("access_key_id", "secret_access_key", "session_token")
        return self._signed_door.signed_with(Credentials(*(credentials[name] for name in names)))

    def command(self, *arguments: str) -> dict[str, Any]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            command.main([arguments[0], "--table", self.table_name, *arguments[1:]])
        return dict(json.loads(printed.getvalue()))

    def first_key(self, workspace_id: str, name: str, role: str) -> dict[str, Any]:
        return self.command("create-api-key", "--workspace", workspace_id, "--name", name, "--role", role)

    def traces_of(self, text: str) -> list[str]:
        return [name for name, held in stored(self) if text in held]

    def close(self) -> None:
        self.key_door.close()
        self._signed_door.close()
        self.dynamodb.close()
        self.s3.close()


@contextlib.contextmanager
def ministack_backend() -> Iterator[MiniStackBackend]:
    """A deployment, shared or started for this, and the environment in which the command reaches it."""
    with shared_deployment() as deployed:
        variables = {
            "AWS_ENDPOINT_URL": deployed.endpoint_url,
            "AWS_ACCESS_KEY_ID": "000000000000",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_SESSION_TOKEN": None,
            "AWS_REGION": deployed.aws.region,
            "AWS_DEFAULT_REGION": deployed.aws.region,
            "NO_PROXY": "127.0.0.1",
        }
        with environment(variables):
            backend = MiniStackBackend(deployed)
            try:
                yield backend
            finally:
                backend.close()
