"""Sparse tensors of all layouts agree with PyTorch, errors included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import both
import pytest
import sparse_cases

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not both.PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """PyTorch's outcomes."""
    return both.theirs(Path(sparse_cases.__file__), tmp_path_factory.mktemp("peer"))


@pytest.mark.parametrize("name", sparse_cases.CASES)
def test_agrees(name: str, theirs: dict[str, Any]) -> None:
    expected = theirs[name]
    is_error = isinstance(expected, tuple) and expected[:1] == ("raised",)
    assert is_error == name.startswith("error: "), expected
    found = both.outcome(sparse_cases.CASES[name])
    if is_error:  # PyTorch appends advice to some messages
        assert found[:2] == expected[:2], found
        assert found[2] == expected[2].partition("\n")[0]
    else:
        both.assert_same(found, expected, name)
