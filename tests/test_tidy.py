"""`.ci/tidy.py` reports clang-tidy's findings in changed files, and what it had no time for."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
FAULTY = "int* none() { return 0; }\n"
pytestmark = pytest.mark.skipif(
    not shutil.which("clang-tidy"), reason="clang-tidy is not on PATH: pip install clang-tidy"
)


def git(folder: Path, *arguments: str) -> None:
    author = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", str(folder), *author, *arguments], check=True)


@pytest.fixture
def tidy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, working on a small repository whose second commit changes new.cpp."""
    spec = importlib.util.spec_from_file_location("tidy", ROOT / ".ci/tidy.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "includers", lambda headers, sources: {h: [] for h in headers})
    git(tmp_path, "init", "-q")
    shutil.copy(ROOT / ".clang-tidy", tmp_path)
    for name in ("old.cpp", "new.cpp"):
        (tmp_path / name).write_text(FAULTY)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", name)
    entries = [
        {"file": str(tmp_path / name), "directory": str(tmp_path), "command": f"c++ -c {name}"}
        for name in ("old.cpp", "new.cpp")
    ]
    (tmp_path / "build").mkdir()
    (tmp_path / "build/compile_commands.json").write_text(json.dumps(entries))
    return module


def run(module: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["tidy.py", *arguments])
    return module.main()


def test_findings_in_changed_files_fail(
    tidy: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tidy, monkeypatch, "HEAD~1") == 1
    output = capsys.readouterr().out
    assert "new.cpp:1:" in output and "modernize-use-nullptr" in output
    assert "old.cpp" not in output
    assert "1 files checked, 1 with findings" in output


def test_repaired_files_pass(
    tidy: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "new.cpp").write_text(FAULTY.replace("0", "nullptr"))
    assert run(tidy, monkeypatch, "HEAD~1") == 0


def test_files_restored_since_are_not_checked(
    tidy: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "old.cpp").write_text(FAULTY * 2)
    git(tmp_path, "commit", "-q", "-a", "-m", "change")
    (tmp_path / "old.cpp").write_text(FAULTY)
    git(tmp_path, "commit", "-q", "-a", "-m", "restore")
    assert tidy.changed_files("HEAD~2") == []
    assert tidy.changed_files("HEAD~3") == ["new.cpp"]


def test_files_left_out_are_named(
    tidy: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tidy, monkeypatch, "HEAD~1", "--limit", "-1") == 0
    assert "left out after -1 s: new.cpp" in capsys.readouterr().out
