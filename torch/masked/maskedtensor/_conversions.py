"""Conversions of masked tensors between layouts, and where; each with its gradient."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import Function
from torch.masked.maskedtensor._layouts import on_values, same_indices
from torch.masked.maskedtensor.core import MaskedTensor, data_of, is_masked_tensor, make, mask_of

Tensor = torch.Tensor


def contiguous(input: Any, *args: Any, **kwargs: Any) -> Any:
    """Return a masked tensor whose data is contiguous."""
    return _Contiguous.apply(input)


def to_dense(input: Any, *args: Any, **kwargs: Any) -> Any:
    """Return a masked tensor with strided data."""
    return _ToDense.apply(input)


def to_sparse(input: Any, *args: Any, **kwargs: Any) -> Any:
    """Return a masked tensor in coordinate format with the elements that are given."""
    return _ToSparse.apply(input)


def to_sparse_csr(input: Any, *args: Any, **kwargs: Any) -> Any:
    """Return a masked tensor in compressed row format with the elements that are given."""
    return _ToSparseCsr.apply(input)


def where_function(*args: Any, **kwargs: Any) -> Any:
    """Choose between the elements of two masked tensors, and between their masks."""
    for kind, values, count in (("args", args, 3), ("kwargs", kwargs, 0)):
        if len(values) != count:
            raise ValueError(
                f"__torch_function__, torch.where: len({kind}) must be {count} but got "
                f"{len(values)}"
            )
    return _Where.apply(*args)


def where(condition: Any, a: Any, b: Any) -> Any:
    """Choose between the elements of two tensors, and between their masks."""
    chosen = data_of(condition)
    if chosen.layout != torch.strided and is_masked_tensor(a) and is_masked_tensor(b):
        return make(
            _where_of_values(chosen, data_of(a), data_of(b)),
            _where_of_values(chosen, mask_of(a), mask_of(b)),
        )
    data = torch.where(chosen, data_of(a), data_of(b))
    mask = torch.where(chosen, *(mask_of(x) if is_masked_tensor(x) else True for x in (a, b)))
    if is_masked_tensor(condition):
        mask = mask & mask_of(condition)
    return make(data, mask)


def _where_of_values(chosen: Any, a: Any, b: Any) -> Any:
    """Choose between the values of two sparse tensors that have the same indices."""
    if not (same_indices(chosen, a) and same_indices(chosen, b)):
        raise ValueError("the indices of sparse masked tensors must match")
    return on_values(chosen, lambda values: torch.where(values, a.values(), b.values()))


class _Contiguous(Function):
    @staticmethod
    def forward(ctx: Any, input: Any) -> Any:
        if input.is_contiguous():
            return input
        return make(data_of(input).contiguous(), mask_of(input).contiguous())

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad


class _ToDense(Function):
    @staticmethod
    def forward(ctx: Any, input: Any) -> Any:
        ctx.layout = input.layout
        if input.layout == torch.strided:
            return input
        return make(data_of(input).to_dense(), mask_of(input).to_dense())

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        if ctx.layout == torch.sparse_coo:
            return grad.to_sparse()
        return grad.to_sparse_csr() if ctx.layout == torch.sparse_csr else grad


class _ToSparse(Function):
    @staticmethod
    def forward(ctx: Any, input: Any) -> Any:
        if input.layout == torch.sparse_coo:
            return input
        mask = mask_of(input).to_sparse_coo().coalesce()
        return make(data_of(input).sparse_mask(mask), mask)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad.to_dense()


class _ToSparseCsr(Function):
    @staticmethod
    def forward(ctx: Any, input: Any) -> Any:
        if input.dim() != 2:
            raise ValueError(
                "Only 2D tensors can be converted to the SparseCsr layout but got shape: "
                f"{data_of(input).size()}"
            )
        if input.layout == torch.sparse_csr:
            return input
        mask = mask_of(input).to_sparse_csr()
        return make(data_of(input).sparse_mask(mask), mask)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad.to_dense()


class _Where(Function):
    @staticmethod
    def forward(ctx: Any, condition: Any, a: Any, b: Any) -> Any:
        ctx.condition = condition
        return where(condition, a, b)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        masked_out = make(data_of(grad), torch.zeros_like(mask_of(grad)))
        return (
            None,
            where(ctx.condition, grad, masked_out),
            where(ctx.condition, masked_out, grad),
        )


# Methods: unlike rules, they also serve where `__torch_function__` is disabled, as in backward().
for _method in (to_dense, to_sparse, to_sparse_csr):
    setattr(MaskedTensor, _method.__name__, _method)
