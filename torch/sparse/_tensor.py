"""Tensors of the layout torch.sparse_coo: the indices of some elements, and their values.

A sparse tensor is a wrapper subclass with rules for operators in Python. All of them are composed
of operators on dense values, and autograd reaches those through two functions: `_Values`, from a
tensor to its values, and `_Make` back.
"""

from __future__ import annotations

import copyreg
from typing import Any

import torch
from torch import _C
from torch.autograd import Function

Tensor = torch.Tensor


def _reduce_layout(layout: torch.layout) -> Any:
    from torch.serialization import _get_layout

    return _get_layout, (str(layout),)


copyreg.pickle(torch.layout, _reduce_layout)


class SparseTensor(Tensor):
    """A tensor of the layout torch.sparse_coo; `torch.sparse_coo_tensor` creates it."""

    _pairs: tuple[Tensor, Tensor]
    _coalesced: bool

    is_sparse = True  # type: ignore[assignment]
    layout = torch.sparse_coo  # type: ignore[assignment]

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call the sparse form of a function, whose operators autograd sees."""
        from torch.sparse import _functions

        kwargs = kwargs or {}
        found = _functions.of_function(func)
        if found is not None:
            return found(*args, **kwargs)
        with _C.DisableTorchFunctionSubclass():
            return func(*args, **kwargs)

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call the sparse form of an operator."""
        from torch.sparse import _functions

        return _functions.of_operator(func)(*args, **(kwargs or {}))

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        """Show indices, values and size."""
        indices, values = self._pairs
        parts = {"indices": repr(indices), "values": repr(values.detach())}
        lines = [
            f"{name}=" + text.replace("\n", "\n" + " " * (len(name) + 8))
            for name, text in parts.items()
        ]
        rest = f"size={tuple(self.shape)}, nnz={self._nnz()}"
        if values.dtype not in (torch.get_default_dtype(), torch.int64, torch.bool):
            rest += f", dtype={values.dtype}"
        rest += ", layout=torch.sparse_coo"
        if self.grad_fn is not None:
            rest += f", grad_fn=<{type(self.grad_fn).__name__}>"
        elif self.requires_grad:
            rest += ", requires_grad=True"
        return "tensor(" + (",\n       ".join([*lines, rest])) + ")"

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle indices, values and size."""
        from torch import _utils

        indices, values = self._pairs
        state = (indices, values.detach(), self.shape, self._coalesced)
        return _utils._rebuild_sparse_tensor, (torch.sparse_coo, state)

    def __deepcopy__(self, memo: Any) -> Any:
        """Copy indices and values."""
        if id(self) not in memo:
            copied = self.detach().clone().requires_grad_(self.requires_grad)
            copied.grad = None if self.grad is None else self.grad.clone()
            memo[id(self)] = copied
        return memo[id(self)]

    def _indices(self) -> Tensor:
        return self._pairs[0]

    def _values(self) -> Tensor:
        return self._pairs[1].detach()

    def _nnz(self) -> int:
        return self._pairs[0].size(1)

    def sparse_dim(self) -> int:
        """Return the number of dimensions that the indices cover."""
        return self._pairs[0].size(0)

    def dense_dim(self) -> int:
        """Return the number of dimensions of each value."""
        return self._pairs[1].dim() - 1

    def is_coalesced(self) -> bool:
        """Return whether the indices are sorted and distinct."""
        return self._coalesced

    def indices(self) -> Tensor:
        """Return the indices of a coalesced tensor, (sparse_dim, nnz)."""
        self._require_coalesced("indices")
        return self._pairs[0]

    def values(self) -> Tensor:
        """Return the values of a coalesced tensor, (nnz, ...)."""
        self._require_coalesced("values")
        return values_of(self)

    def _require_coalesced(self, what: str) -> None:
        if not self._coalesced:
            raise RuntimeError(
                f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first"
            )

    def coalesce(self) -> Tensor:
        """Return the tensor with sorted indices, and the values of equal ones added up."""
        if self._coalesced:
            return self
        indices, values = self._pairs[0], values_of(self)
        order, inverse = torch.unique(flat_indices(self), return_inverse=True)
        summed = values.new_zeros((order.numel(), *values.shape[1:])).index_add(0, inverse, values)
        distinct = unflat_indices(order, self.shape[: self.sparse_dim()])
        return make(distinct.to(indices.device), summed, self.shape, coalesced=True)

    def to_dense(self, dtype: Any = None, *, masked_grad: Any = None) -> Tensor:
        """Return a dense tensor with the same elements."""
        indices, values = self._pairs[0], values_of(self)
        if dtype is not None:
            values = values.to(dtype)
        zeros = torch.zeros(self.shape, dtype=values.dtype, device=values.device)
        if not self.sparse_dim():
            return zeros + values.sum(0)
        if values.dtype == torch.bool:
            return zeros.index_put(tuple(indices), values)
        return zeros.index_put(tuple(indices), values, accumulate=True)

    def to_sparse(self, *sparse_dim: Any, layout: Any = None, **options: Any) -> Tensor:
        """Return the tensor, which is sparse already."""
        if layout not in (None, torch.sparse_coo):
            raise NotImplementedError(f"to_sparse: the layout {layout} is not supported")
        return self

    to_sparse_coo = to_sparse

    def numpy(self, **options: Any) -> Any:
        """Raise an error: there is no array of the elements."""
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def tolist(self) -> Any:
        """Return the elements as nested lists."""
        return self.to_dense().tolist()

    def item(self) -> Any:
        """Return the only element."""
        return self.to_dense().item()

    def is_contiguous(self, *format: Any, **options: Any) -> bool:
        """Return whether the tensor is coalesced."""
        return self._coalesced

    def stride(self, *dim: Any) -> Any:
        """Raise an error: elements have no place in memory of their own."""
        raise RuntimeError("Sparse tensors do not have strides")

    def data_ptr(self) -> int:
        """Raise an error: the elements are in two tensors."""
        raise RuntimeError("Cannot access data pointer of a sparse tensor")


def wrapped(indices: Tensor, values: Tensor, size: Any, coalesced: bool) -> SparseTensor:
    """Create a sparse tensor that no graph tracks."""
    found: SparseTensor = Tensor._make_wrapper_subclass(
        SparseTensor, size, dtype=values.dtype, device=values.device
    )
    found._pairs, found._coalesced = (indices, values), coalesced
    return found


def make(indices: Tensor, values: Tensor, size: Any, *, coalesced: bool) -> Any:
    """Create a sparse tensor; gradients flow to the values."""
    if values.requires_grad and torch.is_grad_enabled():
        return _Make.apply(values, indices, torch.Size(size), coalesced)
    return wrapped(indices, values.detach(), size, coalesced)


def values_of(tensor: Any) -> Tensor:
    """Return the values, with a graph if the tensor has one."""
    if tensor.requires_grad and torch.is_grad_enabled():
        return _Values.apply(tensor)  # type: ignore[no-any-return]
    return tensor._pairs[1]  # type: ignore[no-any-return]


def flat_indices(tensor: Any) -> Tensor:
    """Return the position of each index among the elements in row-major order."""
    flat = torch.zeros(tensor._nnz(), dtype=torch.int64, device=tensor._pairs[0].device)
    for row, size in zip(tensor._pairs[0], tensor.shape, strict=False):
        flat = flat * size + row
    return flat


def unflat_indices(flat: Tensor, sizes: Any) -> Tensor:
    """Return the indices of positions in row-major order."""
    rows = []
    for size in reversed(sizes):
        rows.append(flat % max(size, 1))
        flat = flat.div(max(size, 1), rounding_mode="floor")
    if not rows:
        return flat.new_zeros((0, flat.numel()))
    return torch.stack(rows[::-1])


def masked_by(dense_or_sparse: Any, mask: Any) -> Tensor:
    """Return the values of a tensor at the indices of a sparse one; zero where it has none."""
    indices = mask._pairs[0]
    if not isinstance(dense_or_sparse, SparseTensor):
        return dense_or_sparse[tuple(indices)]  # type: ignore[no-any-return]
    if dense_or_sparse._pairs[0] is indices or (
        dense_or_sparse._pairs[0].shape == indices.shape
        and torch.equal(dense_or_sparse._pairs[0], indices)
        and mask._coalesced
    ):
        return values_of(dense_or_sparse)
    source: Any = dense_or_sparse.coalesce()
    known, wanted = flat_indices(source), flat_indices(mask)
    values = values_of(source)
    if not known.numel():
        return values.new_zeros((wanted.numel(), *values.shape[1:]))
    places = torch.searchsorted(known, wanted).clamp(max=known.numel() - 1)
    found = (known[places] == wanted).reshape(-1, *[1] * (values.dim() - 1))
    return torch.where(found, values[places], values.new_zeros(()))


class _Make(Function):
    """From values to a sparse tensor."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, indices: Tensor, size: Any, coalesced: bool) -> Any:
        ctx.mask = wrapped(indices, values.detach(), size, coalesced)
        return wrapped(indices, values.detach(), size, coalesced)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return masked_by(grad, ctx.mask), None, None, None


class _Values(Function):
    """From a sparse tensor to its values."""

    @staticmethod
    def forward(ctx: Any, tensor: Any) -> Any:
        ctx.indices, ctx.size, ctx.coalesced = tensor._pairs[0], tensor.shape, tensor._coalesced
        return tensor._pairs[1].detach()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return make(ctx.indices, grad, ctx.size, coalesced=ctx.coalesced)
