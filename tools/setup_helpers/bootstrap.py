"""Install the build requirements of pyproject.toml with pip where that is allowed.

They go into the running virtual environment. Outside one, they go into the checkout's own environment
for this version of Python, which later commands use automatically.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import tomllib

from tools.base.distributions import (
    forget_installed,
    installed_version,
    missing_requirements,
    required_name,
)
from tools.base.errors import BuildError, environment_error
from tools.base.programs import Programs

from .env.options import Options
from .own_environment import (
    FIRST,
    MARK,
    SETTINGS,
    UNFINISHED,
    in_virtual_environment,
    is_whole,
    own_environment,
    python_of,
    run_in,
    version_of,
)
from .package.pip import creation_hint, install
from .probes.build_tool import find_tool, requirement
from .table.config import Config
from .table.predicates import evaluate


def activation_line(root: Path) -> str:
    """Return the command that activates the checkout's own environment; empty unless it runs and is not activated."""
    own = Path(sys.prefix)
    if (
        own.parent == root
        and (own / MARK).exists()
        and os.environ.get("PATH", "").split(":")[0] != str(own / "bin")
    ):
        _correct_scripts(own)
        return f"activate with: source {own}/bin/activate"
    return ""


def _correct_scripts(own: Path) -> None:
    """Write the scripts that activate the environment again if they name the place it was moved from."""
    script = own / "bin" / "activate"
    if not script.exists() or str(own) not in script.read_text(encoding="utf-8", errors="replace"):
        _output_of_failure([sys.executable, "-m", "venv", "--without-pip", str(own)])


def choose_environment(root: Path, arguments: list[str], *, system: bool) -> None:
    """Continue in the checkout's own environment if no other is active; then this does not return."""
    if not in_virtual_environment() and not system:
        _continue_in_own_environment(root, arguments)


def missing_build_requirements(config: Config, programs: Programs) -> list[str]:
    """Return the build requirements that neither the running Python nor the machine meets."""
    project = config.project
    requirements = _build_requirements(config.root)
    # These are not in pyproject.toml because system-wide programs that are new enough do as well.
    tools = project.tools.items()
    requirements += [requirement(*tool) for tool in tools if not find_tool(*tool, programs)]
    return missing_requirements(requirements)


def check_build_requirements(root: Path) -> None:
    """Raise BuildError if [build-system] requires is not met; pip does not check it without isolation."""
    missing = missing_requirements(_pyproject(root)["build-system"]["requires"])
    if missing:
        there = {each: installed_version(required_name(each)) for each in missing}
        notes = [f"{each} ({old} is installed)" if old else each for each, old in there.items()]
        raise environment_error(
            f"build requirements are missing: {', '.join(notes)}",
            hint=f"python -m pip install {shlex.join(missing)}; without --no-build-isolation, pip does so itself",
        )


def missing_for_options(config: Config, options: Options) -> list[str]:
    """Return the distributions that only these options need and the running Python does not have."""
    values = options.values_and_facts()
    always = {required_name(r) for r in _build_requirements(config.root)}
    checks = (row for row in config.checks if row.pip)
    needed = {row.pip for row in checks if row.when and evaluate(row.when, values)} - always
    return sorted(name for name in needed if not installed_version(name))


def missing_among(root: Path, names: Collection[str]) -> list[str]:
    """Return the build requirements with these names that the running Python does not meet."""
    requirements = _build_requirements(root)
    return missing_requirements(r for r in requirements if required_name(r) in names)


def install_requirements(what: str, missing: list[str]) -> None:
    """Install requirements with pip; `what` names their purpose in messages."""
    print(f"installing {what} requirements: {', '.join(missing)}", flush=True)
    install(f"the {what} requirements", missing)
    forget_installed()


def ensure_group(root: Path, group: str, *, system: bool) -> None:
    """Install the requirements of a dependency group of pyproject.toml that are not met yet."""
    missing = missing_requirements(group_requirements(root, group))
    if not missing:
        return
    if not in_virtual_environment() and not system:
        raise environment_error(
            f"missing for {group}: {', '.join(missing)}",
            hint="activate a virtual environment, or pass --system",
        )
    install_requirements(group, missing)


def group_requirements(root: Path, group: str) -> list[str]:
    """Return the requirements of a dependency group of pyproject.toml; none if there is no such group."""
    return _group(_pyproject(root).get("dependency-groups", {}), group)


