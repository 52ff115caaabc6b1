"""cfn-lint on what is deployed, for regions that differ."""

import subprocess
import sys
from pathlib import Path

from tests.infra.assembly import Assembly

REGIONS = ("us-east-1", "eu-central-1", "ap-southeast-2")


def test_templates_have_no_lint(default: Assembly, changed: Assembly) -> None:
    templates = [str(path) for assembly in (default, changed) for path in assembly.folder.glob("*.template.json")]
    assert len(templates) == 4
    command = [str(Path(sys.executable).with_name("cfn-lint")), "--regions", *REGIONS]
    command += ["--ignore-checks", "W3005", "--", *templates]  # the CDK names dependencies that a reference implies
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.stdout + result.stderr == ""
    assert result.returncode == 0
