"""Calls that torch.vmap refuses, and chunks with the same random numbers."""

from __future__ import annotations

from typing import Any

import pytest

import torch
from torch.func import vmap


@pytest.mark.parametrize(
    ("operator", "shapes", "message"),
    [
        (torch.mm, ((2, 2), (2,)), "incorrect dims for mm"),
        (torch.mm, ((2,), (2, 2)), "incorrect dims for mm"),
        (torch.mv, ((2, 2), (2, 2)), "incorrect dims for mv"),
        (torch.bmm, ((3, 3, 2), (2, 2)), "incorrect dims for bmm"),
        (torch.dot, ((2, 2), (2, 2)), "wrong shapes for dot"),
        (torch.dot, ((1,), (3,)), "same number of elements"),
        (torch.vdot, ((1,), (3,)), "same number of elements"),
        (lambda a, b: torch.addmm(a, a, b), ((2, 2), (2, 2, 2)), "incorrect dims for mm"),
        (lambda a, b: torch.baddbmm(a, a, b), ((2, 2), (2, 2)), "incorrect dims for bmm"),
        (lambda a, b: torch.t(a), ((2, 2, 2), ()), "expects a tensor with <= 2 dimensions"),
    ],
)
@pytest.mark.parametrize("in_dims", [(0, 0), (0, None), (None, 0)])
def test_products_check_the_ranks_of_elements(
    operator: Any, shapes: Any, message: str, in_dims: Any
) -> None:
    args = [
        torch.ones(shape if dim is None else (4, *shape))
        for shape, dim in zip(shapes, in_dims, strict=True)
    ]
    with pytest.raises(RuntimeError, match=message):
        vmap(operator, in_dims)(*args)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"in_dims": [0]}, "expected `in_dims` to be int or a"),
        ({"in_dims": (None,)}, "Expected at least one Tensor to vmap over"),
        ({"out_dims": "lol"}, "`out_dims` must be an int, None or a python collection of ints"),
        ({"out_dims": (0.5,)}, "`out_dims` must be an int, None or a python collection of ints"),
        ({"out_dims": (0, 0)}, "not compatible with the structure of `outputs`. out_dims has"),
    ],
)
def test_wrong_dims_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        vmap(lambda x: x, **options)(torch.ones(2, 3))


def test_chunks_have_the_same_random_numbers() -> None:
    found = vmap(lambda x: x + torch.rand(2), randomness="same", chunk_size=2)(torch.zeros(5, 2))
    assert torch.equal(found, found[:1].expand(5, 2))


def test_data_of_elements_is_not_accessible() -> None:
    def change(x: Any) -> Any:
        x.data = torch.ones(3)
        return x

    with pytest.raises(RuntimeError, match="accessing `data` under vmap"):
        vmap(lambda x: x.data)(torch.ones(2, 3))
    with pytest.raises(RuntimeError, match=r"mutating directly with `.data`"):
        vmap(change)(torch.ones(2, 3))


def test_views_of_elements_end_with_the_element() -> None:
    x = torch.arange(24.0).reshape(4, 2, 3)
    assert vmap(lambda x: x.as_strided((2,), (3,)))(x)[1].tolist() == [6, 9]
    for size, stride, offset in (((2,), (6,), 0), ((1,), (1,), 6)):
        with pytest.raises(RuntimeError, match="can access memory outside of `tensor`"):
            vmap(lambda x: x.as_strided(size, stride, offset))(x)  # noqa: B023
