"""Managed policies for callers of the signed door: who may call which routes."""

from aws_cdk import CfnOutput, Stack
from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.nag import acknowledge
from infra.settings import StorePolicy

_STORES = "/v1/memory_stores"

# A `*` of IAM also matches slashes, so each pattern starts with its method on the one stage there is.
ADMIN = ("*",)
READER = (f"GET{_STORES}", f"GET{_STORES}/*")


def writer_routes(store: str) -> tuple[str, ...]:
    """What writing memories of a store takes beyond reading. `store` is an id, or `*` for every store."""
    memories = f"{_STORES}/{store}/memories"
    return (
        f"POST{memories}",
        f"POST{memories}/*",
        f"DELETE{memories}/*",
        f"POST{_STORES}/{store}/memory_versions/*/restore",
    )


def store_routes(policy: StorePolicy) -> tuple[str, ...]:
    """The routes of one store alone: listing stores is not among them."""
    store = policy.memory_store_id
    reading = (f"GET{_STORES}/{store}", f"GET{_STORES}/{store}/*")
    return (*reading, *writer_routes(store)) if policy.access == "read_write" else reading


class DoorPolicy(iam.ManagedPolicy):
    """A managed policy that allows `METHOD/path` patterns on the signed door; its ARN is an output of the stack."""

    def __init__(
        self, scope: Construct, construct_id: str, api: gateway.IHttpApi, routes: tuple[str, ...], description: str
    ) -> None:
        stack = Stack.of(scope)
        prefix = f"arn:{stack.partition}:execute-api:{stack.region}:{stack.account}:{api.api_id}/$default/"
        statement = iam.PolicyStatement(actions=["execute-api:Invoke"], resources=[prefix + route for route in routes])
        super().__init__(scope, construct_id, description=description, statements=[statement])
        # cdk-nag names each pattern by the ARN's text, with the references in it as <...>.
        shown = f"arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<{stack.resolve(api.api_id)['Ref']}>"
        acknowledge(
            self,
            "The ids in a path are not known before the call; the method, the stage and the shape of the path are.",
            *(f"AwsSolutions-IAM5[Resource::{shown}/$default/{route}]" for route in routes if "*" in route),
        )
        CfnOutput(stack, f"{construct_id}Arn", value=self.managed_policy_arn)
