"""The published contract: current, valid, and of the same routes as the deployment and the README."""

import json
import re
import subprocess
from typing import Any

import pytest

from infra.local import tools
from infra.openapi.__main__ import FILE, text
from tests.infra.assembly import OFFLINE_ENVIRONMENT, PROJECT, Assembly

README = PROJECT / "README.md"
_ROW = re.compile(r"\| *(GET|POST|PUT|PATCH|DELETE) *\| *`(/v1/[^`]*)` *\|")
_METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    """The document as it is kept."""
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The operations of a document, by route key."""
    return {
        f"{method.upper()} {path}": operation
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in _METHODS
    }


def test_the_document_is_what_the_code_makes() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "the published contract is out of date: run `make openapi`"


def test_the_document_is_valid_and_so_are_its_examples() -> None:
    environment = tools.environment(
        NODE_OPTIONS=OFFLINE_ENVIRONMENT["NODE_OPTIONS"],
        REDOCLY_TELEMETRY="off",
        REDOCLY_SUPPRESS_UPDATE_NOTICE="true",
    )
    command = [str(tools.node_command("redocly")), "lint", str(FILE), "--config", str(PROJECT / "redocly.yaml")]
    result = subprocess.run(command, env=environment, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "warning" not in result.stdout + result.stderr


@pytest.mark.parametrize("door", ["KeyDoor", "SignedDoor"])
def test_the_deployed_routes_are_the_published_ones(default: Assembly, published: dict[str, Any], door: str) -> None:
    assert set(default.api.routes(door)) - {"$default"} == set(operations(published))


def test_the_routes_of_the_readme_are_the_published_ones(published: dict[str, Any]) -> None:
    assert README.exists(), "README.md is missing: its table of routes has rows like | GET | `/v1/memory_stores` | … |"
    rows = [" ".join(row) for row in _ROW.findall(README.read_text(encoding="utf-8"))]
    assert len(rows) == len(set(rows)), "a route is in the README twice"
    assert set(rows) == set(operations(published))
