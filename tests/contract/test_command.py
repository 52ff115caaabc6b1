"""The command for whoever runs a deployment: what it refuses, in one sentence and without a traceback."""

import importlib

import pytest

from tests.support.client import Client
from tests.support.moto_backend import TABLE, MotoBackend

pytestmark = pytest.mark.moto_only

ROLE = "arn:aws:iam::111122223333:role/Agent"


def fails(*arguments: str) -> None:
    with pytest.raises(SystemExit) as ended:
        importlib.import_module("memory_stores.command").main([*arguments])
    assert ended.value.code != 0


@pytest.mark.parametrize("arn", ["", "Agent", f"{ROLE} ", "arn:aws:s3:::bucket", "arn:aws:iam::111122223333:group/a"])
def test_what_is_no_role_or_user_is_not_mapped(moto: MotoBackend, capsys: pytest.CaptureFixture[str], arn: str) -> None:
    fails("map-principal", "--table", TABLE, "--arn", arn, "--workspace", "wrkspc_a", "--role", "admin")
    assert "arn: must be the ARN" in capsys.readouterr().err


@pytest.mark.parametrize("workspace", ["", "a#b", "a/b", "ä", "w" * 65])
def test_a_workspace_id_holds_no_separator(
    moto: MotoBackend, capsys: pytest.CaptureFixture[str], workspace: str
) -> None:
    fails("map-principal", "--table", TABLE, "--arn", ROLE, "--workspace", workspace, "--role", "admin")
    fails("create-api-key", "--table", TABLE, "--name", "n", "--workspace", workspace)
    assert capsys.readouterr().err.count("workspace: must be") == 2


def test_a_mapping_ends_when_it_is_unmapped(moto: MotoBackend, capsys: pytest.CaptureFixture[str]) -> None:
    stores = "/v1/memory_stores"
    caller = Client(moto.signed_door(ROLE))
    moto.command("map-principal", "--arn", ROLE, "--workspace", "wrkspc_a", "--role", "read_only")
    assert caller.post(stores, {"name": "n"}).status == 403
    moto.command("unmap-principal", "--arn", ROLE)
    assert caller.post(stores, {"name": "n"}).status == 200
    fails("unmap-principal", "--table", TABLE, "--arn", ROLE)
    assert "not found" in capsys.readouterr().err


def test_a_table_that_is_not_there_is_one_sentence(moto: MotoBackend, capsys: pytest.CaptureFixture[str]) -> None:
    fails("create-api-key", "--table", "nowhere", "--name", "n")
    assert "Traceback" not in capsys.readouterr().err
