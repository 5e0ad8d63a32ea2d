"""Masked tensors print what PyTorch's print, and refuse what PyTorch's refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import both
import masked_tensor_cases
import pytest

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not both.PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]
# Messages that name functions of the libraries, or give advice, differ.
OWN_WORDS = ("dispatch failed", "Could not run", "unexpected keyword", ".numpy()")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """PyTorch's outcomes."""
    return both.theirs(Path(masked_tensor_cases.__file__), tmp_path_factory.mktemp("peer"))


@pytest.mark.parametrize("name", masked_tensor_cases.CASES)
def test_agrees(name: str, theirs: dict[str, Any]) -> None:
    expected, found = theirs[name], both.outcome(masked_tensor_cases.CASES[name])
    if isinstance(expected, tuple):
        assert found[:2] == expected[:2], found
        if not any(words in expected[2] for words in OWN_WORDS):
            assert found[2].split("\n")[0] == expected[2].split("\n")[0]
    else:
        assert found == expected
