"""When the app is deployed again, and what is said when that fails."""

import shutil
from pathlib import Path

import pytest

from infra.local import application
from infra.local.setup import ROOT


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that the fingerprint covers, somewhere else."""
    root = tmp_path / "local" / "project"  # a folder that has the name of an ignored one
    for name in ("functions", "infra", "requirements"):
        shutil.copytree(ROOT / name, root / name)
    for name in ("app.py", "cdk.json", "package-lock.json"):
        shutil.copy(ROOT / name, root / name)
    monkeypatch.setattr(application, "ROOT", root)
    return root


@pytest.mark.parametrize("name", ["functions/memory_stores/routes.py", "infra/data.py", "cdk.json", "app.py"])
def test_a_change_of_what_is_deployed_is_noticed(name: str, copy: Path) -> None:
    before = application.fingerprint({})
    with (copy / name).open("a") as file:
        file.write(" ")
    assert application.fingerprint({}) != before


def test_a_new_file_and_a_setting_are_noticed(copy: Path) -> None:
    before = application.fingerprint({})
    assert application.fingerprint({"log_level": "DEBUG"}) != before
    (copy / "functions" / "memory_stores" / "words.json").write_text("[]")
    assert application.fingerprint({}) != before


def test_what_is_not_deployed_does_not_count(copy: Path) -> None:
    before = application.fingerprint({})
    (copy / "infra" / "local" / "emulator.py").write_text("")
    (copy / "functions" / "__pycache__").mkdir(exist_ok=True)
    (copy / "functions" / "__pycache__" / "stores.pyc").write_text("")
    (copy / "requirements" / "ministack.txt").write_text("")
    assert application.fingerprint({}) == before


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        pytest.param(
            "Traceback:\n  raise ValueError(x)\nValueError: no\npython app.py: Subprocess exited with error 1",
            "ValueError: no",
            id="exception",
        ),
        pytest.param("Setting log_level: must be\npython app.py: error 1", "Setting log_level: must be", id="setting"),
        pytest.param(
            "Api | 2/9 | 5:48:31 PM | CREATE_FAILED        | AWS::S3::Bucket | Api/B (B1) taken\n‣ RollbackError: x",
            "AWS::S3::Bucket | Api/B (B1) taken",
            id="resource",
        ),
        pytest.param("Api: publishing\n‣ NotFound: no such bucket\n", "NotFound: no such bucket", id="command line"),
        pytest.param("Api: deploying\nTemplate format error\n\n", "Template format error", id="last line"),
        pytest.param("", "it said nothing", id="nothing"),
    ],
)
def test_the_most_telling_line_of_a_failure_is_told(output: str, reason: str) -> None:
    assert application.failure_reason(output.split("\n")) == reason