def _group(groups: dict[str, Any], name: str) -> list[str]:
    requirements: list[str] = []
    for entry in groups.get(name, []):
        if isinstance(entry, dict):
            requirements += _group(groups, entry["include-group"])
        else:
            requirements.append(entry)
    return requirements


def _build_requirements(root: Path) -> list[str]:
    requires = _pyproject(root).get("build-system", {}).get("requires")
    if not isinstance(requires, list):
        raise environment_error(
            "pyproject.toml has no list `requires` in [build-system]",
            hint="correct it, or restore it: git checkout -- pyproject.toml",
        )
    return requires


def _pyproject(root: Path) -> dict[str, Any]:
    text = ""
    try:
        text = (root / "pyproject.toml").read_text(encoding="utf-8")
        return tomllib.loads(text)
    except (OSError, ValueError) as error:
        if text.startswith("\ufeff"):
            raise environment_error(
                "pyproject.toml begins with a byte order mark (BOM), with which pip cannot read it",
                hint="save it without, as UTF-8",
            ) from error
        raise environment_error("cannot read pyproject.toml", cause=str(error)) from error


def _continue_in_own_environment(root: Path, arguments: list[str]) -> None:
    own = Path(own_environment(str(root)))
    if own.exists() and not (own / MARK).exists() and not (own / UNFINISHED).exists():
        if not (own / SETTINGS).exists() or not Path(python_of(str(own))).exists():
            raise environment_error(
                f"{own} is no complete virtual environment",
                cause="part of it was deleted, or another program made the folder",
                hint=f"delete it: rm -r {shlex.quote(str(own))}",
            )
        raise environment_error(
            f"{own} exists and was not made by setup.py",
            hint=f"source {own}/bin/activate, or pass --system",
        )
    if not is_whole(str(own)):
        _create_environment(root, own)
    sys.stdout.flush()
    run_in(str(own), str(root), arguments)


def _create_environment(root: Path, own: Path) -> None:
    """Create the environment; one that a killed process left unfinished is created again.

    A finished one whose Python is gone, as after an upgrade, keeps what was installed in it, and so does
    one that was deleted in part.
    """
    first = root / FIRST
    finished = (own / MARK).exists() and not (own / UNFINISHED).exists()
    note = f": {FIRST} belongs to Python {version_of(str(first))}" if own != first else ""
    if finished:
        python = Path(python_of(str(own)))
        gone = own / SETTINGS if python.exists() else os.path.realpath(python)
        note = f" again: {gone} does not exist any more"
    print(f"creating the virtual environment {own}{note}", flush=True)
    try:
        if finished:
            _remove_dead_links(own / "bin")
        else:
            if (own / UNFINISHED).exists():
                shutil.rmtree(own)
            own.mkdir(exist_ok=True)
            (own / UNFINISHED).touch()
    except OSError as error:
        raise _creation_error(own, str(error)) from None
    if failure := _run_venv(own):
        if not finished:
            shutil.rmtree(own, ignore_errors=True)
        raise _creation_error(own, failure)
    if not (own / SETTINGS).exists():  # Python would not run in it, and this would be done for ever
        raise _creation_error(own, f"python -m venv made no {SETTINGS}")
    (own / MARK).write_text("setup.py runs here when no other virtual environment is active\n")
    (own / UNFINISHED).unlink(missing_ok=True)


def _remove_dead_links(folder: Path) -> None:
    """Remove the links to a Python that is gone, which venv would leave as they are."""
    dead = [path for path in folder.glob("python*") if path.is_symlink() and not path.exists()]
    for link in dead:
        link.unlink()


def _run_venv(own: Path) -> str:
    """Make the environment and its pip; return the output of a program that failed.

    Debian packages ensurepip, the source of an environment's first pip, separately (python3-venv).
    Where it is missing, this Python's pip installs pip.
    """
    create = [sys.executable, "-m", "venv", str(own)]
    failure = _output_of_failure(create)
    if "ensurepip is not" not in failure:
        return failure
    own_python = str(own / "bin" / "python")
    install_pip = [sys.executable, "-m", "pip", "--python", own_python, "install", "--quiet", "pip"]
    if _output_of_failure([*create, "--without-pip"]) or _output_of_failure(install_pip):
        return failure
    return ""


def _output_of_failure(command: Sequence[str]) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    output = (result.stdout + result.stderr).strip()
    return (output or f"exit code {result.returncode}") if result.returncode else ""


def _creation_error(own: Path, cause: str) -> BuildError:
    return environment_error(f"cannot create {own}", cause=cause, hint=creation_hint(own, cause))
