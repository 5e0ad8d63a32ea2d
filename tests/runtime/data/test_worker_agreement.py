"""Loaders with worker processes agree with PyTorch in order, seeds and exceptions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import both
import pytest
import worker_cases

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not both.PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """PyTorch's outcomes."""
    return both.theirs(Path(worker_cases.__file__), tmp_path_factory.mktemp("peer"))


@pytest.mark.parametrize("name", worker_cases.CASES)
def test_agrees_with_pytorch(name: str, theirs: dict[str, Any]) -> None:
    assert not (isinstance(theirs[name], tuple) and theirs[name][:1] == ("raised",)), theirs[name]
    both.assert_same(both.outcome(worker_cases.CASES[name]), theirs[name], name)
