"""Values agree with NumPy and SciPy if these have the same function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import torch
from samples import TABLE, Operator, outcome
from samples.model import LOW_FLOATS
from samples.outcome import to_numpy

CASES = [
    pytest.param(operator, dtype, id=f"{operator.title}-{dtype}")
    for operator in TABLE
    if operator.reference
    for dtype in operator.dtypes
    if dtype not in LOW_FLOATS
]


def as_numpy(value: Any, widen: bool) -> Any:
    """Convert an argument for the reference; integers become float64 if the result is floating."""
    if isinstance(value, tuple | list):
        return type(value)(as_numpy(each, widen) for each in value)
    if not isinstance(value, torch.Tensor):
        return value
    array = to_numpy(value)
    return array.astype("float64") if widen and array.dtype.kind in "biu" else array


@pytest.mark.parametrize(("operator", "dtype"), CASES)
@pytest.mark.filterwarnings("ignore")
def test_agrees_with_reference(operator: Operator, dtype: str) -> None:
    for each in operator.make(dtype):
        result = operator.function()(*each.args, **each.kwargs)
        if not isinstance(result, torch.Tensor):
            assert result == operator.reference(*as_numpy(each.args, False), **each.kwargs)
            continue
        widen = result.dtype.is_floating_point
        with np.errstate(all="ignore"):
            expected = np.asarray(operator.reference(*as_numpy(each.args, widen), **each.kwargs))
        name = str(result.dtype).removeprefix("torch.")
        assert tuple(result.shape) == expected.shape
        tolerance = operator.tolerance or (
            (1e-5, 1e-5) if name in ("float32", "complex64") else None
        )
        outcome.assert_close(
            to_numpy(result), expected.astype(to_numpy(result).dtype), name, tolerance
        )
