"""The editable install in an environment that others change, too."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from .conditions import in_private_mounts
from .fixture_project import Project


def test_a_package_that_hides_the_checkout_is_not_up_to_date(developed: Project) -> None:
    assert developed.run("develop").stdout == "up to date\n"
    site = next(developed.python.parents[1].glob("lib/python*/site-packages"))
    other = {"METADATA": "Name: other\nVersion: 1.0\n", "RECORD": "tiny/__init__.py,,\n"}
    for name, text in {
        "tiny/__init__.py": "",
        **{f"other-1.0.dist-info/{k}": v for k, v in other.items()},
    }.items():
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text(text)
    result = developed.run("develop", check=False)
    for folder in ("tiny", "other-1.0.dist-info"):  # all tests share the environment
        shutil.rmtree(site / folder)
    assert result.returncode == 3
    assert "other 1.0 is installed here and owns tiny/" in result.stderr


@pytest.mark.parametrize("name", ["tiny/__init__.py", "tiny.py"])
def test_a_module_of_no_distribution_that_hides_the_checkout_is_named(
    developed: Project, name: str
) -> None:
    site = next(developed.python.parents[1].glob("lib/python*/site-packages"))
    module = site / name
    module.parent.mkdir(exist_ok=True)
    module.touch()
    developed.edit("src/greet.c", "toupper", "tolower")
    result = developed.run("develop", check=False)
    module.unlink()
    assert result.returncode == 3
    assert f"error: {module} hides the checkout" in result.stderr
    developed.run("develop")
    assert developed.words() == "['hello', 'world']\n"


def test_a_folder_that_an_uninstaller_left_behind_hides_nothing(developed: Project) -> None:
    site = next(developed.python.parents[1].glob("lib/python*/site-packages"))
    (site / "tiny/lib").mkdir(parents=True)
    (site / "tiny/lib/cache.bin").touch()
    assert "register" in developed.run("develop").stdout
    assert developed.run("develop").stdout == "up to date\n"
    assert developed.words() == "['HELLO', 'WORLD']\n"


def test_a_registration_waits_for_another_in_the_same_environment(developed: Project) -> None:
    """Two checkouts share an environment: each deletes what the other has not finished."""
    site = next(developed.python.parents[1].glob("lib/python*/site-packages"))
    for path in site.glob("__editable__.*"):
        path.unlink()
    folder = os.open(site, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    command = [str(developed.python), "setup.py", "develop"]
    running = subprocess.Popen(command, cwd=developed.root, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    try:
        seen = ""
        while "audit" not in seen:
            seen += running.stdout.readline()
        time.sleep(0.3)
        assert running.poll() is None and not list(site.glob("__editable__.*"))
    finally:
        os.close(folder)
    rest, _ = running.communicate(timeout=60)
    assert running.returncode == 0 and "register" in rest
    assert developed.words() == "['HELLO', 'WORLD']\n"


def test_two_checkouts_register_in_one_environment_at_once(
    developed: Project, tmp_path: Path
) -> None:
    second = Project(tmp_path / "second" / "tiny", developed.python)
    shutil.copytree(developed.root, second.root, symlinks=True)
    second.run("develop")
    site = next(developed.python.parents[1].glob("lib/python*/site-packages"))
    for _ in range(5):
        for path in site.glob("__editable__.*"):
            path.unlink()
        command = [str(developed.python), "setup.py", "develop"]
        runs = [
            subprocess.Popen(command, cwd=x.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for x in (developed, second)
        ]
        outputs = [run.communicate()[0] for run in runs]
        assert [run.returncode for run in runs] == [0, 0], outputs
        assert len(list(site.glob("tiny_project-*.dist-info"))) == 1
        assert not list(site.glob("~*"))
    assert developed.words() == "['HELLO', 'WORLD']\n"


def test_an_environment_that_cannot_be_written_is_named_before_the_build(project: Project) -> None:
    site = next(project.python.parents[1].glob("lib/python*/site-packages"))
    for path in site.glob("__editable__.*"):
        path.unlink()
    script = f"mount --bind {site} {site} && mount -o remount,ro,bind {site}\n"
    result = in_private_mounts(project, f"{script}{project.python} setup.py develop")
    assert result.returncode == 3
    assert f"error: {site} cannot be written, so `develop` cannot install there" in result.stderr
    assert not (project.root / "build").exists()
