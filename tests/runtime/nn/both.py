"""Run the same cases on this library and on PyTorch, and compare the results.

A cases file defines CASES: a mapping from a name to a function without arguments. The function
returns nested lists, tuples and dictionaries of tensors, numbers and strings. The file ends with
`if __name__ == "__main__": both.record(CASES)`.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

PEER = os.environ.get("TORCH_PEER")
Cases = Mapping[str, Callable[[], Any]]


def plain(value: Any) -> Any:
    """Replace tensors by arrays, so that the results of both libraries can be pickled."""
    import torch

    if isinstance(value, torch.Tensor):
        return value.detach().clone().numpy()
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def outcome(case: Callable[[], Any]) -> Any:
    """Return the result of a case, or the type and the message of its exception."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return plain(case())
    except Exception as error:
        return ("raised", type(error).__name__, str(error))


def record(cases: Cases) -> None:
    """Write the outcomes of all cases to the file named on the command line."""
    outcomes = {name: outcome(case) for name, case in cases.items()}
    Path(sys.argv[1]).write_bytes(pickle.dumps(outcomes))


def theirs(script: Path, folder: Path) -> dict[str, Any]:
    """Return PyTorch's outcomes of a cases file."""
    assert PEER
    output = folder / "outcomes.pickle"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [PEER, str(script), str(output)]
    subprocess.run(command, check=True, env=environment, cwd=folder)
    return pickle.loads(output.read_bytes())


def assert_same(ours: Any, theirs: Any, where: str = "", tolerance: float = 1e-5) -> None:
    """Assert equal structure, strings and dtypes, and numbers equal within a tolerance."""
    if isinstance(theirs, np.ndarray):
        assert isinstance(ours, np.ndarray), f"{where}: {ours!r} is no tensor"
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, where
        # Where large terms cancel, the error is proportional to the terms.
        largest = float(np.max(np.abs(theirs), initial=1.0, where=np.isfinite(theirs)))
        absolute = tolerance * largest
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=absolute, err_msg=where)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs), f"{where}: {list(ours)} and {list(theirs)}"
        for key, value in theirs.items():
            assert_same(ours[key], value, f"{where}[{key!r}]", tolerance)
    elif isinstance(theirs, list):
        assert isinstance(ours, list), f"{where}: {ours!r}, theirs {theirs!r}"
        assert len(ours) == len(theirs), f"{where}: {len(ours)} and {len(theirs)} values"
        for index, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(mine, other, f"{where}[{index}]", tolerance)
    elif isinstance(theirs, float):
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance, err_msg=where)
    else:
        assert ours == theirs, where
