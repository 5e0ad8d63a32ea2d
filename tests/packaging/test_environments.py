"""setup.py without an active environment: the one it creates, and the checks before that."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from checkout import Checkout, Environment, make_checkout
from pythons import find_python

BASE = Path(sys.base_prefix, "bin", f"python3.{sys.version_info[1]}")
# This Python's package folder, passed in PYTHONPATH so that nothing is downloaded.
PACKAGES = Path(yaml.__file__).parents[1]
RUNNING = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture
def bare(tmp_path: Path) -> Checkout:
    """A checkout without an environment."""
    return make_checkout(tmp_path / "checkout", Environment(tmp_path / "none"))


def call(
    checkout: Checkout, *arguments: str, python: Path = BASE, code: int = 0, **environ: str
) -> str:
    """Return what `python setup.py` prints in a shell without an active environment."""
    kept = ("HOME", "LANG", "CC", "CXX")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    env |= {"PATH": f"{PACKAGES.parents[2]}/bin:/usr/local/bin:/usr/bin:/bin", "PIP_NO_INDEX": "1"}
    result = subprocess.run(
        [str(python), "setup.py", *arguments],
        cwd=checkout.root,
        env={**env, **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == code, f"exit code {result.returncode}\n{result.stdout}"
    return result.stdout


def recording_pip(folder: Path) -> Path:
    """A fake pip, found before the environment's own, that installs nothing and records its arguments."""
    (folder / "pip").mkdir(parents=True)
    (folder / "pip/__init__.py").touch()
    text = f"import sys\nopen({str(folder / 'arguments')!r}, 'w').write(' '.join(sys.argv))\nsys.exit(1)\n"
    (folder / "pip/__main__.py").write_text(text)
    return folder


@pytest.mark.parametrize(
    ("arguments", "environ", "output"),
    [
        ((), {"TINY_LOUDD": "1"}, "did you mean TINY_LOUD?"),
        ((), {"TINY_LOUD": "perhaps"}, "not a boolean"),
        ((), {"TINY_LOUD": "0", "TINY_VERY_LOUD": "1"}, "TINY_LOUD=OFF (environment)"),
        (("-DTINY_LUOD=1",), {}, "did you mean 'TINY_LOUD'?"),
        (("-DBUILD_DIR=src",), {}, "holds files that no build made"),
    ],
)
def test_a_mistake_in_an_option_is_reported_before_anything_is_created(
    bare: Checkout, arguments: tuple[str, ...], environ: dict[str, str], output: str
) -> None:
    before = bare.files()
    assert output in call(bare, "develop", *arguments, code=2, **environ)
    assert bare.files() == before


@pytest.mark.parametrize("command", ["bdist_wheel", "sdist", "codegen", "test"])
def test_every_installing_command_reports_mistakes_first(bare: Checkout, command: str) -> None:
    before = bare.files()
    bare.edit("pyproject.toml", '"pyyaml"', '"pyyaml>=999"')
    assert "did you mean TINY_LOUD?" in call(bare, command, code=2, TINY_LOUDD="1")
    bare.edit("pyproject.toml", '"pyyaml>=999"', '"pyyaml"')
    assert bare.files() == before


def test_an_invalid_version_is_reported_before_anything_is_built(bare: Checkout) -> None:
    before = bare.files()
    for command in ("develop", "bdist_wheel", "install", "sdist"):
        output = call(bare, command, code=2, TINY_BUILD_VERSION="three", PYTHONPATH=str(PACKAGES))
        assert "TINY_BUILD_VERSION: 'three' is not a version" in output
    bare.edit("version.txt", "0.1.0", "zero")
    output = call(bare, "develop", code=2, PYTHONPATH=str(PACKAGES))
    assert "version.txt: 'zero' is not a version" in output
    bare.edit("version.txt", "zero", "0.1.0")
    assert bare.files() == before


@pytest.mark.parametrize("command", ["clean", "options", "explain option TINY_LOUD"])
def test_a_command_that_needs_only_python_creates_no_environment(
    bare: Checkout, command: str
) -> None:
    before = bare.files()
    call(bare, *command.split())
    assert bare.files() == before


@pytest.mark.parametrize("command", ["sdist", "codegen"])
def test_no_environment_is_created_if_the_requirements_are_met(
    bare: Checkout, command: str
) -> None:
    call(bare, command, PYTHONPATH=str(PACKAGES))
    assert not list(bare.root.glob(".venv*"))
    assert list(bare.root.glob("dist/tiny_project-*.tar.gz" if command == "sdist" else "build/src"))


@pytest.mark.skipif(
    find_spec("ensurepip") is None, reason="ensurepip is not installed (python3-venv)"
)
def test_a_command_installs_only_its_requirements(bare: Checkout, tmp_path: Path) -> None:
    for requirement in ("setuptools>=77", "pyyaml", "cyclonedx-python-lib"):
        name = requirement.partition(">")[0]
        bare.edit("pyproject.toml", f'"{requirement}"', f'"{name}>=999"')
    pip = recording_pip(tmp_path / "recording")
    for command, name in (("sdist", "setuptools"), ("codegen", "pyyaml")):
        call(bare, command, code=3, PYTHONPATH=f"{pip}:{PACKAGES}")
        arguments = (pip / "arguments").read_text().split()
        assert [word for word in arguments if "999" in word] == [f"{name}>=999"]


