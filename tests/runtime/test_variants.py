"""Methods, in-place calls and out= calls give the same results as the function."""

from __future__ import annotations

from typing import Any

import pytest

import torch
from samples import TABLE, Operator, Sample


def cases(chosen: Any) -> list[Any]:
    return [
        pytest.param(operator, dtype, id=f"{operator.title}-{dtype}")
        for operator in TABLE
        if chosen(operator)
        for dtype in operator.dtypes
    ]


def tensor_first(operator: Operator, dtype: str) -> list[Sample]:
    samples = operator.make(dtype)
    return [each for each in samples if each.args and isinstance(each.args[0], torch.Tensor)]


def expected_of(operator: Operator, each: Sample) -> Any:
    """Return the function's result, or None if the sample must raise."""
    try:
        return operator.function()(*each.args, **each.kwargs)
    except (RuntimeError, ValueError, IndexError):
        return None


def assert_same(actual: Any, expected: Any, tolerance: tuple[float, float] | None = None) -> None:
    if isinstance(expected, tuple | list):
        assert len(actual) == len(expected)
        for pair in zip(actual, expected, strict=True):
            assert_same(*pair, tolerance)
    elif isinstance(expected, torch.Tensor):
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
        relative, absolute = tolerance or (None, None)
        torch.testing.assert_close(actual, expected, rtol=relative, atol=absolute, equal_nan=True)
    else:
        assert actual == expected


@pytest.mark.parametrize(
    ("operator", "dtype"),
    cases(lambda o: o.method and o.call is None and hasattr(torch.Tensor, o.name)),
)
@pytest.mark.filterwarnings("ignore")
def test_method_equals_function(operator: Operator, dtype: str) -> None:
    for each in tensor_first(operator, dtype):
        expected = expected_of(operator, each)
        if expected is not None:
            method = getattr(each.args[0], operator.name)
            assert_same(method(*each.args[1:], **each.kwargs), expected)


@pytest.mark.parametrize(("operator", "dtype"), cases(lambda o: o.in_place))
@pytest.mark.filterwarnings("ignore")
def test_in_place_equals_function(operator: Operator, dtype: str) -> None:
    for each in tensor_first(operator, dtype):
        expected = expected_of(operator, each)
        if expected is None or expected.shape != each.args[0].shape:
            continue
        target = each.args[0].clone()
        method = getattr(target, operator.name + "_")
        if not torch.can_cast(expected.dtype, target.dtype):
            with pytest.raises(RuntimeError):
                method(*each.args[1:], **each.kwargs)
            continue
        returned = method(*each.args[1:], **each.kwargs)
        assert returned is target
        assert_same(target, expected.to(target.dtype))


@pytest.mark.parametrize(("operator", "dtype"), cases(lambda o: o.out))
@pytest.mark.filterwarnings("ignore")
def test_out_equals_function(operator: Operator, dtype: str) -> None:
    for each in operator.make(dtype):
        expected = expected_of(operator, each)
        if expected is None:
            continue
        out = torch.empty(0, dtype=expected.dtype)
        returned = operator.function()(*each.args, **each.kwargs, out=out)
        assert returned is out
        assert_same(out, expected)
        strided = torch.empty(tuple(reversed(expected.shape)), dtype=expected.dtype)
        strided = strided.permute(tuple(reversed(range(expected.dim()))))
        before = strided.stride()
        operator.function()(*each.args, **each.kwargs, out=strided)
        assert strided.stride() == before
        # Matrix products into a transposed result are summed in another order.
        assert_same(strided, expected, operator.tolerance_for(dtype))
