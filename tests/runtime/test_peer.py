"""Every sample agrees with real PyTorch in values, dtypes, strides and types of errors.

Runs when TORCH_PEER names a Python that has torch==2.13.0; .ci/run installs one.
"""

from __future__ import annotations

import os
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from samples import ALL, TABLE, Operator, outcome
from samples.outcome import Array, Raised

PEER = os.environ.get("TORCH_PEER")
pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]


@pytest.fixture(scope="module")
def theirs(once: Callable[..., Path]) -> dict[tuple[str, str], list[object]]:
    """PyTorch's outcomes for the whole table."""
    return pickle.loads(once("outcomes.pickle", record).read_bytes())


def record(file: Path) -> None:
    assert PEER
    script = Path(__file__).parent / "samples" / "record.py"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run([PEER, str(script), str(file)], check=True, env=environment, cwd=file.parent)


def compare(ours: object, theirs: object, operator: Operator) -> None:
    """Compare the outcomes of one sample. A dtype that only PyTorch refuses is no difference."""
    if isinstance(theirs, Raised):
        if not isinstance(ours, Raised):
            refused = any(w in theirs.message for w in ("not implemented for", "not supported"))
            assert refused, f"PyTorch raises {theirs}, we return {ours}"
            return
        assert ours.type == theirs.type, f"PyTorch raises {theirs}, we raise {ours}"
        return
    assert not isinstance(ours, Raised), f"PyTorch returns, we raise {ours}"
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        if isinstance(other, Array):
            assert (mine.dtype, mine.values.shape) == (other.dtype, other.values.shape)
            outcome.assert_close(
                mine.values, other.values, other.dtype, operator.tolerance_for(other.dtype)
            )
            assert mine.stride == other.stride, "strides differ"
        elif isinstance(other, float):
            assert mine == pytest.approx(other, rel=1e-6, nan_ok=True)
        else:
            assert mine == other


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("operator", TABLE, ids=lambda operator: operator.title)
@pytest.mark.filterwarnings("ignore")
def test_agrees_with_pytorch(operator: Operator, dtype: str, theirs) -> None:
    expected = theirs[operator.title, dtype]
    try:
        inputs = operator.make(dtype)
    except Exception as error:
        assert expected == [repr(type(error))]
        return
    failures = []
    for number, (each, other) in enumerate(zip(inputs, expected, strict=True)):
        try:
            compare(outcome.run(operator, each), other, operator)
        except AssertionError as error:
            failures.append(f"sample {number} {each}:\n{error}")
    assert not failures, f"{len(failures)} of {len(inputs)} differ; the first:\n{failures[0]}"
