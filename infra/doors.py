"""A door: an HTTP API with its stage, access log, throttling and, where asked for, its place on a custom domain."""

import json
from typing import cast

from aws_cdk import aws_apigatewayv2 as gateway
from constructs import Construct

from infra.settings import Settings
from infra.stack import log_group

# No path, query string, header or body: whatever a caller puts where, no secret and no content is logged.
_ACCESS_LOG_FIELDS = {
    "request_id": "$context.requestId",
    "time": "$context.requestTime",
    "ip": "$context.identity.sourceIp",
    "caller": "$context.identity.userArn",
    "method": "$context.httpMethod",
    "route": "$context.routeKey",
    "status": "$context.status",
    "bytes": "$context.responseLength",
    "latency_ms": "$context.responseLatency",
    "function_latency_ms": "$context.integrationLatency",
    "gateway_error": "$context.error.message",
    "function_error": "$context.integrationErrorMessage",
}


class Door(Construct):
    """One HTTP API on its `$default` stage, without routes yet. `url` ends without a slash."""

    def __init__(
        self, scope: Construct, construct_id: str, settings: Settings, mapping: gateway.DomainMappingOptions | None
    ) -> None:
        super().__init__(scope, construct_id)
        self.api = gateway.HttpApi(self, "Api", api_name=f"{settings.name}-{construct_id}", create_default_stage=False)
        self.stage = gateway.HttpStage(
            self,
            "Stage",
            http_api=self.api,
            stage_name="$default",
            auto_deploy=True,
            throttle=gateway.ThrottleSettings(rate_limit=settings.throttle_rate, burst_limit=settings.throttle_burst),
            domain_mapping=mapping,
        )
        self.url = self.stage.domain_url if mapping else self.api.api_endpoint
        stage = cast("gateway.CfnStage", self.stage.node.default_child)
        stage.access_log_settings = gateway.CfnStage.AccessLogSettingsProperty(
            destination_arn=log_group(self, "AccessLog", settings).log_group_arn,
            format=json.dumps(_ACCESS_LOG_FIELDS),
        )
