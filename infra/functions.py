"""The functions: one a resource, each with a role of its own whose actions are listed one by one."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.data import DataStack
from infra.nag import acknowledge
from infra.settings import Settings
from infra.stack import log_group

METRICS_NAMESPACE = "MemoryStores"

# An HTTP API gives up after 30 s; the function has to answer before it does.
REQUEST_TIMEOUT = Duration.seconds(29)


@dataclass(frozen=True)
class Access:
    """What one function may do: DynamoDB actions on the table, indexes it queries, S3 actions on bucket and bodies."""

    table: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    bucket: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()


# Exactly what the functions call (tests/contract/test_least_privilege.py compares), but for one: ListBucket lets S3 say
# 404 for a body that is not there; without it the answer is 403, as for a missing right.
ACCESS: Mapping[str, Access] = MappingProxyType(
    {
        "stores": Access(
            table=("GetItem", "BatchGetItem", "PutItem", "UpdateItem"),
            indexes=("by_created",),
        ),
        "memories": Access(
            table=("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
            bucket=("ListBucket",),
            bodies=("GetObject", "PutObject"),
        ),
        "versions": Access(
            table=("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "ConditionCheckItem"),
            indexes=("by_memory",),
            bucket=("ListBucket",),
            bodies=("GetObject", "PutObject", "DeleteObject"),
        ),
        "api_keys": Access(
            table=("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
            indexes=("by_created",),
        ),
        "sessions": Access(
            table=("GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"),
            indexes=("by_created",),
        ),
        "bindings": Access(
            table=("GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"),
        ),
        "unrouted": Access(),
        "maintenance": Access(
            table=("Query", "BatchGetItem", "DeleteItem", "BatchWriteItem"),
            bucket=("ListBucket",),
            bodies=("DeleteObject",),
        ),
    }
)


class Functions(Construct):
    """Makes functions of the module of that name below `functions/`."""

    def __init__(
        self, scope: Construct, construct_id: str, settings: Settings, data: DataStack, code: lambda_.Code
    ) -> None:
        super().__init__(scope, construct_id)
        self._settings = settings
        self._data = data
        self._code = code

    def add(
        self, name: str, timeout: Duration = REQUEST_TIMEOUT, failures: lambda_.IDestination | None = None
    ) -> lambda_.Function:
        """One function with its role and its log. With `failures` it serves events: a failed one goes there at once."""
        settings = self._settings
        title = name.title().replace("_", "")
        logs = log_group(self, f"{title}Log", settings)
        role = self._role(title, ACCESS[name])
        logs.grant_write(role)
        function = lambda_.Function(
            self,
            title,
            description=f"{settings.name}: {name}",
            code=self._code,
            handler=f"{name}.handler",
            runtime=lambda_.Runtime(f"python{settings.lambda_python}", lambda_.RuntimeFamily.PYTHON),
            architecture=lambda_.Architecture.custom(settings.lambda_architecture),
            memory_size=settings.lambda_memory_mb,
            timeout=timeout,
            tracing=lambda_.Tracing.ACTIVE,
            log_group=logs,
            role=role,
            environment=self._environment(),
            on_failure=failures,
            retry_attempts=0 if failures else None,
        )
        acknowledge(
            function,
            "The code is tested and precompiled for this version; moving to another is a setting (lambda_python).",
            "AwsSolutions-L1",
            "Serverless-LambdaLatestVersion",
        )
        acknowledge(
            function,
            "Failed events go to the on-failure destination, which also keeps the error."
            if failures
            else "Called by the gateway only, which waits for the answer: there is no event that could be lost.",
            "Serverless-LambdaDLQ",
        )
        return function

    def _environment(self) -> dict[str, str]:
        settings = self._settings
        return {
            "TABLE_NAME": self._data.table.table_name,
            "BUCKET_NAME": self._data.bucket.bucket_name,
            "DEFAULT_WORKSPACE_ID": settings.default_workspace_id,
            "MAX_MEMORY_BYTES": str(settings.max_memory_bytes),
            "MAX_MEMORIES_PER_STORE": str(settings.max_memories_per_store),
            "MAX_STORES_PER_WORKSPACE": str(settings.max_stores_per_workspace),
            "MAX_ATTACHED_STORES": str(settings.max_attached_stores),
            "BEARER_LIFETIME_SECONDS": str(settings.bearer_lifetime_seconds),
            "AWS_LIFETIME_SECONDS": str(settings.aws_lifetime_seconds),
            "POWERTOOLS_SERVICE_NAME": settings.name,
            "POWERTOOLS_METRICS_NAMESPACE": METRICS_NAMESPACE,
            "POWERTOOLS_LOG_LEVEL": settings.log_level,
        }

    def _role(self, title: str, access: Access) -> iam.Role:
        table, bodies = self._data.table.table_arn, f"{self._data.bucket_arn}/*"
        role = iam.Role(self, f"{title}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        _allow(role, "dynamodb", access.table, [table])
        _allow(role, "dynamodb", ("Query",), [f"{table}/index/{index}" for index in access.indexes])
        _allow(role, "s3", access.bucket, [self._data.bucket_arn])
        _allow(role, "s3", access.bodies, [bodies])
        acknowledge(role, "The two X-Ray actions, which know no resources.", "AwsSolutions-IAM5[Resource::*]")
        if access.bodies:
            reason = "A body's key holds workspace, store, memory and version: none is known when the role is made."
            acknowledge(role, reason, f"AwsSolutions-IAM5[Resource::{self._data.bodies_export}/*]")
        return role


def _allow(role: iam.Role, service: str, actions: tuple[str, ...], resources: list[str]) -> None:
    if actions and resources:
        named = [f"{service}:{action}" for action in actions]
        role.add_to_policy(iam.PolicyStatement(actions=named, resources=resources))
