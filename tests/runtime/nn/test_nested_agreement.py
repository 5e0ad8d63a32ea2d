"""Nested tensors of both layouts agree with PyTorch: values, gradients, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import both
import nested_cases
import pytest

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not both.PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """PyTorch's outcomes."""
    return both.theirs(Path(nested_cases.__file__), tmp_path_factory.mktemp("peer"))


@pytest.mark.parametrize("name", nested_cases.CASES)
def test_agrees(name: str, theirs: dict[str, Any]) -> None:
    expected, found = theirs[name], both.outcome(nested_cases.CASES[name])
    if isinstance(expected, tuple):
        assert found[:2] == expected[:2], (found, expected)
    else:
        both.assert_same(found, expected, name)