def test_each_python_has_its_own_environment(bare: Checkout) -> None:
    """A second Python does not use the `.venv` of another version."""
    other = find_python("3.12" if RUNNING != "3.12" else "3.11")
    version = other.name.removeprefix("python")
    call(bare, "bdist_wheel", PYTHONPATH=str(PACKAGES))
    output = call(bare, "bdist_wheel", python=other, PYTHONPATH=str(PACKAGES))
    assert f"creating the virtual environment {bare.root}/.venv-{version}" in output
    assert f".venv belongs to Python {RUNNING}" in output
    tags = sorted(path.name.split("-")[2] for path in (bare.root / "dist").glob("*.whl"))
    assert tags == sorted(f"cp{each.replace('.', '')}" for each in (RUNNING, version))
    output = call(bare, "develop", python=other, PYTHONPATH=str(PACKAGES))
    assert output.rstrip().endswith(f"source {bare.root}/.venv-{version}/bin/activate")
    output = call(bare, "develop", PYTHONPATH=str(PACKAGES))
    assert output.rstrip().endswith(f"source {bare.root}/.venv/bin/activate")
    assert not list((bare.root / ".venv").glob(f"lib/python{version}"))


def test_an_environment_made_by_the_user_is_not_touched(bare: Checkout) -> None:
    (bare.root / ".venv/bin").mkdir(parents=True)
    for name in ("bin/python", "pyvenv.cfg"):
        (bare.root / ".venv" / name).touch()
    output = call(bare, "develop", code=3, PYTHONPATH=str(PACKAGES))
    assert ".venv exists and was not made by setup.py" in output


VENV_OF_DEBIAN = """\
import os, sys
if "--without-pip" not in sys.argv:
    print("The virtual environment was not created successfully because ensurepip is not available.")
    sys.exit(1)
os.makedirs(f"{sys.argv[1]}/bin")
os.symlink(sys.executable, f"{sys.argv[1]}/bin/python")
"""


def test_without_ensurepip_pip_comes_from_the_running_python(
    bare: Checkout, tmp_path: Path
) -> None:
    """Debian's python3 has no ensurepip unless python3-venv is installed."""
    programs = recording_pip(tmp_path / "programs")
    (programs / "venv").mkdir()
    (programs / "venv/__init__.py").touch()
    (programs / "venv/__main__.py").write_text(VENV_OF_DEBIAN)
    output = call(bare, "develop", code=3, PYTHONPATH=str(programs))
    arguments = (programs / "arguments").read_text().split()
    assert arguments[1:] == [
        "--python", f"{bare.root}/.venv/bin/python", "install", "--quiet", "pip",
    ]  # fmt: skip
    # This pip refuses, so the first failure is reported, and nothing is left behind.
    assert "ensurepip is not available" in output and "python3-venv" in output
    assert not (bare.root / ".venv").exists()


def test_an_environment_whose_python_is_gone_is_created_again(bare: Checkout) -> None:
    """As after an upgrade by pyenv; what the user installed is kept."""
    call(bare, "build", PYTHONPATH=str(PACKAGES))
    for link in (bare.root / ".venv/bin").glob("python*"):
        if os.path.isabs(os.readlink(link)):
            link.unlink()
            link.symlink_to("/nowhere/python")
    installed = next((bare.root / ".venv/lib").glob("python*/site-packages")) / "mine.py"
    installed.touch()
    output = call(bare, "build", PYTHONPATH=str(PACKAGES))
    assert ".venv again: /nowhere/python does not exist any more\n" in output
    assert "nothing to do" in output and installed.exists()
    assert "creating" not in call(bare, "build", PYTHONPATH=str(PACKAGES))


def test_a_moved_environment_can_be_activated(bare: Checkout, tmp_path: Path) -> None:
    call(bare, "develop", PYTHONPATH=str(PACKAGES))
    moved = make_checkout(tmp_path / "another", Environment(tmp_path / "none"))
    shutil.rmtree(moved.root)
    bare.root.rename(moved.root)
    output = call(moved, "develop", PYTHONPATH=str(PACKAGES))
    line = output.splitlines()[-1].removeprefix("activate with: ")
    command = ["bash", "-c", f"{line}; python -c 'import sys; print(sys.prefix)'"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == f"{moved.root}/.venv\n"


def test_an_incomplete_environment_is_created_again(bare: Checkout) -> None:
    (bare.root / ".venv/bin").mkdir(parents=True)
    (bare.root / ".venv/bin/python").symlink_to("/nowhere/python")
    (bare.root / ".venv/being-made-by-setup").touch()
    call(bare, "build", PYTHONPATH=str(PACKAGES))
    assert (bare.root / ".venv/bin/python").exists()
    assert not (bare.root / ".venv/being-made-by-setup").exists()


@pytest.mark.parametrize("gone", ["pyvenv.cfg", "lib", "bin"])
def test_an_environment_that_was_deleted_in_part_is_completed(bare: Checkout, gone: str) -> None:
    packages = {"PYTHONPATH": str(PACKAGES)}
    call(bare, "develop", **packages)
    place = bare.root / ".venv" / gone
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    call(bare, "develop", **packages)
    assert call(bare, "develop", **packages) == "up to date\n"


def test_the_rest_of_a_deleted_environment_is_named(bare: Checkout) -> None:
    (bare.root / ".venv/lib").mkdir(parents=True)
    output = call(bare, "develop", code=3)
    assert f"error: {bare.root}/.venv is no complete virtual environment" in output
    assert f"hint: delete it: rm -r {bare.root}/.venv\n" in output


def test_the_environment_is_not_started_if_there_is_nothing_to_do(bare: Checkout) -> None:
    packages = {"PYTHONPATH": str(PACKAGES)}
    call(bare, "develop", **packages)
    python = bare.root / ".venv/bin/python"
    python.unlink()
    python.write_text("#!/bin/sh\nexit 9\n")
    python.chmod(0o755)
    assert call(bare, "develop", **packages) == "up to date\n"
