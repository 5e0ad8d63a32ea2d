"""Functions of torch that older programs and libraries call: private operators and aliases of others.

Each has the schema of PyTorch's operator of this name and is composed of public functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._composites import wrapped_axis
from torch.nn.utils.parametrizations import _norm_except


def _cast(dtype: torch.dtype, name: str) -> Any:
    def function(input: Tensor, non_blocking: bool = False) -> Tensor:
        return input.to(dtype, non_blocking=non_blocking)

    function.__name__ = function.__qualname__ = f"_cast_{name}"
    function.__doc__ = f"Return a tensor as {dtype}; prefer `Tensor.to`."
    return function


_cast_Byte = _cast(torch.uint8, "Byte")
_cast_Char = _cast(torch.int8, "Char")
_cast_Double = _cast(torch.float64, "Double")
_cast_Float = _cast(torch.float32, "Float")
_cast_Half = _cast(torch.float16, "Half")
_cast_Int = _cast(torch.int32, "Int")
_cast_Long = _cast(torch.int64, "Long")
_cast_Short = _cast(torch.int16, "Short")


def _written(found: Tensor, out: Tensor | None) -> Tensor:
    """Return a result, or the tensor that was given for it."""
    return found if out is None else out.resize_(found.shape).copy_(found)


def _in_place(name: str) -> Callable[[Tensor], Tensor]:
    def function(input: Tensor) -> Tensor:
        return getattr(torch.Tensor, name)(input)  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Write the result of `torch.{name[:-1]}` into a tensor and return it.

    Example:
        >>> torch.equal(torch.{name}(torch.ones(2)), torch.{name[:-1]}(torch.ones(2)))
        True
    """
    return function


arccos_ = _in_place("arccos_")
arccosh_ = _in_place("arccosh_")
arcsin_ = _in_place("arcsin_")
arcsinh_ = _in_place("arcsinh_")
arctan_ = _in_place("arctan_")
arctanh_ = _in_place("arctanh_")
deg2rad_ = _in_place("deg2rad_")
fix_ = _in_place("fix_")
negative_ = _in_place("negative_")
rad2deg_ = _in_place("rad2deg_")


def resize_as_(
    input: Tensor, the_template: Tensor, *, memory_format: torch.memory_format | None = None
) -> Tensor:
    """Resize a tensor to the shape of another.

    Example:
        >>> torch.resize_as_(torch.zeros(4), torch.zeros(2, 2)).shape
        torch.Size([2, 2])
    """
    options = {} if memory_format is None else {"memory_format": memory_format}
    return input.resize_as_(the_template, **options)


def _shape_as_tensor(input: Tensor) -> Tensor:
    """Return the shape as a tensor of integers.

    Example:
        >>> torch._shape_as_tensor(torch.ones(2, 3))
        tensor([2, 3])
    """
    return torch.tensor(input.shape, dtype=torch.int64)


def _dim_arange(like: Tensor, dim: int) -> Tensor:
    """Return the indices of a dimension."""
    return torch.arange(like.shape[dim], device=like.device)


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """Return the norm over all dimensions but one, which keeps its place; over all for -1.

    Args:
        v: The tensor.
        pow: The order of the norm.
        dim: The dimension that is left out.

    Example:
        >>> torch.norm_except_dim(torch.ones(2, 4))
        tensor([[2.],
                [2.]])
    """
    return _norm_except(v, dim, pow)


def _weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """Return a weight from its direction and the length of each slice of a dimension.

    Example:
        >>> torch._weight_norm(torch.ones(1, 4), torch.tensor([[6.0]]))
        tensor([[3., 3., 3., 3.]])
    """
    return v * (g / _norm_except(v, dim))


def _weight_norm_interface(v: Tensor, g: Tensor, dim: int = 0) -> tuple[Tensor, Tensor]:
    """Return the weight that `_weight_norm` computes, and the norms of the direction."""
    norms = _norm_except(v, dim)
    return v * (g / norms), norms


