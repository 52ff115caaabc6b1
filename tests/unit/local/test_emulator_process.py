"""What the emulator is given beside its own code."""

import zipfile
from pathlib import Path

from infra.local.emulator_process import SharedPackage


def test_a_package_is_extracted_once_for_all_workers(tmp_path: Path) -> None:
    code = [_worker(tmp_path, name, "print(1)") for name in ("first", "second")]
    other = _worker(tmp_path, "third", "print(2)")
    assert [folder.resolve() for folder in code] == [code[0].resolve()] * 2
    assert [(folder / "stores.py").read_text() for folder in (*code, other)] == ["print(1)", "print(1)", "print(2)"]


def _worker(folder: Path, name: str, source: str) -> Path:
    """What MiniStack does for each worker of a function."""
    code = folder / name / "code"
    code.mkdir(parents=True)
    package = folder / name / "code.zip"
    with zipfile.ZipFile(package, "w") as made:
        made.writestr(zipfile.ZipInfo("stores.py"), source)
    with SharedPackage(package) as opened:
        opened.extractall(str(code))
    return code
