"""What the functions' roles may do: named actions on named resources."""

import json

import pytest

from tests.infra.assembly import Assembly, text
from tests.infra.test_api_stack import MODULES

PLATFORM = {
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "xray:PutTraceSegments",
    "xray:PutTelemetryRecords",
}
WRITES = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem"}

# Two functions read and write bodies; the one that redacts and the one that purges erase them.
BODIES = {
    "stores": set(),
    "memories": {"s3:ListBucket", "s3:GetObject", "s3:PutObject"},
    "versions": {"s3:ListBucket", "s3:GetObject", "s3:PutObject", "s3:DeleteObject"},
    "api_keys": set(),
    "sessions": set(),
    "bindings": set(),
    "unrouted": set(),
    "maintenance": {"s3:ListBucket", "s3:DeleteObject"},
}


def test_each_function_has_a_role_of_its_own(default: Assembly) -> None:
    roles = [default.api.function(module)["Role"]["Fn::GetAtt"][0] for module in MODULES]
    assert len(set(roles)) == len(MODULES)
    for name in roles:
        role = default.api.of_type("AWS::IAM::Role")[name]
        assert role["Properties"].keys() == {"AssumeRolePolicyDocument"}  # no managed and no inline policy
        (statement,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        assert statement["Principal"] == {"Service": "lambda.amazonaws.com"}


@pytest.mark.parametrize("module", sorted(MODULES))
def test_actions_are_named_one_by_one(default: Assembly, module: str) -> None:
    for statement in default.api.statements(module):
        assert statement["Effect"] == "Allow"
        assert "NotAction" not in statement
    assert [action for action in default.api.actions(module) if "*" in action] == []
    assert default.api.actions(module) >= PLATFORM


def test_nothing_may_scan(default: Assembly) -> None:
    for template in (default.api, default.data):
        assert "scan" not in json.dumps(template.of_type("AWS::IAM::Policy")).lower()


@pytest.mark.parametrize("module", sorted(MODULES))
def test_only_redaction_and_purge_may_erase_bodies(default: Assembly, module: str) -> None:
    assert {action for action in default.api.actions(module) if action.startswith("s3:")} == BODIES[module]


def test_what_answers_unknown_routes_reaches_no_data(default: Assembly) -> None:
    assert default.api.actions("unrouted") == PLATFORM


def test_only_maintenance_sends_to_the_queue_of_failures(default: Assembly) -> None:
    senders = {module for module in MODULES if "sqs:SendMessage" in default.api.actions(module)}
    assert senders == {"maintenance"}


@pytest.mark.parametrize("module", sorted(MODULES))
def test_actions_are_bound_to_the_table_its_indexes_and_the_bucket(default: Assembly, module: str) -> None:
    exports = {
        output["Export"]["Name"]: text(output["Value"])
        for output in default.data.outputs.values()
        if "Export" in output
    }
    table = next(iter(default.data.of_type("AWS::DynamoDB::Table")))
    bucket = next(iter(default.data.of_type("AWS::S3::Bucket")))
    for statement in default.api.statements(module):
        resources = {text(resource) for resource in statement["Resource"]}
        for name, value in exports.items():
            resources = {resource.replace(f"<{name}>", value) for resource in resources}
        actions = set(statement["Action"])
        if any(action.startswith("dynamodb:") for action in actions):
            indexes = {f"<{table}.Arn>/index/{index}" for index in ("by_created", "by_memory")}
            assert resources <= {f"<{table}.Arn>", *indexes}
            if resources & indexes:
                assert not actions & WRITES
        elif "s3:ListBucket" in actions:
            assert resources == {f"<{bucket}.Arn>"}
        elif any(action.startswith("s3:") for action in actions):
            assert resources == {f"<{bucket}.Arn>/*"}
        else:
            assert ("*" in resources) is (actions <= {"xray:PutTraceSegments", "xray:PutTelemetryRecords"})
