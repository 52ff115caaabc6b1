"""Temporary AWS credentials for agents: the deployment's agent role, assumed for one session."""

import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from memory_stores.domain.agent_credentials import AwsCredentials
from memory_stores.domain.errors import LimitReached
from memory_stores.domain.models import Access
from memory_stores.storage.errors import code_of, translated

if TYPE_CHECKING:
    from mypy_boto3_sts import STSClient


class AgentRole:
    """The IAM role whose sessions are agents. May raise Throttled and OutcomeUnknown."""

    def __init__(self, arn: str, config: Config) -> None:
        self.arn = arn
        self._config = config

    def assume(self, session_id: str, accesses: Mapping[str, Access], seconds: int) -> AwsCredentials:
        """Credentials for `seconds` (900 to 3,600: the function's own role is assumed, too) and these stores alone.

        Raises LimitReached where the policy is too large for STS, which packs it by rules of its own.
        """
        policy = session_policy(self.arn.split(":")[1], session_id, accesses)
        try:
            with translated():
                answer = self._client.assume_role(
                    RoleArn=self.arn, RoleSessionName=session_id, Policy=policy, DurationSeconds=seconds
                )
        except ClientError as error:
            if code_of(error) == "PackedPolicyTooLarge":
                raise LimitReached(
                    "has too many memory stores for AWS credentials; use a bearer token", "type"
                ) from error
            raise
        credentials = answer["Credentials"]
        return AwsCredentials(
            access_key_id=credentials["AccessKeyId"],
            secret_access_key=credentials["SecretAccessKey"],
            session_token=credentials["SessionToken"],
            region=self._client.meta.region_name,
            expires_at=int(credentials["Expiration"].timestamp() * 1000),
        )

    @cached_property
    def _client(self) -> "STSClient":
        # Made when first needed: few functions and few calls do.
        return boto3.client("sts", config=self._config)


def session_policy(partition: str, session_id: str, accesses: Mapping[str, Access]) -> str:
    """The inline policy that narrows the agent role to one session: its own record, and the routes of its stores.

    The role itself is limited to one API, and there to reading stores and writing memories. STS takes 2,048 characters,
    in which the eight stores of a session fit with room to spare.
    """
    routes = ["GET/v1/memory_stores", f"GET/v1/sessions/{session_id}*"]
    for store_id, access in accesses.items():
        method = "*" if access is Access.READ_WRITE else "GET"
        routes.append(f"{method}/v1/memory_stores/{store_id}*")
    resources = [f"arn:{partition}:execute-api:*:*:*/$default/{route}" for route in routes]
    statement = {"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": resources}
    return json.dumps({"Version": "2012-10-17", "Statement": statement}, separators=(",", ":"))
