"""The agent role: who may become an agent, for how long, and that every function knows it."""

import pytest

from tests.infra.assembly import Assembly
from tests.infra.test_api_stack import MODULES


def agent_role(assembly: Assembly) -> str:
    """Logical id of the one role that no function runs under."""
    running = {assembly.api.function(module)["Role"]["Fn::GetAtt"][0] for module in MODULES}
    (found,) = assembly.api.of_type("AWS::IAM::Role").keys() - running
    return found


def test_the_sessions_function_alone_becomes_an_agent(default: Assembly) -> None:
    trust = default.api.of_type("AWS::IAM::Role")[agent_role(default)]["Properties"]["AssumeRolePolicyDocument"]
    assert trust["Statement"] == [
        {
            "Action": "sts:AssumeRole",
            "Effect": "Allow",
            "Principal": {"AWS": default.api.function("sessions")["Role"]},
        }
    ]


def test_nothing_else_may_assume_or_hand_on_a_role(default: Assembly) -> None:
    found = [
        (module, statement["Action"], statement["Resource"])
        for module in sorted(MODULES)
        for statement in default.api.statements(module)
        if any(action.startswith(("sts:", "iam:")) for action in statement["Action"])
    ]
    assert found == [("sessions", ["sts:AssumeRole"], [{"Fn::GetAtt": [agent_role(default), "Arn"]}])]


def test_the_agent_role_has_one_policy_and_an_hour(default: Assembly) -> None:
    role = default.api.of_type("AWS::IAM::Role")[agent_role(default)]["Properties"]
    assert role.keys() == {"AssumeRolePolicyDocument", "Description", "MaxSessionDuration"}
    assert role["MaxSessionDuration"] == 3600
    kinds = ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy")
    policies = [policy["Properties"] for kind in kinds for policy in default.api.of_type(kind).values()]
    attached = [policy for policy in policies if {"Ref": agent_role(default)} in policy.get("Roles", [])]
    assert len(attached) == 1  # tests/infra/test_access.py reads it


@pytest.mark.parametrize("module", sorted(MODULES))
def test_every_function_recognizes_agents_by_their_role(default: Assembly, changed: Assembly, module: str) -> None:
    for assembly in (default, changed):
        variables = assembly.api.function(module)["Environment"]["Variables"]
        assert variables["AGENT_ROLE_ARN"] == {"Fn::GetAtt": [agent_role(assembly), "Arn"]}
