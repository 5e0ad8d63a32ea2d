"""Operators compute with conjugated and negated views as with tensors of the same values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_gradients import DIFFERENTIABLE, NO_QUOTIENT
from test_variants import assert_same, expected_of

import torch
from samples import TABLE, Operator, Sample, gradient

Pending = Callable[[torch.Tensor], torch.Tensor]

# What these return does not depend on the values, or is not determined by them.
EXCEPT = {
    "set": "the result is what the storage holds",
    "is_set_to": "the result is about memory",
    "empty_like": "the result is not initialized",
    "new_empty": "the result is not initialized",
    "new_empty_strided": "the result is not initialized",
    "as_strided": "elements that the tensor does not have are negated, too",
    "view.dtype": "raises: the result would be what the storage holds",
    "is_conj": "the result is about the view",
    "is_neg": "the result is about the view",
    "view_as_real": "raises: the result would be what the storage holds",
    "_fused_adadelta": "optimizers take leaves only",
    "_fused_rmsprop": "optimizers take leaves only",
}


def conjugated(tensor: torch.Tensor) -> torch.Tensor:
    """Return a view with the values of a complex tensor, for which a conjugation is pending."""
    return tensor.conj_physical().conj() if tensor.is_complex() else tensor


def negated(tensor: torch.Tensor) -> torch.Tensor:
    """Return a view with the values of a tensor, for which a negation is pending."""
    negatable = tensor.is_complex() or (tensor.is_floating_point() and tensor.dtype.itemsize > 1)
    return tensor.neg()._neg_view() if negatable else tensor


BITS = {
    "conj": (conjugated, ("complex64", "complex128")),
    "neg": (negated, ("float32", "complex64")),
}


def cases(operators: list[Operator]) -> list[Any]:
    return [
        pytest.param(operator, dtype, pending, id=f"{operator.title}-{dtype}-{bit}")
        for operator in operators
        if operator.title not in EXCEPT and operator.name not in EXCEPT and not operator.random
        for bit, (pending, dtypes) in BITS.items()
        for dtype in dtypes
        if dtype in operator.dtypes
    ]


def replaced(value: Any, pending: Pending) -> Any:
    if isinstance(value, torch.Tensor):
        return pending(value)
    if isinstance(value, list | tuple):
        return type(value)(replaced(each, pending) for each in value)
    return value


def with_pending(sample: Sample, pending: Pending) -> Sample:
    named = {name: replaced(value, pending) for name, value in sample.kwargs.items()}
    return Sample(replaced(sample.args, pending), named)


@pytest.mark.parametrize(("operator", "dtype", "pending"), cases(TABLE))
@pytest.mark.filterwarnings("ignore")
def test_inputs(operator: Operator, dtype: str, pending: Pending) -> None:
    for place in range(len(operator.make(dtype))):
        # A call may write running statistics, which samples share.
        expected = expected_of(operator, operator.make(dtype)[place])
        if expected is not None:
            inputs = with_pending(operator.make(dtype)[place], pending)
            actual = operator.function()(*inputs.args, **inputs.kwargs)
            assert_same(actual, expected, operator.tolerance_for(dtype))


@pytest.mark.parametrize(
    ("operator", "dtype", "pending"), cases([operator for operator in TABLE if operator.in_place])
)
@pytest.mark.filterwarnings("ignore")
def test_in_place(operator: Operator, dtype: str, pending: Pending) -> None:
    for each in operator.make(dtype):
        if not each.args or not isinstance(each.args[0], torch.Tensor):
            continue
        expected = expected_of(operator, each)
        if expected is None or expected.shape != each.args[0].shape:
            continue
        if not torch.can_cast(expected.dtype, each.args[0].dtype):
            continue
        target = pending(each.args[0].clone())
        base = target._base
        returned = getattr(target, operator.name + "_")(*each.args[1:], **each.kwargs)
        assert returned is target
        assert (target.is_conj() or target.is_neg()) == (base is not None)
        assert_same(target, expected.to(target.dtype), operator.tolerance_for(dtype))
        if base is not None:
            written = base.conj() if target.is_conj() else base.neg()
            assert_same(written.resolve_conj(), target.resolve_conj().resolve_neg())


@pytest.mark.parametrize(
    ("operator", "dtype", "pending"), cases([operator for operator in TABLE if operator.out])
)
@pytest.mark.filterwarnings("ignore")
def test_out(operator: Operator, dtype: str, pending: Pending) -> None:
    for each in operator.make(dtype):
        expected = expected_of(operator, each)
        if expected is None or not isinstance(expected, torch.Tensor):
            continue
        out = pending(torch.zeros(expected.shape, dtype=expected.dtype))
        inputs = with_pending(each, pending)
        returned = operator.function()(*inputs.args, **inputs.kwargs, out=out)
        assert returned is out
        assert_same(out, expected, operator.tolerance_for(dtype))


def gradients_of(
    results: tuple[torch.Tensor, ...], leaves: list[torch.Tensor]
) -> tuple[torch.Tensor | None, ...]:
    if not results:
        return (None,) * len(leaves)
    weights = [gradient.weight_of(result) for result in results]
    return torch.autograd.grad(results, leaves, weights, allow_unused=True)


@pytest.mark.parametrize(
    ("operator", "dtype", "pending"),
    [
        pytest.param(operator, dtype, pending, id=f"{operator.title}-{dtype}-{bit}")
        for operator in DIFFERENTIABLE
        if operator.title not in EXCEPT
        and operator.name not in EXCEPT
        and operator.name not in NO_QUOTIENT
        for bit, pending, dtype in (
            ("conj", conjugated, "complex128"),
            ("neg", negated, "float64"),
        )
        if dtype in operator.dtypes
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_gradients(operator: Operator, dtype: str, pending: Pending) -> None:
    for each in operator.make(dtype):
        if expected_of(operator, each) is None:
            continue
        function, leaves = gradient.as_function(operator, each)
        try:
            expected = gradients_of(function(*leaves), leaves)
        except (RuntimeError, TypeError):  # not differentiable
            continue
        actual = gradients_of(function(*(pending(leaf) for leaf in leaves)), leaves)
        for plain, other in zip(expected, actual, strict=True):
            assert (plain is None) == (other is None)
            if plain is not None:
                assert_same(other, plain, operator.tolerance_for(dtype))
