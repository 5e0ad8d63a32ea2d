"""Every in-place and out= operator of the sample table inside functionalize: the same values.

And every operator that copies a view: the values of the view.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import torch
from samples import TABLE, Operator
from torch.func import functionalize
from torch.utils._pytree import tree_map

IN_PLACE = [pytest.param(each, id=each.title) for each in TABLE if each.in_place]
OUT = [pytest.param(each, id=each.title) for each in TABLE if each.out]
COPIES = [
    pytest.param(each, id=each.title)
    for each in TABLE
    if each.name.endswith("_copy") and not each.name.startswith(("index", "_copy", "_to"))
]


def copied(values: Any) -> Any:
    return tree_map(lambda x: x.clone() if isinstance(x, torch.Tensor) else x, values)


def outcome(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return the result or the type of the error."""
    torch.manual_seed(0)
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return type(error)


def assert_same(found: Any, expected: Any) -> None:
    if isinstance(expected, torch.Tensor):
        assert isinstance(found, torch.Tensor), found
        torch.testing.assert_close(found, expected, equal_nan=True)
    elif isinstance(expected, (tuple, list)):
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    else:
        assert found == expected


@pytest.mark.parametrize("operator", IN_PLACE)
@pytest.mark.filterwarnings("ignore")
def test_in_place_operators(operator: Operator) -> None:
    compared = 0
    for each in operator.make(operator.dtypes[-1]):
        if not isinstance(each.args[0], torch.Tensor):
            continue

        def change(target: torch.Tensor, args: Any, kwargs: Any) -> Any:
            getattr(target, operator.name + "_")(*args, **kwargs)
            return target

        expected = outcome(change, each.args[0].clone(), copied(each.args[1:]), each.kwargs)
        target = each.args[0].clone()
        found = outcome(functionalize(change), target, copied(each.args[1:]), each.kwargs)
        assert_same(found, expected)
        if isinstance(expected, torch.Tensor):
            assert_same(target, expected)
            compared += 1
    assert compared


@pytest.mark.parametrize("operator", OUT)
@pytest.mark.filterwarnings("ignore")
def test_out_operators(operator: Operator) -> None:
    compared = 0
    for each in operator.make(operator.dtypes[-1]):
        expected = outcome(operator.function(), *each.args, **each.kwargs)
        if not isinstance(expected, torch.Tensor):
            continue

        def write(args: Any, kwargs: Any, like: torch.Tensor) -> torch.Tensor:
            out = torch.zeros_like(like)
            operator.function()(*args, **kwargs, out=out)
            return out

        eager = outcome(write, each.args, each.kwargs, expected)
        found = outcome(functionalize(write), each.args, each.kwargs, expected)
        assert_same(found, eager)
        compared += 1
    assert compared


@pytest.mark.parametrize("operator", COPIES)
def test_copies_of_views(operator: Operator) -> None:
    name = operator.name.replace("_copy", "", 1)
    view = getattr(torch.Tensor, name, None) or getattr(torch.ops.aten, name)
    for dtype in operator.dtypes:
        for each in operator.make(dtype):
            expected = view(*each.args, **each.kwargs)
            found = operator.function()(*each.args, **each.kwargs)
            assert_same(found, expected)
            results = found if isinstance(found, (tuple, list)) else [found]
            for result in results:
                assert result.is_contiguous()
                assert not torch._C._is_alias_of(result, each.args[0])
