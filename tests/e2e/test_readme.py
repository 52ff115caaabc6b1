"""The examples of the README, run as they are written, one after the other, the way a new user pastes them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from infra.local import tools
from infra.local.deployment import Deployment
from infra.local.setup import ROOT
from tests.contract.agents import Binder, agent_with
from tests.contract.steps import FORBIDDEN, UNAUTHENTICATED, StoreClient, refused
from tests.support.client import Client
from tests.support.ministack_backend import MiniStackBackend

SECTIONS = ("First calls", "Give an agent its memory")
PASTED = {"sh": "{}", "python": "python - <<'PASTED'\n{}PASTED\n"}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What the user copies from what the run command printed.
TO_FILL_IN = re.compile(r"^export (\w+)=\.\.\..*\n", re.MULTILINE)
SHOW_ENVIRONMENT = "echo; python -c 'import json, os; print(json.dumps(dict(os.environ)))'"
CURL = (7, 86)


def examples() -> str:
    """All that is to be pasted, in one script."""
    readme = (ROOT / "README.md").read_text()
    sections = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", readme, re.MULTILINE))
    blocks = [match.groups() for name in SECTIONS for match in BLOCK.finditer(sections[name])]
    assert {language for language, _ in blocks} == set(PASTED)
    return "\necho\n".join(PASTED[language].format(text) for language, text in blocks)


def has_tools() -> bool:
    """Whether there are a bash and a curl that can sign as an agent."""
    if not (shutil.which("bash") and shutil.which("curl")):
        return False
    version = re.match(r"curl (\d+)\.(\d+)", subprocess.check_output(["curl", "--version"], text=True))
    return version is not None and (int(version[1]), int(version[2])) >= CURL


@pytest.mark.skipif(not has_tools(), reason="needs bash, and curl 7.86 or later")
def test_the_examples_do_what_they_say(
    deployed: Deployment, backend: MiniStackBackend, api: Client, tmp_path: Path
) -> None:
    filled_in = {"BASE_URL": deployed.key_door, "API_KEY": str(api.key), "SIGNED_URL": deployed.signed_door}
    script = examples()
    assert set(TO_FILL_IN.findall(script)) == set(filled_in)
    # With these, a call that is refused ends the script.
    (tmp_path / ".curlrc").write_text("fail-with-body\nshow-error\n")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"{TO_FILL_IN.sub('', script)}\n{SHOW_ENVIRONMENT}"],
        cwd=tmp_path,
        env=tools.environment(**filled_in, CURL_HOME=str(tmp_path), HOME=str(tmp_path)),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    *printed, environment = done.stdout.strip().splitlines()
    assert "/launch.md We launch in May." in printed
    assert "/retro.md Start earlier." in printed
    assert_done(backend, api, json.loads(environment))


def assert_done(backend: MiniStackBackend, api: Client, environment: dict[str, Any]) -> None:
    """What the examples leave behind, whose values are in the environment."""
    assert {store["name"] for store in api.walk("/v1/memory_stores")} == {"Team notes", "Plans"}
    plans = StoreClient(api, environment["STORE"])
    me = {"type": "session_actor", "session_id": environment["SESSION"]}
    assert [(version["path"], version["created_by"]) for version in plans.history()] == [
        ("/retro.md", me),
        ("/launch.md", me),
    ]
    assert Binder(api, "deployments").resources() == []
    refused(api.with_key(environment["TOKEN"]).get(plans.url), UNAUTHENTICATED)
    names = ("access_key_id", "secret_access_key", "session_token")
    aws = {"type": "aws", **{name: environment[f"AWS_{name.upper()}"] for name in names}}
    refused(agent_with(backend, aws).get(plans.url), FORBIDDEN)
