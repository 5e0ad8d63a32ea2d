"""setup.py and pip refuse a Python that is too old with one line and without a traceback."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from checkout import Checkout
from pythons import find_python

OLD = ("3.8", "3.9", "3.10")
VARIABLES = {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def run(python: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **VARIABLES}
    for name in ("VIRTUAL_ENV", "PYTHONPATH"):
        env.pop(name, None)
    command = [str(python), *arguments]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("version", OLD)
@pytest.mark.parametrize("command", ["develop", "--version"])
def test_setup_py_ends_with_one_line_and_code_3(
    checkout: Checkout, version: str, command: str
) -> None:
    before = checkout.files()
    result = run(find_python(version), "setup.py", command, cwd=checkout.root)
    assert result.returncode == 3
    (line,) = (result.stdout + result.stderr).splitlines()
    assert line.startswith("error: Python 3.11 or newer is needed; this is 3.")
    assert checkout.files() == before


def test_python_2_is_refused_too(checkout: Checkout) -> None:
    result = run(find_python_2(), "setup.py", "develop", cwd=checkout.root)
    assert result.returncode == 3
    assert result.stderr.startswith("error: Python 3.11 or newer is needed; this is 2.7")


def find_python_2() -> Path:
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for found in sorted(pyenv.glob("versions/2.7.*/bin/python2.7")):
        return found
    pytest.skip("install Python 2.7 with pyenv")


@pytest.mark.parametrize("version", OLD)
@pytest.mark.parametrize("editable", [(), ("-e",)], ids=["wheel", "editable"])
def test_pip_names_the_required_python(
    checkout: Checkout, tmp_path: Path, version: str, editable: tuple[str, ...]
) -> None:
    """Without isolation, pip runs the backend's hooks in the old Python."""
    arguments = ("-m", "pip", "install", "--no-build-isolation", "--prefix", str(tmp_path))
    result = run(find_python(version), *arguments, *editable, ".", cwd=checkout.root)
    output = result.stdout + result.stderr
    assert result.returncode == 1
    assert "Package 'tiny-project' requires a different Python: 3." in output
    assert "not in '>=3.11'" in output
    assert "Traceback" not in output


@pytest.mark.parametrize("version", OLD)
@pytest.mark.parametrize("hook", ["build_wheel", "build_editable", "build_sdist"])
def test_a_hook_that_builds_ends_with_one_line_and_code_3(
    checkout: Checkout, tmp_path: Path, version: str, hook: str
) -> None:
    """`python -m build` does not request metadata first."""
    call = f"from tools.setup_helpers import backend; backend.{hook}({str(tmp_path)!r})"
    result = run(find_python(version), "-c", call, cwd=checkout.root)
    assert result.returncode == 3
    (line,) = (result.stdout + result.stderr).splitlines()
    assert line.startswith("error: Python 3.11 or newer is needed; this is 3.")
