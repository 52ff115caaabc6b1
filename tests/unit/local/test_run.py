"""The run command's own part: the port, one run a folder, the connection file, what is printed."""

import json
from pathlib import Path

import pytest

from infra.local.__main__ import alone, connection_file, main, parse_port, summary
from infra.local.deployment import AwsCredentials, Deployment
from infra.local.setup import LocalError

RUNNING = Deployment(
    endpoint_url="http://127.0.0.1:4566",
    key_door="http://127.0.0.1:4566/_aws/execute-api/aaaa",
    signed_door="http://127.0.0.1:4566/_aws/execute-api/bbbb",
    api_key="made-up",
    workspace_id="wrkspc_default",
    aws=AwsCredentials("AKIA", "made-up-too", "us-east-1"),
    table_name="table",
    bucket_name="bucket",
    outputs={"TableName": "table"},
)


@pytest.mark.parametrize("text", ["", "0", "65536", "http", "-1", "4566x", "٤٥٦٦"])
def test_what_is_not_a_port_is_refused(text: str) -> None:
    with pytest.raises(LocalError, match=r"is not a port"):
        parse_port(text)


def test_ports() -> None:
    assert (parse_port("1"), parse_port("65535")) == (1, 65535)


def test_a_refusal_is_one_sentence_and_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main("http", str(tmp_path)) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)


def test_a_second_run_in_the_same_folder_is_refused_and_harms_nothing(tmp_path: Path) -> None:
    with alone(tmp_path):
        (tmp_path / "connection.json").write_text("{}")
        with pytest.raises(LocalError, match=r"^It is running already"), alone(tmp_path):
            pass
        assert (tmp_path / "connection.json").exists()


def test_a_stale_connection_file_is_removed_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "connection.json").write_text("{}")
    with alone(tmp_path):
        assert not (tmp_path / "connection.json").exists()


def test_the_connection_file_tells_its_owner_how_to_connect_while_it_runs(tmp_path: Path) -> None:
    file = tmp_path / "connection.json"
    (tmp_path / "connection.new").write_text("left by a run that was killed")
    with connection_file(file, RUNNING):
        assert file.stat().st_mode & 0o777 == 0o600
        assert json.loads(file.read_text()) == {
            "key_door": RUNNING.key_door,
            "signed_door": RUNNING.signed_door,
            "api_key": "made-up",
            "workspace_id": "wrkspc_default",
            "aws": {"access_key_id": "AKIA", "secret_access_key": "made-up-too", "region": "us-east-1"},
        }
    assert list(tmp_path.iterdir()) == []


def test_the_summary_has_both_doors_the_key_and_a_curl_line(tmp_path: Path) -> None:
    lines = summary(RUNNING, tmp_path / "connection.json")
    assert RUNNING.key_door in lines
    assert RUNNING.signed_door in lines
    assert f"  curl -H 'Authorization: Bearer made-up' {RUNNING.key_door}/v1/memory_stores\n" in lines


def test_a_deployment_travels_as_json() -> None:
    assert Deployment.from_json(RUNNING.to_json()) == RUNNING
