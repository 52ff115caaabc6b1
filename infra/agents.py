"""The role of agents on the signed door: who may become one, and the most that one may call."""

from aws_cdk import Duration
from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra import access

# A role that another role assumes gets no longer sessions from STS.
_LONGEST_SESSION = Duration.hours(1)


class AgentRole(iam.Role):
    """Assumed by one function alone, `issuer`, once for each agent that it gives AWS credentials.

    The function passes a policy with each, which narrows what is allowed here to the stores of that agent.
    """

    def __init__(self, scope: Construct, construct_id: str, api: gateway.IHttpApi, issuer: lambda_.IFunction) -> None:
        super().__init__(
            scope,
            construct_id,
            description="Agents of the memory stores, one STS session each",
            assumed_by=issuer.grant_principal,
            max_session_duration=_LONGEST_SESSION,
        )
        self.add_to_policy(access.invoking(api, access.AGENT))
        access.acknowledge_patterns(self, api, access.AGENT)
        self.grant_assume_role(issuer)
