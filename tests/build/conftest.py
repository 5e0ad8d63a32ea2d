"""Fixtures: the fixture project, fresh or built, and an environment to install it into.

This module also restores SIGINT: a shell starts background jobs with SIGINT ignored, and the tests
and all their processes would inherit that.
"""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .fixture_project import ROOT, KeptProject, Project, lay_out_sources, make_environment

if TYPE_CHECKING:
    from tools.setup_helpers.ninja.failures import FailureContext

sys.path.insert(0, str(ROOT))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a virtual environment made for this session."""
    return make_environment(tmp_path_factory.mktemp("environment") / "venv")


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the fixture project's sources, from which the tests copy."""
    return lay_out_sources(tmp_path_factory.mktemp("sources") / "tiny")


@pytest.fixture
def project(sources: Path, environment: Path, tmp_path: Path) -> Project:
    """A fresh copy, not built yet."""
    folder = tmp_path / "tiny"
    shutil.copytree(sources, folder)
    return Project(folder, environment)


@pytest.fixture(scope="session")
def kept(sources: Path, environment: Path, tmp_path_factory: pytest.TempPathFactory) -> KeptProject:
    """A copy after `setup.py develop`, shared by tests that restore it."""
    return KeptProject(sources, environment, tmp_path_factory.mktemp("developed"))


@pytest.fixture
def developed(kept: KeptProject) -> Project:
    """A copy after `setup.py develop`, restored in the same folder for each test."""
    return kept.restore()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[[str], object]]:
    """Read a build_config.toml from text without the [project] section."""
    from tools.setup_helpers.table.config_reader import parse_config

    head = (
        '[project]\ndistribution = "p"\npackage = "p"\nversion_file = "version.txt"\n[packaging]\n'
    )
    (tmp_path / "version.txt").write_text("1.2.3\n")

    def read(text: str) -> object:
        return parse_config(head + text, tmp_path)

    yield read


@pytest.fixture
def context(tmp_path: Path) -> FailureContext:
    """A failure context for a tree in which nothing has been built."""
    from tools.setup_helpers.ninja.failures import FailureContext

    return FailureContext(tmp_path, tmp_path / "build", options={"jobs": "MAX_JOBS"}, jobs=4)
