"""cdk-nag: no finding without an acknowledgement, no acknowledgement without a finding."""

from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack, Validations
from cdk_nag import AwsSolutionsChecks, ServerlessChecks
from constructs import Construct

import infra.nag
from infra import PROJECT
from infra.api import ApiStack
from infra.data import DataStack
from infra.settings import Settings, default_context
from tests.infra.assembly import Assembly, run_app
from tests.infra.conftest import CHANGED

WITHOUT_ACKNOWLEDGEMENTS = f"""
import runpy, sys
sys.path.insert(0, {str(PROJECT)!r})
import infra.nag
infra.nag.acknowledge = lambda *_: None
runpy.run_path({str(PROJECT / "app.py")!r}, run_name="__main__")
"""


def test_both_packs_pass(default: Assembly, changed: Assembly) -> None:
    for assembly in (default, changed):
        assert assembly.json("validation-report.json")["pluginReports"] == []


def test_a_finding_of_either_pack_stops_the_app(tmp_path: Path) -> None:
    result = run_app(tmp_path, {}, "-c", WITHOUT_ACKNOWLEDGEMENTS)
    assert result.returncode != 0
    reports = Assembly(tmp_path).json("validation-report.json")["pluginReports"]
    assert {report["pluginName"] for report in reports} == {"AwsSolutions", "Serverless"}


@pytest.mark.parametrize("changes", [{}, CHANGED], ids=["default", "changed"])
def test_each_acknowledgement_answers_a_finding_of_its_own_construct(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str]
) -> None:
    acknowledged: list[tuple[str, str]] = []

    class Recorder:
        """Stands in for the CDK's validations: notes an acknowledgement and grants none."""

        def __init__(self, construct: Construct) -> None:
            self.construct = construct

        @classmethod
        def of(cls, construct: Construct) -> "Recorder":
            return cls(construct)

        def acknowledge(self, *rules: Any) -> None:
            for rule in rules:
                assert len(rule.reason) > 30, "an acknowledgement says why"
                assert not isinstance(self.construct, App | Stack), "an acknowledgement stands on its own construct"
                acknowledged.append((self.construct.node.path, rule.id))

    monkeypatch.setattr(infra.nag, "Validations", Recorder)
    context = {**default_context(PROJECT / "cdk.json"), "aws:cdk:bundling-stacks": [], **changes}
    app = App(context=context, outdir=str(tmp_path))
    settings = Settings.from_context(app.node.get_all_context())
    ApiStack(app, settings, DataStack(app, settings))
    Validations.of(app).add_plugins(AwsSolutionsChecks(app), ServerlessChecks(app))
    with pytest.raises(RuntimeError, match="AwsSolutions"):
        app.synth()
    reports = Assembly(tmp_path).json("validation-report.json")["pluginReports"]
    found = [
        (construct["constructPath"], violation["ruleName"])
        for report in reports
        for violation in report["violations"]
        for construct in violation["violatingConstructs"]
    ]
    assert found, "without acknowledgements there are findings"

    def answers(acknowledgement: tuple[str, str], finding: tuple[str, str]) -> bool:
        return acknowledgement[1] == finding[1] and f"{finding[0]}/".startswith(f"{acknowledgement[0]}/")

    assert [item for item in found if not any(answers(one, item) for one in acknowledged)] == []
    assert [one for one in acknowledged if not any(answers(one, item) for item in found)] == []
