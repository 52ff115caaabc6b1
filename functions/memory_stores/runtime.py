"""What a function is given by its environment: clients and settings."""

import os
from concurrent.futures import ThreadPoolExecutor

import boto3
from botocore.config import Config

from memory_stores.domain.limits import Limits
from memory_stores.operations.context import Storage
from memory_stores.storage.agent_role import AgentRole
from memory_stores.storage.bodies import Bodies
from memory_stores.storage.table import Table

_PARALLEL_CALLS = 20
_CONFIG = Config(
    connect_timeout=2,
    read_timeout=5,
    max_pool_connections=_PARALLEL_CALLS + 4,
    retries={"mode": "standard", "total_max_attempts": 3},
)


def limits() -> Limits:
    """The limits that the deployment was given."""
    default = Limits()
    return Limits(
        max_memory_bytes=int(os.environ.get("MAX_MEMORY_BYTES", default.max_memory_bytes)),
        max_memories_per_store=int(os.environ.get("MAX_MEMORIES_PER_STORE", default.max_memories_per_store)),
        max_stores_per_workspace=int(os.environ.get("MAX_STORES_PER_WORKSPACE", default.max_stores_per_workspace)),
        max_attached_stores=int(os.environ.get("MAX_ATTACHED_STORES", default.max_attached_stores)),
        bearer_lifetime_seconds=int(os.environ.get("BEARER_LIFETIME_SECONDS", default.bearer_lifetime_seconds)),
        aws_lifetime_seconds=int(os.environ.get("AWS_LIFETIME_SECONDS", default.aws_lifetime_seconds)),
    )


def open_storage(table_name: str, bucket_name: str, agent_role_arn: str = "") -> Storage:
    """The storage of a deployment, with clients of its own."""
    executor = ThreadPoolExecutor(_PARALLEL_CALLS)
    return Storage(
        table=Table(boto3.client("dynamodb", config=_CONFIG), table_name, executor),
        bodies=Bodies(boto3.client("s3", config=_CONFIG), bucket_name, executor),
        limits=limits(),
        default_workspace_id=os.environ.get("DEFAULT_WORKSPACE_ID") or None,
        agent_role=AgentRole(agent_role_arn, _CONFIG),
    )


def open_own_storage() -> Storage:
    """The storage that the function's environment names."""
    return open_storage(os.environ["TABLE_NAME"], os.environ["BUCKET_NAME"], os.environ["AGENT_ROLE_ARN"])
