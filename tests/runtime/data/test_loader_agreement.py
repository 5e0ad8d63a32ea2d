"""Data sets, samplers and loaders agree with PyTorch in order, random stream, errors and warnings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import both
import loader_cases
import pytest

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not both.PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """PyTorch's outcomes."""
    return both.theirs(Path(loader_cases.__file__), tmp_path_factory.mktemp("peer"))


@pytest.mark.parametrize("name", loader_cases.CASES)
def test_agrees_with_pytorch(name: str, theirs: dict[str, Any]) -> None:
    expects_an_error = name.startswith("error: ")
    is_error = isinstance(theirs[name], tuple) and theirs[name][:1] == ("raised",)
    assert is_error == expects_an_error, theirs[name]
    both.assert_same(both.outcome(loader_cases.CASES[name]), theirs[name], name)
