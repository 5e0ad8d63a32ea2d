"""No folder of tests is passed over."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def test_every_folder_with_tests_is_collected(pytestconfig: pytest.Config) -> None:
    folders = {file.parent.relative_to(TESTS) for file in TESTS.rglob("test_*.py")}
    assert Path("build") in folders
    passed_over = [
        str(folder)
        for folder in folders
        for part in folder.parts
        if any(fnmatchcase(part, pattern) for pattern in pytestconfig.getini("norecursedirs"))
    ]
    assert not passed_over
