"""Setting up: what a machine must have, and that nothing is installed twice."""

import importlib.util
from pathlib import Path

import pytest

from infra.local import setup


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    file = tmp_path / "lock.txt"
    file.write_text("package==1")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "environment"
    folder.mkdir()
    return folder


def test_an_older_python_is_refused_in_one_sentence() -> None:
    with pytest.raises(setup.LocalError, match=r"^Python 3\.11 or later is needed and this is 3\.10: .*\.$"):
        setup.check_python((3, 10))


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_the_venv_module_is_refused(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == module else found(name))
    with pytest.raises(setup.LocalError, match=f"{module} module is missing: install"):
        setup.check_python()


def test_this_python_will_do() -> None:
    setup.check_python()


def test_what_is_complete_is_not_installed_again(folder: Path, lock: Path) -> None:
    installs: list[str] = []
    setup.prepare(folder, [lock], lambda: installs.append("first"))
    setup.prepare(folder, [lock], lambda: installs.append("unneeded"))
    lock.write_text("package==2")
    setup.prepare(folder, [lock], lambda: installs.append("changed"))
    assert installs == ["first", "changed"]


def test_what_failed_half_way_is_installed_again(folder: Path, lock: Path) -> None:
    def fail() -> None:
        raise setup.LocalError("no network")

    installs: list[str] = []
    setup.prepare(folder, [lock], lambda: None)
    lock.write_text("package==2")
    with pytest.raises(setup.LocalError):
        setup.prepare(folder, [lock], fail)
    setup.prepare(folder, [lock], lambda: installs.append("again"))
    assert installs == ["again"]


def test_node_that_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "PROJECT", tmp_path)
    with pytest.raises(setup.LocalError, match="^Node is missing"):
        setup.node_folder()


@pytest.mark.parametrize("file", [*sorted(setup.REQUIREMENTS.iterdir()), setup.ROOT / "package-lock.json"], ids=str)
def test_no_lock_names_the_host_of_a_registry(file: Path) -> None:
    text = file.read_text()
    assert "://" not in text.replace("https://opencollective.com", "").replace("https://github.com", ""), file
    assert '"resolved"' not in text


def test_every_pin_has_a_hash() -> None:
    for file in setup.REQUIREMENTS.glob("*.txt"):
        for requirement in file.read_text().replace("\\\n", "").splitlines():
            if not requirement.lstrip().startswith("#"):
                assert "==" in requirement, (file, requirement)
                assert "--hash=sha256:" in requirement, (file, requirement)
