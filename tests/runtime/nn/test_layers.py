"""Every layer, optimizer and schedule agrees with PyTorch: text, state, results and gradients from the same seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import behaviour_cases
import both
import module_cases
import optim_cases
import pytest
import volume_cases

_FILES = {
    module_cases: Path(module_cases.__file__),
    behaviour_cases: Path(behaviour_cases.__file__),
    optim_cases: Path(optim_cases.__file__),
    volume_cases: Path(volume_cases.__file__),
}
_CASES = [(cases, name) for cases in _FILES for name in cases.CASES]

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not both.PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, dict[str, Any]]:
    """PyTorch's outcomes of all cases."""
    return {
        cases: both.theirs(path, tmp_path_factory.mktemp("peer")) for cases, path in _FILES.items()
    }


@pytest.mark.parametrize(("cases", "name"), _CASES, ids=[name for _, name in _CASES])
def test_agrees_with_pytorch(cases: Any, name: str, theirs: dict[Any, dict[str, Any]]) -> None:
    expected = theirs[cases][name]
    assert not (isinstance(expected, tuple) and expected[:1] == ("raised",)), expected
    both.assert_same(both.outcome(cases.CASES[name]), expected, name, tolerance=2e-5)
