"""Every folder of tests is collected."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def test_file_names_are_unique() -> None:
    """pytest imports files outside a package by their name alone, and refuses duplicates."""
    files = [f for f in TESTS.rglob("test_*.py") if not (f.parent / "__init__.py").exists()]
    counts = Counter(file.name for file in files)
    assert not [str(file) for file in files if counts[file.name] > 1]


def test_every_folder_with_tests_is_collected(pytestconfig: pytest.Config) -> None:
    folders = {file.parent.relative_to(TESTS) for file in TESTS.rglob("test_*.py")}
    assert Path("build") in folders
    skipped = [
        str(folder)
        for folder in folders
        for part in folder.parts
        if any(fnmatchcase(part, pattern) for pattern in pytestconfig.getini("norecursedirs"))
    ]
    assert not skipped
