"""Every operator of the table inside vmap and on dual tensors: the same values, or a clear error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import torch
from samples import TABLE, Operator
from torch._transforms import levels
from torch._transforms.batching import RunningVmap
from torch._transforms.forward import RunningDual
from torch._transforms.levels import map_tensors

_SIZE = 3
_STATEFUL = {"resize", "set", "batch_norm.running"}
CASES = [
    pytest.param(operator, id=operator.title)
    for operator in TABLE
    if not operator.random and operator.title not in _STATEFUL
]


def _close(found: Any, expected: Any) -> None:
    if isinstance(expected, list | tuple):
        for one, other in zip(found, expected, strict=True):
            _close(one, other)
    elif isinstance(expected, torch.Tensor):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        low = expected.dtype in (torch.bfloat16, torch.float16)
        tolerance = 0.1 if low else 1e-3
        if expected.dtype != torch.uint8:  # sums of products wrap at other places
            torch.testing.assert_close(
                found, expected, atol=tolerance, rtol=tolerance, equal_nan=True
            )


def _check(operator: Operator, transformed: Callable[[Any, Any], Any]) -> None:
    dtype = operator.dtypes[-1]
    for sample in list(operator.make(dtype))[:4]:
        again = map_tensors(torch.clone, (tuple(sample.args), dict(sample.kwargs)))
        kwargs = {name: value for name, value in sample.kwargs.items() if name != "out"}
        try:
            expected = operator.function()(*sample.args, **kwargs)
        except RuntimeError:  # a sample of the Meta kernel's or of a gradient's own
            continue
        others = {name: value for name, value in again[1].items() if name != "out"}
        try:
            found = transformed(again[0], others)
        except (RuntimeError, NotImplementedError) as error:  # one that says why
            reasons = "vmap|implemented|not differentiable|out= function|in a tensor subclass"
            assert any(reason in str(error) for reason in reasons.split("|")), error
            return
        _close(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("operator", CASES)
@pytest.mark.filterwarnings("ignore")
def test_operators_inside_vmap(operator: Operator) -> None:
    def transformed(args: Any, kwargs: Any) -> Any:
        level = RunningVmap(_SIZE, "different")
        with levels.running(level), torch._C._IncludeVmapMode():
            args, kwargs = map_tensors(
                lambda t: level.wrap(torch.stack([t] * _SIZE)), (args, kwargs)
            )
            result = operator.function()(*args, **kwargs)
            result = tuple(result) if hasattr(result, "_fields") else result
            return map_tensors(lambda t: t._value[1] if level.owns(t) else t, result)  # type: ignore[attr-defined]

    _check(operator, transformed)


@pytest.mark.slow
@pytest.mark.parametrize("operator", CASES)
@pytest.mark.filterwarnings("ignore")
def test_operators_on_dual_tensors(operator: Operator) -> None:
    def transformed(args: Any, kwargs: Any) -> Any:
        level = RunningDual()
        with levels.running(level):
            args, kwargs = map_tensors(
                lambda t: level.join(
                    t.clone(), torch.ones_like(t) if t.is_floating_point() else None
                ),
                (args, kwargs),
            )
            result = operator.function()(*args, **kwargs)
            result = tuple(result) if hasattr(result, "_fields") else result
            return map_tensors(lambda t: level.split(t)[0], result)

    _check(operator, transformed)
