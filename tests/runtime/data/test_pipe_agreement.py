"""Composed data sets (pipes) agree with PyTorch in order, random stream and results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import both
import pipe_cases
import pytest

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not both.PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """PyTorch's outcomes."""
    return both.theirs(Path(pipe_cases.__file__), tmp_path_factory.mktemp("peer"))


@pytest.mark.parametrize("name", pipe_cases.CASES)
def test_agrees_with_pytorch(name: str, theirs: dict[str, Any]) -> None:
    expects_an_error = name.startswith("error: ")
    is_error = isinstance(theirs[name], tuple) and theirs[name][:1] == ("raised",)
    assert is_error == expects_an_error, theirs[name]
    ours = both.outcome(pipe_cases.CASES[name])
    if expects_an_error:  # PyTorch names classes and places differently
        assert ours[:2] == theirs[name][:2]
    else:
        both.assert_same(ours, theirs[name], name)
