"""The whole table with 8-bit floats: what PyTorch supports works with its values, the rest is refused."""

from __future__ import annotations

import os
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from samples import TABLE, Operator, outcome, record_float8
from samples.outcome import Array, Raised

PEER = os.environ.get("TORCH_PEER")
pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]
# What PyTorch supports for some arguments only, or by accident: it sums 8-bit floats here and nowhere
# else, skips a step that refuses them, or gives an answer that is wrong.
ACCIDENTS = {
    *("index_put.accumulate", "index_put.setitem", "linear", "conv_tbc", "pdist"),
    *("sum", "nansum", "nanmean", "flip", "fliplr", "flipud", "rot90", "isfinite"),
}
OPERATORS = [
    operator
    for operator in TABLE
    if "float32" in operator.dtypes and operator.title not in ACCIDENTS
]


@pytest.fixture(scope="module")
def theirs(once: Callable[..., Path]) -> dict[record_float8.Key, list[object]]:
    """PyTorch's outcomes for the whole table."""
    return pickle.loads(once("float8_table.pickle", record).read_bytes())


def record(file: Path) -> None:
    assert PEER
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [PEER, record_float8.__file__, str(file)]
    subprocess.run(command, check=True, env=environment, cwd=file.parent)


def compare(ours: object, expected: object) -> None:
    """Compare the outcomes of one sample. We may support what PyTorch refuses."""
    if expected is None or isinstance(expected, Raised):
        return
    assert not isinstance(ours, Raised), f"PyTorch returns, we raise {ours}"
    for mine, other in zip(ours, expected, strict=True):
        if isinstance(other, Array):
            assert (mine.dtype, mine.values.shape) == (other.dtype, other.values.shape)
            outcome.assert_close(mine.values, other.values, other.dtype)
            assert mine.stride == other.stride, "strides differ"


@pytest.mark.parametrize("dtype", record_float8.DTYPES)
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.title)
@pytest.mark.filterwarnings("ignore")
def test_supports_what_pytorch_supports(operator: Operator, dtype: str, theirs) -> None:
    expected = theirs[operator.title, dtype]
    for mine, other in zip(record_float8.outcomes_of(operator, dtype), expected, strict=True):
        compare(mine, other)
