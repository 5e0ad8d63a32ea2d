"""Settings of all tests: PATH, no deadline for examples, and locks between the pytest workers."""

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

from shared_lock import SharedLock  # noqa: E402

from tools.setup_helpers.ninja.limits import usable_cores  # noqa: E402

FOLDER = "shared_lock"
SHARED_LOCK = pytest.StashKey[SharedLock]()

# The time of an example depends on the machine and on sanitizers.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the number of cores for `-n auto`, which respects affinity and control groups."""
    return usable_cores()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give all workers the same folder for their locks."""
    node.workerinput[FOLDER] = str(node.config.stash[SHARED_LOCK].folder)


def pytest_configure(config: pytest.Config) -> None:
    _find_programs_of_environment()
    given = getattr(config, "workerinput", {}).get(FOLDER)
    config.stash[SHARED_LOCK] = SharedLock(Path(given or tempfile.mkdtemp(prefix="pytest-lock-")))


def _find_programs_of_environment() -> None:
    """Add the environment's programs to PATH: pip may have installed CMake and Ninja there."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    scripts = sysconfig.get_path("scripts")
    if scripts not in folders:
        os.environ["PATH"] = os.pathsep.join([*folders, scripts])


def pytest_unconfigure(config: pytest.Config) -> None:
    shared_lock = config.stash[SHARED_LOCK]
    shared_lock.close()
    if not hasattr(config, "workerinput"):
        shutil.rmtree(shared_lock.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def once(pytestconfig: pytest.Config) -> Callable[[str, Callable[[Path], object]], Path]:
    """A function that returns a shared file by name; the first worker that needs it makes it."""
    return pytestconfig.stash[SHARED_LOCK].once


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Wait outside of all other hooks, so that waiting does not count towards the timeout."""
    with item.config.stash[SHARED_LOCK].hold(alone=item.get_closest_marker("alone") is not None):
        return (yield)
