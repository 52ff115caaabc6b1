"""What `python app.py` makes of some settings, read back from the files it wrote."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
OFFLINE = Path(__file__).with_name("offline")

Resource = dict[str, Any]

# A machine without AWS account, network, Docker or Node of its own.
OFFLINE_ENVIRONMENT = {
    "PATH": "/nonexistent",
    "HOME": "/nonexistent",
    "PYTHONPATH": str(OFFLINE),
    "NODE_OPTIONS": f"--require {OFFLINE / 'refuse.cjs'}",
    "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
}


def run_app(folder: Path, context: Mapping[str, Any], *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Synthesize into the folder as a machine without network does it; the functions' package is left out.

    `arguments` for Python replace the app.
    """
    environment = OFFLINE_ENVIRONMENT | {
        "CDK_OUTDIR": str(folder),
        "CDK_CONTEXT_JSON": json.dumps({"aws:cdk:bundling-stacks": [], **context}),
    }
    command = [sys.executable, *(arguments or (str(PROJECT / "app.py"),))]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)


class Assembly:
    """The synthesized templates of both stacks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of(cls, folder: Path, context: Mapping[str, Any]) -> "Assembly":
        result = run_app(folder, context)
        assert result.returncode == 0, result.stdout + result.stderr
        return cls(folder)

    def json(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text())

    @cached_property
    def data(self) -> "Template":
        return Template(self.json("Data.template.json"))

    @cached_property
    def api(self) -> "Template":
        return Template(self.json("Api.template.json"))


class Template:
    """One CloudFormation template."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.outputs: dict[str, Any] = document["Outputs"]

    def of_type(self, kind: str) -> dict[str, Resource]:
        """All resources of a type, by logical id."""
        resources: dict[str, Resource] = self.document["Resources"]
        return {name: resource for name, resource in resources.items() if resource["Type"] == kind}

    def only(self, kind: str) -> Resource:
        """The one resource of a type."""
        (resource,) = self.of_type(kind).values()
        return resource

    def functions(self) -> dict[str, str]:
        """Logical ids of the functions, by the name of their module."""
        found = self.of_type("AWS::Lambda::Function")
        return {resource["Properties"]["Handler"].removesuffix(".handler"): name for name, resource in found.items()}

    def function(self, module: str) -> dict[str, Any]:
        """The properties of one function."""
        properties: dict[str, Any] = self.document["Resources"][self.functions()[module]]["Properties"]
        return properties

    def statements(self, module: str) -> list[dict[str, Any]]:
        """All statements of one function's role, actions and resources as lists."""
        (role,) = self.function(module)["Role"]["Fn::GetAtt"][:1]
        policies = self.of_type("AWS::IAM::Policy").values()
        attached = [policy["Properties"] for policy in policies if {"Ref": role} in policy["Properties"]["Roles"]]
        statements = [statement for policy in attached for statement in policy["PolicyDocument"]["Statement"]]
        return [
            {**statement, "Action": as_list(statement["Action"]), "Resource": as_list(statement["Resource"])}
            for statement in statements
        ]

    def actions(self, module: str) -> set[str]:
        """All actions that one function's role allows."""
        return {action for statement in self.statements(module) for action in statement["Action"]}

    def door(self, name: str) -> str:
        """Logical id of a door's API."""
        (found,) = [
            logical_id
            for logical_id, api in self.of_type("AWS::ApiGatewayV2::Api").items()
            if api["Properties"]["Name"].endswith(name)
        ]
        return found

    def routes(self, door: str) -> dict[str, dict[str, Any]]:
        """The properties of a door's routes, by route key."""
        routes = [route["Properties"] for route in self.of_type("AWS::ApiGatewayV2::Route").values()]
        return {route["RouteKey"]: route for route in routes if route["ApiId"] == {"Ref": self.door(door)}}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def text(value: Any) -> str:
    """An intrinsic function as one string, references as `<name>`."""
    if isinstance(value, str):
        return value
    ((function, argument),) = value.items()
    if function == "Fn::Join":
        separator: str = argument[0]
        return separator.join(text(part) for part in argument[1])
    return f"<{'.'.join(as_list(argument))}>"
