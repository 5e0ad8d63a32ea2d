"""Sparse tensors: indices and values of the elements that are not zero."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import torch
from torch import _utils
from torch._absent import absent_class, refusing
from torch._lazy_attributes import import_at_use as _import_at_use
from torch._module_signatures import bind as _bind
from torch.sparse import _functions, _products, _routing
from torch.sparse._base import SparseBase
from torch.sparse._constructors import (
    sparse_bsc_tensor,
    sparse_bsr_tensor,
    sparse_compressed_tensor,
    sparse_csc_tensor,
    sparse_csr_tensor,
)
from torch.sparse._conversions import to_sparse
from torch.sparse._diagonals import spdiags
from torch.sparse._gradcheck import as_sparse_gradcheck
from torch.sparse._invariants import check_not_negative, scalar_name
from torch.sparse._layouts import layout_name
from torch.sparse._tensor import make
from torch.sparse._unsupported import could_not_run

if TYPE_CHECKING:  # these names are made below, or at their first use
    from torch._C._late_sparse import *  # noqa: F403

__all__ = [
    "SparseSemiStructuredTensor",
    "SparseSemiStructuredTensorCUSPARSELT",
    "SparseSemiStructuredTensorCUTLASS",
    "addmm",
    "as_sparse_gradcheck",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "spdiags",
    "spsolve",
    "sum",
    "to_sparse_semi_structured",  # noqa: F405
]

Tensor = torch.Tensor


class check_sparse_tensor_invariants:
    """Whether new sparse tensors are checked in full; indices are always checked for their range.

    Example:
        >>> torch.sparse.check_sparse_tensor_invariants.is_enabled()
        False
        >>> with torch.sparse.check_sparse_tensor_invariants():
        ...     torch.sparse.check_sparse_tensor_invariants.is_enabled()
        True
    """

    _enabled = False

    def __init__(self, enable: bool = True) -> None:
        self.state = enable

    @staticmethod
    def is_enabled() -> bool:
        """Return whether the checks are enabled."""
        return check_sparse_tensor_invariants._enabled

    @staticmethod
    def enable() -> None:
        """Enable the checks."""
        check_sparse_tensor_invariants._enabled = True

    @staticmethod
    def disable() -> None:
        """Disable the checks."""
        check_sparse_tensor_invariants._enabled = False

    def __call__(self, function: Any) -> Any:
        """Return a function that runs with the checks enabled or disabled."""

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return function(*args, **kwargs)

        return checked

    def __enter__(self) -> None:
        self.previous = check_sparse_tensor_invariants._enabled
        check_sparse_tensor_invariants._enabled = self.state

    def __exit__(self, *error: object) -> None:
        check_sparse_tensor_invariants._enabled = self.previous


def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype: torch.dtype | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Tensor:
    """Create a sparse tensor in coordinate format.

    Args:
        indices: The indices, (sparse_dim, nnz). Values at equal indices add up. A size alone makes
            a tensor without elements.
        values: The values, (nnz, ...); their further dimensions are dense.
        size: The size of the tensor; by default the smallest that holds all indices.
        dtype: The dtype of the values; that of `values` by default.
        device: The device; that of `values` by default.
        pin_memory: Ignored.
        requires_grad: Whether the tensor is a leaf that gets a (sparse) gradient.
        check_invariants: Whether to check `is_coalesced`, too; sizes and the range of the indices
            are always checked.
        is_coalesced: Whether the indices are sorted and distinct.

    Raises:
        RuntimeError: If indices, values and size do not fit together.

    Example:
        >>> torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
        tensor(indices=tensor([[0, 1, 1],
                               [2, 0, 2]]),
               values=tensor([3., 4., 5.]),
               size=(2, 3), nnz=3, layout=torch.sparse_coo)
    """
    if values is None and (indices is None or size is None):
        sizes = size if indices is None else indices
        shape = torch.Size(sizes if isinstance(sizes, (tuple, list)) else [sizes])
        check_not_negative(shape)
        positions = torch.empty((len(shape), 0), dtype=torch.int64, device=device)
        elements = torch.empty(0, dtype=dtype, device=device)
        empty = make(positions, elements, shape, coalesced=True)
        return empty.requires_grad_(requires_grad)  # type: ignore[no-any-return]
    elements = values if isinstance(values, Tensor) else torch.tensor(values)
    positions = indices if isinstance(indices, Tensor) else torch.tensor(indices)
    _check_layouts(positions, elements)
    if dtype is not None or device is not None:
        elements = elements.to(dtype=dtype, device=device)
    # An alias, so that nobody changes its size.
    positions = positions.to(dtype=torch.int64, device=elements.device).detach()
    if elements.dim() == 0:
        elements = elements.unsqueeze(0)
    if size is None:
        largest = _largest(positions)
        size = [n + 1 for n in largest] + list(elements.shape[1:])
    size = torch.Size(size)
    if check_invariants is None:
        check_invariants = check_sparse_tensor_invariants.is_enabled()
    _check_size(positions, elements, size)
    if is_coalesced and check_invariants and not _is_coalesced(positions):
        raise RuntimeError(
            "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor"
        )
    if is_coalesced is None:
        is_coalesced = positions.size(1) < 2
    if requires_grad:
        return make(  # type: ignore[no-any-return]
            positions, elements.detach(), size, coalesced=is_coalesced
        ).requires_grad_()
    return make(positions, elements, size, coalesced=is_coalesced)  # type: ignore[no-any-return]


def _check_layouts(positions: Tensor, elements: Tensor) -> None:
    for what, part in (("indices", positions), ("values", elements)):
        if part.layout is not torch.strided:
            raise RuntimeError(
                f"expected {what} to be a dense tensor, but got {what} of layout {layout_name(part)}"
            )
    if positions.is_meta != elements.is_meta:
        of_indices, of_values = (_backend(part) for part in (positions, elements))
        raise RuntimeError(
            f"backend of indices ({of_indices}) must match backend of values ({of_values})"
        )


def _backend(tensor: Tensor) -> str:
    kind = tensor.device.type
    return kind.capitalize() if kind == "meta" else kind.upper()


def _check_rank(positions: Tensor) -> None:
    if positions.dim() != 2:
        raise RuntimeError(
            "indices must be sparse_dim x nnz, but got: " + str(list(positions.shape))
        )


def _largest(positions: Tensor) -> list[int]:
    """Return the largest index of each dimension, -1 without indices."""
    _check_rank(positions)
    return positions.amax(1).tolist() if positions.numel() else [-1] * positions.size(0)


def _is_coalesced(positions: Tensor) -> bool:
    """Return whether the columns of indices are sorted and distinct."""
    if positions.numel():
        return bool(torch.equal(torch.unique(positions, dim=1), positions))
    return positions.size(0) > 0 or positions.size(1) < 2


def _check_size(positions: Tensor, elements: Tensor, size: torch.Size) -> None:
    count = positions.size(0) if positions.dim() else 0
    dense = elements.dim() - 1
    if len(size) != count + dense:
        raise RuntimeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: "
            f"len(size) = {len(size)}, sparse_dim = {count}, dense_dim = {dense}"
        )
    check_not_negative(size)
    _check_rank(positions)
    found = positions.size(1)
    if elements.size(0) != found:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {found}, "
            f"nnz from values: {elements.size(0)}"
        )
    expected = [found, *size[count:]]
    if expected != list(elements.shape):
        raise RuntimeError(
            f"values has incorrect size, expected {expected}, got {list(elements.shape)}"
        )
    if _utils.later_checks is not None:  # a file is read whose indices follow
        _utils.later_checks.append(lambda: _check_range(positions, size))
    else:
        _check_range(positions, size)


def _check_range(positions: Tensor, size: torch.Size) -> None:
    if positions.is_meta or not positions.numel():
        return
    smallest = positions.amin(1).tolist()
    for dim, (first, last) in enumerate(zip(smallest, _largest(positions), strict=True)):
        if first < 0:
            raise RuntimeError(f"found negative index {first} for dim {dim}")
        if last >= size[dim]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found "
                f"index {last}"
            )


def mm(sparse: Tensor, dense: Tensor, reduce: str = "sum") -> Tensor:
    """Multiply matrices, at least one of them sparse; both may have gradients.

    The gradient of a sparse matrix has its indices. The product of two sparse matrices is sparse.

    Args:
        sparse: The first matrix.
        dense: The second matrix; either may be sparse or dense.
        reduce: How the products of a row's elements are joined: "sum", "mean", "amax" or "amin";
            the last three need a csr matrix and a dense one, and count only elements that exist.

    Raises:
        RuntimeError: If the shapes do not fit, or the layouts have no such product.

    Example:
        >>> a = torch.eye(2).to_sparse().requires_grad_()
        >>> torch.sparse.mm(a, torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
        >>> a.grad.to_dense()
        tensor([[3., 0.],
                [0., 7.]])
    """
    if reduce != "sum":
        return _products.reduced_mm(sparse, dense, reduce)
    if not any(isinstance(each, SparseBase) for each in (sparse, dense)):
        return torch.mm(sparse, dense)
    return _products.mm(sparse, dense)  # type: ignore[no-any-return]


def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1.0, alpha: float = 1.0
) -> Tensor:
    """Compute beta * input + alpha * (mat1 @ mat2), where mat1 is sparse.

    Example:
        >>> a = torch.eye(2).to_sparse()
        >>> torch.sparse.addmm(torch.ones(2, 2), a, torch.ones(2, 2))
        tensor([[2., 2.],
                [2., 2.]])
    """
    return _products.addmm(input, mat1, mat2, beta=beta, alpha=alpha)  # type: ignore[no-any-return]


def sampled_addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: float = 1.0,
    alpha: float = 1.0,
    out: Tensor | None = None,
) -> Tensor:
    """Compute alpha * (mat1 @ mat2) at the indices of a csr matrix, plus beta * input.

    Args:
        input: The csr matrix, (*batch, rows, columns).
        mat1: A dense matrix, (*batch, rows, n).
        mat2: A dense matrix, (*batch, n, columns).
        beta: The factor of `input`.
        alpha: The factor of the product.
        out: Must be None.

    Raises:
        RuntimeError: If layouts, dtypes or shapes do not fit.

    Example:
        >>> a = torch.eye(2).to_sparse_csr()
        >>> torch.sparse.sampled_addmm(a, torch.ones(2, 3), torch.ones(3, 2)).to_dense()
        tensor([[4., 0.],
                [0., 4.]])
    """
    if out is not None:
        raise NotImplementedError("sampled_addmm: the argument out is not supported")
    return _products.sampled_addmm(input, mat1, mat2, beta=beta, alpha=alpha)  # type: ignore[no-any-return]


def spsolve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """Raise an error: sparse systems are solved on CUDA devices with cuDSS only.

    Args:
        A: The matrix of the system.
        B: The right-hand side.
        left: Whether the matrix stands on the left.

    Raises:
        NotImplementedError: Always.

    Example:
        >>> torch.sparse.spsolve(torch.eye(2).to_sparse_csr(), torch.ones(2))
        Traceback (most recent call last):
            ...
        NotImplementedError: Could not run 'aten::_spsolve' ...
    """
    raise could_not_run("aten::_spsolve", [A, B])


def sum(input: Tensor, dim: Any = None, dtype: torch.dtype | None = None) -> Tensor:
    """Sum the elements of a sparse tensor, all or along dimensions.

    Args:
        input: The tensor.
        dim: The dimensions; all by default. The result is dense if no sparse one remains.
        dtype: The dtype of the result.

    Example:
        >>> torch.sparse.sum(torch.eye(3).to_sparse(), 0).to_dense()
        tensor([1., 1., 1.])
    """
    dims = () if dim is None else (dim,)
    options = {} if dtype is None else {"dtype": dtype}
    return torch._sparse_sum(input, *dims, **options)  # type: ignore[no-any-return]


def softmax(input: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Tensor:
    """Compute the softmax of the elements that a sparse tensor has; the others count as -inf.

    Example:
        >>> torch.sparse.softmax(torch.eye(2).to_sparse(), 1).to_dense()
        tensor([[1., 0.],
                [0., 1.]])
    """
    return _softmax(input, dim, dtype, logarithm=False)


def log_softmax(input: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Tensor:
    """Compute the logarithm of `softmax`.

    Example:
        >>> torch.sparse.log_softmax(torch.eye(2).to_sparse(), 1).values()
        tensor([0., 0.])
    """
    return _softmax(input, dim, dtype, logarithm=True)


def _softmax(input: Tensor, dim: int, dtype: torch.dtype | None, *, logarithm: bool) -> Tensor:
    if input.layout is not torch.sparse_coo:
        raise could_not_run(f"aten::_sparse_{'log_' if logarithm else ''}softmax", [input])
    tensor = input if dtype is None else input.to(dtype)
    return _functions.softmax(tensor, dim, logarithm=logarithm)  # type: ignore[no-any-return]


# ---- layouts of particular GPUs -----------------------------------------------------------------
_MESSAGE = (
    "semi-structured sparse tensors need a CUDA device, which this build does not use for them"
)

SparseSemiStructuredTensor = absent_class(__name__, "SparseSemiStructuredTensor", _MESSAGE)
SparseSemiStructuredTensorCUTLASS = absent_class(
    __name__, "SparseSemiStructuredTensorCUTLASS", _MESSAGE
)
SparseSemiStructuredTensorCUSPARSELT = absent_class(
    __name__, "SparseSemiStructuredTensorCUSPARSELT", _MESSAGE
)
globals().update(refusing(__name__, ["to_sparse_semi_structured"], RuntimeError, _MESSAGE))

_operators = _bind("sparse", globals())
_routing.FUNCTIONS.update({f.__name__: f.__wrapped__ for f in _operators.values()})
_routing.FUNCTIONS["_sparse_sum"] = _functions._sparse_sum
globals().update(_operators)


_find_submodule = _import_at_use(__name__)


def __getattr__(name: str) -> Any:
    if name.endswith("Tensor"):  # torch.sparse.FloatTensor and the others
        from torch import _legacy_tensors

        if name in _legacy_tensors.SPARSE:
            return _legacy_tensors.SPARSE[name]
    return _find_submodule(name)
