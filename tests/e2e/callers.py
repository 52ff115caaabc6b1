"""Callers of the signed door: IAM users and sessions of roles, and what they sign."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials

from infra.local.deployment import Deployment
from tests.support.client import Client
from tests.support.ministack_backend import HttpDoor

_TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}],
}


class Callers:
    """Makes callers of a deployment. `policies` are ARNs; a caller without one may do nothing."""

    def __init__(self, deployed: Deployment) -> None:
        self._deployed = deployed
        self._iam = boto3.client("iam", endpoint_url=deployed.endpoint_url)
        # The emulator gives sessions of any length; AWS and its own library know none below 15 minutes.
        unchecked = Config(parameter_validation=False)
        self._sts = boto3.client("sts", endpoint_url=deployed.endpoint_url, config=unchecked)
        self._doors: list[HttpDoor] = []

    def user(self, *policies: str) -> tuple[str, Credentials]:
        """The ARN and an access key of a new IAM user."""
        name = f"user-{secrets.token_hex(4)}"
        arn: str = self._iam.create_user(UserName=name)["User"]["Arn"]
        for policy in policies:
            self._iam.attach_user_policy(UserName=name, PolicyArn=policy)
        key = self._iam.create_access_key(UserName=name)["AccessKey"]
        return arn, Credentials(key["AccessKeyId"], key["SecretAccessKey"])

    def deactivate(self, user_arn: str, credentials: Credentials) -> None:
        """Take an access key out of use."""
        name = user_arn.rpartition("/")[2]
        self._iam.update_access_key(UserName=name, AccessKeyId=credentials.access_key, Status="Inactive")

    def role(self, *policies: str) -> str:
        """The ARN of a new role that anyone may assume."""
        name = f"role-{secrets.token_hex(4)}"
        created = self._iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(_TRUST))
        arn: str = created["Role"]["Arn"]
        for policy in policies:
            self._iam.attach_role_policy(RoleName=name, PolicyArn=policy)
        return arn

    def session(self, role_arn: str, name: str, seconds: int = 3600) -> Credentials:
        """Temporary credentials of a role. Raises ClientError where it does not trust the account's root."""
        answer: Any = self._sts.assume_role(RoleArn=role_arn, RoleSessionName=name, DurationSeconds=seconds)
        made = answer["Credentials"]
        return Credentials(made["AccessKeyId"], made["SecretAccessKey"], made["SessionToken"])

    def arn(self, credentials: Credentials) -> str:
        """Who STS says these credentials are."""
        return str(self.client_of("sts", credentials).get_caller_identity()["Arn"])

    def role_of(self, credentials: Credentials) -> str:
        """The ARN of the role that these are temporary credentials of."""
        _, _, _, _, account, session = self.arn(credentials).split(":")
        return f"arn:aws:iam::{account}:role/{session.split('/')[1]}"

    @contextmanager
    def trusting(self, role_arn: str) -> Iterator[None]:
        """Anyone may assume the role meanwhile."""
        name = role_arn.rpartition("/")[2]
        own: Any = self._iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"]
        self._iam.update_assume_role_policy(RoleName=name, PolicyDocument=json.dumps(_TRUST))
        try:
            yield
        finally:
            self._iam.update_assume_role_policy(RoleName=name, PolicyDocument=json.dumps(own))

    def client_of(self, service: Any, credentials: Credentials) -> Any:
        """A client of an AWS service that calls with these credentials."""
        held = boto3.Session(
            credentials.access_key, credentials.secret_key, credentials.token, region_name=self._deployed.aws.region
        )
        return held.client(service, endpoint_url=self._deployed.endpoint_url)

    def door(self, credentials: Credentials | None, region: str | None = None) -> HttpDoor:
        """The signed door, every request signed with these credentials, or none signed."""
        door = HttpDoor(self._deployed.signed_door, credentials, region or self._deployed.aws.region)
        self._doors.append(door)
        return door

    def client(self, credentials: Credentials) -> Client:
        """A client of the signed door, for what is allowed: IAM's own refusals are no answers of the API."""
        return Client(self.door(credentials))

    def signature(
        self, credentials: Credentials, method: str, target: str, body: bytes | None = None
    ) -> dict[str, str]:
        """The headers that sign a request, for requests that are then sent otherwise."""
        url = urlsplit(self._deployed.signed_door)
        request = AWSRequest(method, f"{url.scheme}://{url.netloc}{url.path}{target}", data=body)
        SigV4Auth(credentials, "execute-api", self._deployed.aws.region).add_auth(request)
        return dict(request.headers.items())

    def close(self) -> None:
        for door in self._doors:
            door.close()
        self._iam.close()
        self._sts.close()
