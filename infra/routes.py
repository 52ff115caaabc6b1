"""Turns the table of routes into routes of a gateway, the same on both doors."""

from collections.abc import Mapping

from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_lambda as lambda_
from memory_stores.routes import ROUTES

FALLBACK = "unrouted"


def add_routes(
    api: gateway.HttpApi, functions: Mapping[str, lambda_.IFunction], authorizer: gateway.IHttpRouteAuthorizer
) -> None:
    """Give the API every route of the table and `$default`, all behind the authorizer."""
    targets = {
        name: integrations.HttpLambdaIntegration(
            name.title().replace("_", ""),
            functions[name],
            scope_permission_to_route=False,  # one permission a function and door, not one a route
        )
        for name in sorted({route.function for route in ROUTES} | {FALLBACK})
    }
    for route in ROUTES:
        api.add_routes(
            path=route.path,
            methods=[gateway.HttpMethod(route.method)],
            integration=targets[route.function],
            authorizer=authorizer,
        )
    gateway.HttpRoute(
        api,
        "Fallback",
        http_api=api,
        route_key=gateway.HttpRouteKey.DEFAULT,
        integration=targets[FALLBACK],
        authorizer=authorizer,
    )
