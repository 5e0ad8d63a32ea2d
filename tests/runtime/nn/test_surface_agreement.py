"""Checkpoints, states, lists of tensors, lookups, storages, masked reductions, orthogonal weights, gradient dtypes and small utilities agree with PyTorch, errors included."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import argument_cases
import both
import checkpoint_cases
import foreach_cases
import leaf_cases
import lookup_cases
import masked_cases
import parametrize_cases
import pytest
import state_cases
import step_cases
import storage_cases

CASES_FILES = (
    argument_cases,
    checkpoint_cases,
    foreach_cases,
    leaf_cases,
    lookup_cases,
    masked_cases,
    parametrize_cases,
    state_cases,
    step_cases,
    storage_cases,
)
MODULES = {module.__name__: module for module in CASES_FILES}

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not both.PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """PyTorch's outcomes of each cases file, which are found when they are first needed."""
    return {}


def theirs(
    module: ModuleType, outcomes: dict[str, Any], factory: pytest.TempPathFactory
) -> dict[str, Any]:
    if module.__name__ not in outcomes:
        folder = factory.mktemp("peer")
        outcomes[module.__name__] = both.theirs(Path(str(module.__file__)), folder)
    return dict(outcomes[module.__name__])


@pytest.mark.parametrize(
    ("file", "name"), [(file, name) for file, module in MODULES.items() for name in module.CASES]
)
def test_agrees(
    file: str,
    name: str,
    outcomes: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    expected = theirs(MODULES[file], outcomes, tmp_path_factory)[name]
    is_error = isinstance(expected, tuple) and expected[:1] == ("raised",)
    assert is_error == name.startswith("error: "), expected
    both.assert_same(both.outcome(MODULES[file].CASES[name]), expected, name)
