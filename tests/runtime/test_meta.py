"""An operator on Meta tensors gives the same shape, dtype and strides as on the CPU."""

from __future__ import annotations

from typing import Any

import pytest

import torch
from samples import TABLE, Operator

CASES = [
    pytest.param(operator, operator.dtypes[-1], id=operator.title)
    for operator in TABLE
    if operator.meta and not operator.random
]


def to_meta(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(to_meta(each) for each in value)
    if isinstance(value, torch.Tensor):
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
    return value


def flat(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple | list) else [value]


@pytest.mark.parametrize(("operator", "dtype"), CASES)
@pytest.mark.filterwarnings("ignore")
def test_meta_agrees_with_cpu(operator: Operator, dtype: str) -> None:
    for each in operator.make(dtype):
        real = operator.function()(*each.args, **each.kwargs)
        kwargs = {name: to_meta(value) for name, value in each.kwargs.items()}
        meta = operator.function()(*to_meta(each.args), **kwargs)
        for ours, expected in zip(flat(meta), flat(real), strict=True):
            if expected is None:  # a gradient that was not requested
                assert ours is None
                continue
            assert ours.device.type == "meta"
            assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape)
            if ours.numel() > 1:
                assert ours.stride() == expected.stride()
