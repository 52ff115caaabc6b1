"""Both doors and the functions behind them."""

import json
import re
from typing import Any

import pytest
from memory_stores.routes import ROUTES

from tests.infra.assembly import Assembly, Template, text

DOORS = ("KeyDoor", "SignedDoor")
SERVED = {route.key: route.function for route in ROUTES} | {"$default": "unrouted"}
MODULES = {"stores", "memories", "versions", "api_keys", "sessions", "bindings", "unrouted", "maintenance"}


def integration(template: Template, route: dict[str, Any]) -> dict[str, Any]:
    target = text(route["Target"])
    name = re.fullmatch(r"integrations/<(\w+)>", target)
    assert name, target
    properties: dict[str, Any] = template.document["Resources"][name[1]]["Properties"]
    return properties


@pytest.mark.parametrize("door", DOORS)
def test_each_route_of_the_table_reaches_its_function(default: Assembly, door: str) -> None:
    modules = {logical_id: module for module, logical_id in default.api.functions().items()}
    reached = {}
    for key, route in default.api.routes(door).items():
        target = integration(default.api, route)
        assert (target["IntegrationType"], target["PayloadFormatVersion"]) == ("AWS_PROXY", "2.0")
        assert target["ApiId"] == route["ApiId"]
        reached[key] = modules[target["IntegrationUri"]["Fn::GetAtt"][0]]
    assert reached == SERVED


def test_every_route_of_the_signed_door_is_behind_iam(default: Assembly) -> None:
    routes = default.api.routes("SignedDoor")
    assert {key: route["AuthorizationType"] for key, route in routes.items()} == dict.fromkeys(SERVED, "AWS_IAM")


def test_the_key_door_leaves_authentication_to_the_functions(default: Assembly) -> None:
    routes = default.api.routes("KeyDoor")
    assert {key: route["AuthorizationType"] for key, route in routes.items()} == dict.fromkeys(SERVED, "NONE")


@pytest.mark.parametrize("door", DOORS)
def test_a_door_is_throttled_on_its_default_stage(default: Assembly, changed: Assembly, door: str) -> None:
    for assembly, rate, burst in ((default, 1000, 2000), (changed, 50, 60)):
        stage = _stage(assembly.api, door)
        assert (stage["StageName"], stage["AutoDeploy"]) == ("$default", True)
        assert stage["DefaultRouteSettings"] == {"ThrottlingRateLimit": rate, "ThrottlingBurstLimit": burst}


@pytest.mark.parametrize("door", DOORS)
def test_the_access_log_names_requests_but_no_secrets(default: Assembly, door: str) -> None:
    settings = _stage(default.api, door)["AccessLogSettings"]
    assert settings["DestinationArn"]["Fn::GetAtt"][0] in default.api.of_type("AWS::Logs::LogGroup")
    logged = json.loads(settings["Format"])
    assert {"$context.requestId", "$context.routeKey", "$context.status"} <= set(logged.values())
    secret = re.compile("header|query|path|body|authorizer|apiKey|token", re.IGNORECASE)
    assert [value for value in logged.values() if secret.search(value) or not value.startswith("$context.")] == []


def test_a_function_a_resource(default: Assembly, changed: Assembly) -> None:
    assert default.api.functions().keys() == MODULES
    for assembly, architecture, runtime, memory in (
        (default, "arm64", "python3.13", 1024),
        (changed, "x86_64", "python3.12", 512),
    ):
        for module in MODULES:
            function = assembly.api.function(module)
            assert function["Architectures"] == [architecture]
            assert (function["Runtime"], function["MemorySize"]) == (runtime, memory)
            assert function["Timeout"] == (300 if module == "maintenance" else 29)
            assert function["TracingConfig"] == {"Mode": "Active"}


def test_functions_know_their_settings(default: Assembly, changed: Assembly) -> None:
    limits = ("MAX_MEMORY_BYTES", "MAX_MEMORIES_PER_STORE", "MAX_STORES_PER_WORKSPACE", "MAX_ATTACHED_STORES")
    lifetimes = ("BEARER_LIFETIME_SECONDS", "AWS_LIFETIME_SECONDS")
    others = ("DEFAULT_WORKSPACE_ID", "POWERTOOLS_SERVICE_NAME", "POWERTOOLS_METRICS_NAMESPACE", "POWERTOOLS_LOG_LEVEL")
    for assembly, values, seconds, rest in (
        (
            default,
            ("102400", "10000", "1000", "8"),
            ("3600", "3600"),
            ("wrkspc_default", "memory-stores", "MemoryStores", "INFO"),
        ),
        (changed, ("2048", "7", "3", "2"), ("60", "900"), ("", "trial", "MemoryStores", "DEBUG")),
    ):
        for module in MODULES:
            variables = assembly.api.function(module)["Environment"]["Variables"]
            assert tuple(variables[name] for name in limits) == values
            assert tuple(variables[name] for name in lifetimes) == seconds
            assert tuple(variables[name] for name in others) == rest
            for name, export in (("TABLE_NAME", "TableName"), ("BUCKET_NAME", "BucketName")):
                exported = {
                    output["Export"]["Name"]: output["Value"]
                    for output in assembly.data.outputs.values()
                    if "Export" in output
                }
                assert exported[variables[name]["Fn::ImportValue"]] == assembly.data.outputs[export]["Value"]


