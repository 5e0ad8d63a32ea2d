"""What all tests share: a PATH, no deadline for examples, and turns between the workers of pytest-xdist."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from turns import Turns  # noqa: E402

from tools.setup_helpers.resources import usable_cores  # noqa: E402

FOLDER = "turns"
TURNS = pytest.StashKey[Turns]()

# How long an example takes is the machine's affair, or a sanitizer's.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`: the cores that a build would use, which knows affinity and control groups."""
    return usable_cores()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """The process that starts the workers gives all of them one folder to take turns in."""
    node.workerinput[FOLDER] = str(node.config.stash[TURNS].folder)


def pytest_configure(config: pytest.Config) -> None:
    _find_programs_of_environment()
    given = getattr(config, "workerinput", {}).get(FOLDER)
    config.stash[TURNS] = Turns(Path(given or tempfile.mkdtemp(prefix="pytest-turns-")))


def _find_programs_of_environment() -> None:
    """pip puts programs where only an activated environment looks: CMake and Ninja on a bare machine."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    scripts = sysconfig.get_path("scripts")
    if scripts not in folders:
        os.environ["PATH"] = os.pathsep.join([*folders, scripts])


def pytest_unconfigure(config: pytest.Config) -> None:
    turns = config.stash[TURNS]
    turns.close()
    if not hasattr(config, "workerinput"):
        shutil.rmtree(turns.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def once(pytestconfig: pytest.Config) -> Callable[[str, Callable[[Path], object]], Path]:
    """Gives a file by its name; the first worker that asks for it makes it, for all of them."""
    return pytestconfig.stash[TURNS].once


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Outside of all other hooks, so that waiting does not count against a test's timeout."""
    with item.config.stash[TURNS].taken(alone=item.get_closest_marker("alone") is not None):
        return (yield)
