"""Who may call which routes of the signed door, and the managed policies that allow it."""

from aws_cdk import CfnOutput, Stack
from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.nag import acknowledge
from infra.settings import StorePolicy

_STORES = "/v1/memory_stores"
_SESSIONS = "/v1/sessions"

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


WRITER = (*READER, *writer_routes("*"))
AGENT = (*WRITER, f"GET{_SESSIONS}/*")


def store_routes(policy: StorePolicy) -> tuple[str, ...]:
    """The routes of one store alone: listing stores is not among them."""
    store = policy.memory_store_id
    reading = (f"GET{_STORES}/{store}", f"GET{_STORES}/{store}/*")
    return (*reading, *writer_routes(store)) if policy.access == "read_write" else reading


def invoking(api: gateway.IHttpApi, routes: tuple[str, ...]) -> iam.PolicyStatement:
    """Allows `METHOD/path` patterns on the API's one stage."""
    stack = Stack.of(api)
    prefix = f"arn:{stack.partition}:execute-api:{stack.region}:{stack.account}:{api.api_id}/$default/"
    return iam.PolicyStatement(actions=["execute-api:Invoke"], resources=[prefix + route for route in routes])


def acknowledge_patterns(construct: Construct, api: gateway.IHttpApi, routes: tuple[str, ...]) -> None:
    """Accept that a construct with the statement of `invoking` has a `*` in its routes."""
    # cdk-nag names each pattern by the ARN's text, with the references in it as <...>.
    api_id = Stack.of(api).resolve(api.api_id)["Ref"]
    shown = f"arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<{api_id}>/$default/"
    acknowledge(
        construct,
        "The ids in a path are not known before the call; the method, the stage and the shape of the path are.",
        *(f"AwsSolutions-IAM5[Resource::{shown}{route}]" for route in routes if "*" in route),
    )


class DoorPolicy(iam.ManagedPolicy):
    """A managed policy that allows `METHOD/path` patterns on the signed door; its ARN is an output of the stack."""

    def __init__(
        self, scope: Construct, construct_id: str, api: gateway.IHttpApi, routes: tuple[str, ...], description: str
    ) -> None:
        super().__init__(scope, construct_id, description=description, statements=[invoking(api, routes)])
        acknowledge_patterns(self, api, routes)
        CfnOutput(Stack.of(scope), f"{construct_id}Arn", value=self.managed_policy_arn)