def test_every_log_ends_after_its_retention(default: Assembly, changed: Assembly) -> None:
    for assembly, days, policy in ((default, 90, "Retain"), (changed, 7, "Delete")):
        groups = assembly.api.of_type("AWS::Logs::LogGroup")
        assert len(groups) == len(MODULES) + len(DOORS)
        assert {group["Properties"]["RetentionInDays"] for group in groups.values()} == {days}
        assert {group["DeletionPolicy"] for group in groups.values()} == {policy}
        used = [assembly.api.function(module)["LoggingConfig"]["LogGroup"]["Ref"] for module in MODULES]
        assert len(set(used)) == len(MODULES)
        assert set(used) < groups.keys()


def test_only_the_doors_and_the_schedule_may_invoke(default: Assembly) -> None:
    allowed = set()
    modules = {logical_id: module for module, logical_id in default.api.functions().items()}
    for permission in default.api.of_type("AWS::Lambda::Permission").values():
        properties = permission["Properties"]
        source = text(properties["SourceArn"])
        door = next((door for door in DOORS if f"<{default.api.door(door)}>" in source), "Schedule")
        module = modules[properties["FunctionName"]["Fn::GetAtt"][0]]
        allowed.add((module, properties["Principal"], door))
    assert allowed == {
        (module, "apigateway.amazonaws.com", door) for module in MODULES - {"maintenance"} for door in DOORS
    } | {("maintenance", "events.amazonaws.com", "Schedule")}


def test_maintenance_runs_every_five_minutes_and_failures_are_kept(default: Assembly) -> None:
    rule = default.api.only("AWS::Events::Rule")["Properties"]
    assert (rule["ScheduleExpression"], rule["State"]) == ("rate(5 minutes)", "ENABLED")
    (target,) = rule["Targets"]
    assert target["Arn"]["Fn::GetAtt"][0] == default.api.functions()["maintenance"]
    queue = next(iter(default.api.of_type("AWS::SQS::Queue")))
    assert target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0] == queue
    invocation = default.api.only("AWS::Lambda::EventInvokeConfig")["Properties"]
    assert invocation["MaximumRetryAttempts"] == 0
    assert invocation["DestinationConfig"]["OnFailure"]["Destination"]["Fn::GetAtt"][0] == queue
    properties = default.api.only("AWS::SQS::Queue")["Properties"]
    assert properties["MessageRetentionPeriod"] == 14 * 24 * 3600
    assert properties["SqsManagedSseEnabled"] is True


def test_outputs(default: Assembly) -> None:
    policies = {f"{role}PolicyArn" for role in ("Admin", "Writer", "Reader")}
    assert default.api.outputs.keys() == {"KeyDoorUrl", "SignedDoorUrl"} | policies
    for door in DOORS:
        endpoint = {"Fn::GetAtt": [default.api.door(door), "ApiEndpoint"]}
        assert default.api.outputs[f"{door}Url"]["Value"] == endpoint


def test_both_doors_can_share_a_domain(changed: Assembly) -> None:
    ((name, resource),) = changed.api.of_type("AWS::ApiGatewayV2::DomainName").items()
    domain = resource["Properties"]
    assert domain["DomainName"] == "api.example.com"
    (configuration,) = domain["DomainNameConfigurations"]
    assert configuration["CertificateArn"].endswith("certificate/0a1b2c3d-0000-4000-8000-000000000000")
    assert configuration["SecurityPolicy"] == "TLS_1_2"
    mappings = [mapping["Properties"] for mapping in changed.api.of_type("AWS::ApiGatewayV2::ApiMapping").values()]
    assert {(mapping["ApiId"]["Ref"], mapping["ApiMappingKey"], mapping["Stage"]) for mapping in mappings} == {
        (changed.api.door("KeyDoor"), "keys", "$default"),
        (changed.api.door("SignedDoor"), "signed", "$default"),
    }
    assert text(changed.api.outputs["KeyDoorUrl"]["Value"]) == f"https://<{name}>/keys"
    assert text(changed.api.outputs["SignedDoorUrl"]["Value"]) == f"https://<{name}>/signed"
    assert "KeyDoorDomainTarget" in changed.api.outputs


def test_stacks_are_bound_to_no_account_and_no_region(default: Assembly, changed: Assembly) -> None:
    for assembly, name in ((default, "memory-stores"), (changed, "trial")):
        artifacts = assembly.json("manifest.json")["artifacts"]
        for stack, part in (("Data", "data"), ("Api", "api")):
            assert artifacts[stack]["environment"] == "aws://unknown-account/unknown-region"
            assert artifacts[stack]["properties"]["stackName"] == f"{name}-{part}"
        assert not re.search(
            r"\b(us|eu|ap)-[a-z]+-\d", json.dumps(default.api.document) + json.dumps(default.data.document)
        )


def test_an_emulator_is_deployed_with_the_credentials_at_hand(default: Assembly, changed: Assembly) -> None:
    for assembly, bootstrap_role in ((default, True), (changed, False)):
        stack = assembly.json("manifest.json")["artifacts"]["Api"]["properties"]
        assert ("assumeRoleArn" in stack) is bootstrap_role


def test_synthesis_warns_of_nothing(default: Assembly, changed: Assembly) -> None:
    for assembly in (default, changed):
        for stack in ("Data", "Api"):
            entries = [entry for found in assembly.json(f"{stack}.metadata.json").values() for entry in found]
            assert [entry for entry in entries if entry["type"] in ("aws:cdk:warning", "aws:cdk:error")] == []


def _stage(template: Template, door: str) -> dict[str, Any]:
    stages = [stage["Properties"] for stage in template.of_type("AWS::ApiGatewayV2::Stage").values()]
    stage: dict[str, Any]
    (stage,) = [stage for stage in stages if stage["ApiId"] == {"Ref": template.door(door)}]
    return stage
