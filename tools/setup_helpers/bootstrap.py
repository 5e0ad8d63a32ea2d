"""A fresh machine: the build requirements of pyproject.toml, installed with pip where that is allowed.

Into the running virtual environment; outside one, into the checkout's own `.venv`, which later
commands use by themselves.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import tomllib

from .beside import at_once
from .distributions import look_again, missing_requirements
from .errors import environment_error
from .graph.toolchain import find_tool
from .pip import cannot_make, install
from .programs import Programs
from .table.config import Config

MARK = "made-by-setup"


def in_virtual_environment() -> bool:
    conda = os.environ.get("CONDA_PREFIX")
    return sys.prefix != sys.base_prefix or bool(conda and Path(conda) == Path(sys.prefix))


def activation_line(root: Path) -> str:
    """How to use the checkout's own environment; empty when it is not the running one's way in."""
    own = root / ".venv"
    if (
        Path(sys.prefix) == own
        and (own / MARK).exists()
        and os.environ.get("PATH", "").split(":")[0] != str(own / "bin")
    ):
        return f"activate with: source {own}/bin/activate"
    return ""


def choose_environment(root: Path, arguments: list[str], *, system: bool) -> None:
    """Does not return when the command goes on in another interpreter."""
    if not in_virtual_environment() and not system:
        _continue_in_own_environment(root, arguments)


def ensure_build_requirements(config: Config, programs: Programs) -> None:
    """Installs what the running Python and the machine still lack."""
    project = config.project
    requirements = list(_pyproject(config.root)["build-system"]["requires"])
    # Not in the one list, because a machine's own serve as well when they are new enough.
    tools = (("cmake", project.cmake_minimum), ("ninja", project.ninja_minimum))
    found = at_once([partial(find_tool, *tool, programs) for tool in tools], programs.stop)
    requirements += [f"{n}>={v}" for (n, v), tool in zip(tools, found, strict=True) if not tool]
    if missing := missing_requirements(requirements):
        print(f"installing build requirements: {', '.join(missing)}", flush=True)
        install("the build requirements", missing)
        look_again()


def ensure_group(root: Path, group: str, *, system: bool) -> None:
    """Installs what a dependency group of pyproject.toml still lacks."""
    groups = _pyproject(root).get("dependency-groups", {})
    missing = missing_requirements(_group(groups, group))
    if not missing:
        return
    if not in_virtual_environment() and not system:
        raise environment_error(
            f"missing for {group}: {', '.join(missing)}",
            hint="activate a virtual environment, or pass --system",
        )
    print(f"installing {group} requirements: {', '.join(missing)}", flush=True)
    install(f"the {group} requirements", missing)


def _group(groups: dict[str, Any], name: str) -> list[str]:
    requirements: list[str] = []
    for entry in groups.get(name, []):
        if isinstance(entry, dict):
            requirements += _group(groups, entry["include-group"])
        else:
            requirements.append(entry)
    return requirements


def _pyproject(root: Path) -> dict[str, Any]:
    try:
        return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise environment_error("cannot read pyproject.toml", cause=str(error)) from error


def _continue_in_own_environment(root: Path, arguments: list[str]) -> None:
    own = root / ".venv"
    python = own / "bin" / "python"
    if not python.exists():
        print(f"making the virtual environment {own}", flush=True)
        result = subprocess.run(
            [sys.executable, "-m", "venv", str(own)], capture_output=True, text=True, check=False
        )
        if result.returncode:
            said = (result.stdout + result.stderr).strip()
            raise environment_error(f"cannot make {own}", cause=said, hint=cannot_make(own, said))
        (own / MARK).write_text("setup.py runs here when no other virtual environment is active\n")
    elif not (own / MARK).exists():
        raise environment_error(
            f"{own} exists and was not made by setup.py",
            hint=f"source {own}/bin/activate, or pass --system",
        )
    sys.stdout.flush()
    os.environ.setdefault("VIRTUAL_ENV", str(own))  # as in every later run
    os.execv(python, [str(python), str(root / "setup.py"), *arguments])