def _convert_indices_from_coo_to_csr(
    input: Tensor, size: int, *, out_int32: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return where each row begins, from the sorted row of each element.

    Args:
        input: The rows, in ascending order.
        size: The number of rows.
        out_int32: Whether the result has 32-bit integers.
        out: Gets the result.

    Example:
        >>> torch._convert_indices_from_coo_to_csr(torch.tensor([0, 0, 2]), 3)
        tensor([0, 2, 2, 3])
    """
    bounds = torch.arange(size + 1, device=input.device, dtype=input.dtype)
    found = torch.searchsorted(input, bounds, out_int32=out_int32)
    return _written(found, out)


def _convert_indices_from_csr_to_coo(
    crow_indices: Tensor,
    col_indices: Tensor,
    *,
    out_int32: bool = False,
    transpose: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the row and the column of each element, from where each row begins.

    Args:
        crow_indices: Where each row begins.
        col_indices: The column of each element.
        out_int32: Whether the result has 32-bit integers.
        transpose: Whether the columns come first.
        out: Gets the result.

    Example:
        >>> torch._convert_indices_from_csr_to_coo(torch.tensor([0, 2, 2, 3]), torch.tensor([1, 2, 0]))
        tensor([[0, 0, 2],
                [1, 2, 0]])
    """
    counts = crow_indices.diff(dim=-1)
    rows = torch.arange(counts.shape[-1], device=counts.device)
    columns = col_indices
    if crow_indices.dim() == 1:
        parts = [rows.repeat_interleave(counts)]
    else:  # indices of batches come first
        batches = counts.reshape(-1, counts.shape[-1])
        each = col_indices.shape[-1]
        shape = crow_indices.shape[:-1]
        rows = torch.stack([rows.repeat_interleave(count) for count in batches]).reshape(-1)
        places = torch.unravel_index(torch.arange(shape.numel(), device=rows.device), shape)
        parts = [*(place.repeat_interleave(each) for place in places), rows]
        columns = col_indices.reshape(-1)
    parts = [*parts[:-1], columns, parts[-1]] if transpose else [*parts, columns]
    dtype = torch.int32 if out_int32 else torch.int64
    found = torch.stack([part.to(dtype) for part in parts])
    return _written(found, out)


def _softmax_backward_data(
    grad_output: Tensor, output: Tensor, dim: int, input_dtype: torch.dtype
) -> Tensor:
    """Return the gradient of softmax from its result."""
    product = grad_output * output
    return (product - output * product.sum(dim, keepdim=True)).to(input_dtype)


def _log_softmax_backward_data(
    grad_output: Tensor, output: Tensor, dim: int, input_dtype: torch.dtype
) -> Tensor:
    """Return the gradient of log_softmax from its result."""
    return (grad_output - output.exp() * grad_output.sum(dim, keepdim=True)).to(input_dtype)


def _masked_softmax(
    input: Tensor, mask: Tensor, dim: int | None = None, mask_type: int | None = None
) -> Tensor:
    """Return softmax over the elements where a mask is False, in the last dimension by default."""
    return torch._safe_softmax(input.masked_fill(mask, float("-inf")), -1 if dim is None else dim)


def _aminmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Return the least and the greatest elements; prefer `torch.aminmax`."""
    least, greatest = torch.aminmax(input, dim=dim, keepdim=keepdim)
    return least, greatest


def _stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Join tensors along a new dimension; prefer `torch.stack`."""
    return torch.stack(tensors, dim)


def _logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """Return the logarithm of cumulative sums of exponentials; prefer `torch.logcumsumexp`."""
    return torch.logcumsumexp(input, dim)


def _euclidean_dist(x1: Tensor, x2: Tensor) -> Tensor:
    """Return the distances of the rows of two matrices by a matrix product."""
    return torch.cdist(x1, x2, compute_mode="use_mm_for_euclid_dist")


def _trilinear(
    i1: Tensor,
    i2: Tensor,
    i3: Tensor,
    expand1: Sequence[int],
    expand2: Sequence[int],
    expand3: Sequence[int],
    sumdim: Sequence[int],
    unroll_dim: int = 1,
) -> Tensor:
    """Return sums of products of three tensors that get new dimensions before they are multiplied."""
    for places, which in ((expand1, 0), (expand2, 1), (expand3, 2)):
        for place in sorted(places):
            i1, i2, i3 = (
                tensor.unsqueeze(place) if index == which else tensor
                for index, tensor in enumerate((i1, i2, i3))
            )
    product = i1 * i2 * i3
    return product.sum(list(sumdim)) if len(sumdim) else product


def _compute_linear_combination(
    input: Tensor, coefficients: Tensor, *, out: Tensor | None = None
) -> Tensor:
    """Return combinations of the rows of a tensor, one for each row of coefficients."""
    found = torch.tensordot(coefficients, input, dims=([-1], [0]))
    return _written(found, out)


def _chunk_cat(
    tensors: Sequence[Tensor], dim: int, num_chunks: int, *, out: Tensor | None = None
) -> Tensor:
    """Pad each tensor to equal chunks of a dimension, and join the flat chunks of all tensors."""
    if not tensors:
        raise RuntimeError("_chunk_cat expects a non-empty input tensor list")
    if num_chunks < 1:
        raise RuntimeError("_chunk_cat expects positive num_chunks")
    first = tensors[0]
    dim = wrapped_axis(dim, first.dim())
    for tensor in tensors:
        if tensor.dtype != first.dtype:
            raise RuntimeError("_chunk_cat expects all input tensors with the same dtype")
        if tensor.shape[:dim] != first.shape[:dim]:
            raise RuntimeError(
                "_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors"
            )
    parts = []
    for tensor in tensors:
        size = -(-tensor.shape[dim] // num_chunks) * num_chunks
        padding = [0] * (2 * (tensor.dim() - dim - 1)) + [0, size - tensor.shape[dim]]
        padded = torch.nn.functional.pad(tensor, padding)
        parts.append(padded.reshape(*tensor.shape[:dim], num_chunks, -1))
    found = torch.cat(parts, -1)
    return _written(found, out)


def _add_relu(input: Tensor, other: Any, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """Return the positive part of a sum."""
    found = torch.relu(torch.add(input, other, alpha=alpha))
    return _written(found, out)


def _add_relu_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """Write the positive part of a sum into its first term."""
    return input.add_(other, alpha=alpha).relu_()


def _addmm_activation(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: float = 1,
    alpha: float = 1,
    use_gelu: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return relu or gelu of a matrix product and a bias."""
    found = torch.addmm(input, mat1, mat2, beta=beta, alpha=alpha)
    found = torch.nn.functional.gelu(found) if use_gelu else found.relu()
    return _written(found, out)


def _to_cpu(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Return the tensors on the CPU."""
    return [tensor.cpu() for tensor in tensors]


def _lazy_clone(input: Tensor) -> Tensor:
    """Return a copy; this build copies at once."""
    return input.clone()


def _efficientzerotensor(*size: Any, **options: Any) -> Tensor:
    """Return zeros; this build has no tensors without memory for them."""
    return torch.zeros(*size, **options)


def _is_zerotensor(input: Tensor) -> bool:
    """Return False: this build has no tensors of zeros without memory."""
    return False


def _is_all_true(input: Tensor) -> Tensor:
    """Return whether all elements are True."""
    return input.all()


def _is_any_true(input: Tensor) -> Tensor:
    """Return whether any element is True."""
    return input.any()


def _make_dual(primal: Tensor, tangent: Tensor, level: int) -> Tensor:
    """Return a dual tensor; see `torch.autograd.forward_ad.make_dual`."""
    return torch.autograd.forward_ad.make_dual(primal, tangent, level=level)


def _unpack_dual(dual: Tensor, level: int) -> Any:
    """Return the primal and the tangent; see `torch.autograd.forward_ad.unpack_dual`."""
    return torch.autograd.forward_ad.unpack_dual(dual, level=level)


def _lu_with_info(
    input: Tensor, pivot: bool = True, check_errors: bool = True
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the LU factorization and the status of each; prefer `torch.linalg.lu_factor_ex`."""
    factors, pivots, info = torch.linalg.lu_factor_ex(input, pivot=pivot, check_errors=check_errors)
    return factors, pivots, info


def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Scale the rows at indices that are longer than a norm, in place.

    Example:
        >>> torch.embedding_renorm_(torch.tensor([[3.0, 4.0], [6.0, 8.0]]), torch.tensor([0]), 1.0, 2.0)
        tensor([[0.6000, 0.8000],
                [6.0000, 8.0000]])
    """
    with torch.no_grad():
        rows = indices.unique()
        chosen = input[rows]
        norms = chosen.norm(norm_type, dim=1, keepdim=True)
        scale = torch.where(norms > max_norm, max_norm / (norms + 1e-7), 1.0)
        input[rows] = chosen * scale
    return input


def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of a sparse and a dense matrix; prefer `torch.sparse.mm`.

    Example:
        >>> torch.spmm(torch.eye(2).to_sparse(), torch.ones(2, 1)).flatten()
        tensor([1., 1.])
    """
    return torch.mm(input, mat2)


def dsmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of a sparse and a dense matrix; prefer `torch.sparse.mm`.

    Example:
        >>> torch.dsmm(torch.eye(2).to_sparse(), torch.ones(2, 1)).flatten()
        tensor([1., 1.])
    """
    return torch.mm(input, mat2)


def hsmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of a sparse and a dense matrix as a hybrid matrix; see `torch.hspmm`.

    Example:
        >>> torch.hsmm(torch.eye(2).to_sparse(), torch.ones(2, 1)).dense_dim()
        1
    """
    return torch.hspmm(input, mat2)


def saddmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """Return the sum of a sparse matrix and a product; see `torch.sspaddmm`.

    Example:
        >>> eye = torch.eye(2).to_sparse()
        >>> torch.saddmm(eye, eye, torch.ones(2, 2)).to_dense()
        tensor([[2., 1.],
                [1., 2.]])
    """
    return torch.sspaddmm(input, mat1, mat2, beta=beta, alpha=alpha)


def is_distributed(input: Tensor) -> bool:
    """Return False: no tensor is on several machines.

    Example:
        >>> torch.is_distributed(torch.ones(1))
        False
    """
    return False


def is_vulkan_available() -> bool:
    """Return False: this build has no Vulkan.

    Example:
        >>> torch.is_vulkan_available()
        False
    """
    return False


def _nnpack_available() -> bool:
    """Return False: this build has no NNPACK."""
    return False


def cudnn_is_acceptable(input: Tensor) -> bool:
    """Return whether cuDNN computes with a tensor.

    Example:
        >>> torch.cudnn_is_acceptable(torch.ones(1))
        False
    """
    return input.is_cuda and torch.backends.cudnn.is_acceptable(input)


def _validate_sparse_coo_tensor_args(
    indices: Tensor,
    values: Tensor,
    size: Sequence[int],
    is_coalesced: bool | None = None,
    check_pinning: bool | None = None,
) -> None:
    """Raise an error unless indices, values and size form a sparse tensor."""
    torch.sparse_coo_tensor(indices, values, size, check_invariants=True)


def _validating(layout: str) -> Any:
    def function(
        compressed_indices: Tensor,
        plain_indices: Tensor,
        values: Tensor,
        size: Sequence[int],
        check_pinning: bool | None = None,
    ) -> None:
        make = getattr(torch, f"sparse_{layout}_tensor")
        make(compressed_indices, plain_indices, values, size, check_invariants=True)

    function.__name__ = function.__qualname__ = f"_validate_sparse_{layout}_tensor_args"
    function.__doc__ = f"Raise an error unless the arguments form a tensor of layout {layout}."
    return function


_validate_sparse_bsc_tensor_args = _validating("bsc")
_validate_sparse_bsr_tensor_args = _validating("bsr")
_validate_sparse_csc_tensor_args = _validating("csc")
_validate_sparse_csr_tensor_args = _validating("csr")


def _validate_sparse_compressed_tensor_args(
    compressed_indices: Tensor,
    plain_indices: Tensor,
    values: Tensor,
    size: Sequence[int],
    layout: torch.layout,
    check_pinning: bool | None = None,
) -> None:
    """Raise an error unless the arguments form a tensor of a compressed layout."""
    torch.sparse_compressed_tensor(
        compressed_indices, plain_indices, values, size, layout=layout, check_invariants=True
    )
