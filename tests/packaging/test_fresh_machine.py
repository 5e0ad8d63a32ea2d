"""A machine with only Python, pip and a compiler: missing requirements are installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from checkout import Environment, make_checkout, make_environment

pytestmark = pytest.mark.network


def variables(home: Path, *folders: Path) -> dict[str, str]:
    """Return the variables of a login shell and the settings of pip, which include its index."""
    kept = ("LANG", "CC", "CXX", *(name for name in os.environ if name.startswith("PIP_")))
    values = {name: os.environ[name] for name in kept if name in os.environ}
    system = [*map(str, folders), "/usr/local/bin", "/usr/bin", "/bin"]
    return values | {"PATH": os.pathsep.join(system), "HOME": os.environ.get("HOME", str(home))}


def run(command: list[str], cwd: Path, env: dict[str, str]) -> str:
    result = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


def test_without_a_virtual_environment_one_is_created_and_used(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path / "checkout", Environment(tmp_path / "none"))
    python = str(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info[1]}")
    env = variables(tmp_path)
    output = run([python, "setup.py", "develop"], checkout.root, env)
    own = checkout.root / ".venv" / "bin" / "python"
    assert output.rstrip().splitlines()[-1].endswith(f"source {own.parent}/activate")
    out = run([str(own), "-c", "import tiny; print(*tiny.words())"], tmp_path, env)
    assert out == "HELLO WORLD\n"
    assert "up to date" in run([python, "setup.py", "develop"], checkout.root, env)


def test_requirements_go_into_the_active_environment(tmp_path: Path) -> None:
    environment = make_environment(tmp_path / "environment", packages=False)
    checkout = make_checkout(tmp_path / "checkout", environment)
    env = variables(tmp_path, environment.python.parent) | {"VIRTUAL_ENV": str(environment.folder)}
    run([str(environment.python), "setup.py", "develop"], checkout.root, env)
    assert not (checkout.root / ".venv").exists()
    command = [str(environment.python), "-c", "import tiny; print(*tiny.words())"]
    assert run(command, tmp_path, env) == "HELLO WORLD\n"


def test_pip_builds_in_isolation(tmp_path: Path) -> None:
    environment = make_environment(tmp_path / "environment", packages=False)
    checkout = make_checkout(tmp_path / "checkout", environment)
    env = variables(tmp_path, environment.python.parent)
    run([str(environment.python), "-m", "pip", "install", "."], checkout.root, env)
    command = [str(environment.python), "-c", "import tiny; print(*tiny.words())"]
    assert run(command, tmp_path, env) == "HELLO WORLD\n"
