"""Shape functions: the sizes of an operator's results, from the sizes of its tensor arguments.

Each function takes what the operator takes, with a list of sizes in place of each tensor.
`shape_compute_graph_mapping` finds it by schema.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

Sizes = list[int]
Function = Callable[..., Any]

shape_compute_graph_mapping: dict[str, Function] = {}
_by_name: dict[str, Function] = {}


def add_shape_compute_mapping(operator_schema: str, func: Function) -> None:
    """Make a function the shape function of the operator with a schema.

    Args:
        operator_schema: The schema, as in native_functions.yaml, with its namespace.
        func: The shape function.
    """
    shape_compute_graph_mapping[operator_schema] = func
    _by_name[operator_schema.partition("(")[0]] = func


def shape_function_of(name: str) -> Function | None:
    """Return the shape function of an operator such as "aten::add.Tensor", or None."""
    return _by_name.get(name)


def maybe_wrap_dim(dim: int, rank: int, wrap_scalar: bool = True) -> int:
    """Return a dimension counted from the front.

    Raises:
        IndexError: If there is no such dimension.
    """
    bound = rank if rank > 0 or not wrap_scalar else 1
    if not -bound <= dim < bound:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got "
            f"{dim})"
        )
    return dim % bound


def _pair(value: Any, count: int, default: Any = None) -> list[int]:
    values = [value] if isinstance(value, int) else list(value)
    values = values or list(default)
    return values * count if len(values) == 1 else values


# ---- element-wise --------------------------------------------------------------------------------
def unary(self: Sizes, *unused: Any, **options: Any) -> Sizes:
    return list(self)


def broadcast(*shapes: Any, **options: Any) -> Sizes:
    """Return the common sizes of all arguments that are sizes; numbers have none."""
    return list(torch.broadcast_shapes(*(shape for shape in shapes if isinstance(shape, list))))


def broadcast_inplace(self: Sizes, *others: Any, **options: Any) -> Sizes:
    if broadcast(self, *others) != self:
        raise ValueError(f"an operand does not broadcast to the shape {self}")
    return list(self)


# ---- other shapes of the same elements -----------------------------------------------------------
def view(self: Sizes, sizes: Sizes) -> Sizes:
    total, known = math.prod(self), math.prod(size for size in sizes if size != -1)
    if -1 not in sizes:
        if known != total:
            raise ValueError(f"shape {sizes} is invalid for {total} elements")
        return list(sizes)
    if known == 0 or total % known:
        raise ValueError(f"shape {sizes} is invalid for {total} elements")
    return [total // known if size == -1 else size for size in sizes]


def expand(self: Sizes, sizes: Sizes, implicit: bool = False) -> Sizes:
    added = len(sizes) - len(self)
    if added < 0:
        raise ValueError("an expanded tensor has at least as many dimensions")
    result = []
    for i, size in enumerate(sizes):
        own = 1 if i < added else self[i - added]
        if size != -1 and own not in (1, size):
            raise ValueError(f"the size {own} cannot be expanded to {size}")
        result.append(own if size == -1 else size)
    return result


def flatten(self: Sizes, start_dim: int = 0, end_dim: int = -1) -> Sizes:
    if not self:
        return [1]
    start, end = maybe_wrap_dim(start_dim, len(self)), maybe_wrap_dim(end_dim, len(self))
    return [*self[:start], math.prod(self[start : end + 1]), *self[end + 1 :]]


def t(self: Sizes) -> Sizes:
    return self[::-1]


def transpose(self: Sizes, dim0: int, dim1: int) -> Sizes:
    result = list(self)
    if result:
        first, second = maybe_wrap_dim(dim0, len(self)), maybe_wrap_dim(dim1, len(self))
        result[first], result[second] = result[second], result[first]
    return result


def permute(self: Sizes, dims: Sizes) -> Sizes:
    return [self[maybe_wrap_dim(dim, len(self))] for dim in dims]


def movedim(self: Sizes, source: Any, destination: Any) -> Sizes:
    rank = len(self)
    places = [maybe_wrap_dim(d, rank) for d in _pair(destination, 1, [])]
    moved = [maybe_wrap_dim(d, rank) for d in _pair(source, 1, [])]
    rest = iter(d for d in range(rank) if d not in moved)
    return [self[moved[places.index(d)] if d in places else next(rest)] for d in range(rank)]


def squeeze_nodim(self: Sizes) -> Sizes:
    return [size for size in self if size != 1]


def squeeze(self: Sizes, dim: int) -> Sizes:
    return squeeze_dims(self, [dim])


def squeeze_dims(self: Sizes, dim: Sizes) -> Sizes:
    chosen = {maybe_wrap_dim(d, len(self)) for d in dim}
    return [size for i, size in enumerate(self) if size != 1 or i not in chosen]


def unsqueeze(self: Sizes, dim: int) -> Sizes:
    place = maybe_wrap_dim(dim, len(self) + 1)
    return [*self[:place], 1, *self[place:]]


# ---- parts and joins -----------------------------------------------------------------------------
def _replaced(self: Sizes, dim: int, *sizes: int) -> Sizes:
    place = maybe_wrap_dim(dim, len(self))
    return [*self[:place], *sizes, *self[place + 1 :]]


def slice(
    self: Sizes, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Sizes:
    size = self[maybe_wrap_dim(dim, len(self))]
    first = min(max((start or 0) + (size if (start or 0) < 0 else 0), 0), size)
    last = size if end is None else min(end + (size if end < 0 else 0), size)
    return _replaced(self, dim, max(0, (last - first + step - 1) // step))


def select(self: Sizes, dim: int, index: int) -> Sizes:
    return _replaced(self, dim)


def index_select(self: Sizes, dim: int, index: Sizes) -> Sizes:
    return _replaced(self, dim, math.prod(index)) if self else []


def embedding(weight: Sizes, indices: Sizes, *unused: Any) -> Sizes:
    return [*indices, *weight[1:]]


def cat(tensors: list[Sizes], dim: int = 0) -> Sizes:
    kept = [shape for shape in tensors if shape != [0]]
    if not kept:
        return [0]
    place = maybe_wrap_dim(dim, len(kept[0]))
    return _replaced(kept[0], dim, sum(shape[place] for shape in kept))


def stack(tensors: list[Sizes], dim: int = 0) -> Sizes:
    place = maybe_wrap_dim(dim, len(tensors[0]) + 1)
    return [*tensors[0][:place], len(tensors), *tensors[0][place:]]


# ---- reductions ----------------------------------------------------------------------------------
def zero_dim_tensor(*unused: Any, **options: Any) -> Sizes:
    return []


def sum_mean_dim(self: Sizes, dim: Any, keepdim: bool = False, **options: Any) -> Sizes:
    dims = [] if dim is None else _pair(dim, 1, [])
    chosen = {maybe_wrap_dim(d, len(self)) for d in dims} or set(range(len(self)))
    return [1 if i in chosen else size for i, size in enumerate(self) if keepdim or i not in chosen]


def max_dim(self: Sizes, dim: int, keepdim: bool = False) -> tuple[Sizes, Sizes]:
    return (sum_mean_dim(self, [dim], keepdim), sum_mean_dim(self, [dim], keepdim))


def argmax(self: Sizes, dim: int | None = None, keepdim: bool = False) -> Sizes:
    return sum_mean_dim(self, dim, keepdim)


def topk(self: Sizes, k: int, dim: int = -1, *unused: Any) -> tuple[Sizes, Sizes]:
    result = _replaced(self, dim, k) if self else []
    return result, list(result)


# ---- products ------------------------------------------------------------------------------------
def mm(self: Sizes, mat2: Sizes) -> Sizes:
    if len(self) != 2 or len(mat2) != 2 or self[1] != mat2[0]:
        raise ValueError(f"matrices of shapes {self} and {mat2} have no product")
    return [self[0], mat2[1]]


def bmm(self: Sizes, mat2: Sizes) -> Sizes:
    return [self[0], *mm(self[1:], mat2[1:])]


def mv(self: Sizes, vec: Sizes) -> Sizes:
    return mm(self, [*vec, 1])[:1]


def dot(self: Sizes, tensor: Sizes) -> Sizes:
    if self != tensor or len(self) != 1:
        raise ValueError(f"vectors of shapes {self} and {tensor} have no product")
    return []


def addmm(self: Sizes, mat1: Sizes, mat2: Sizes, **options: Any) -> Sizes:
    return broadcast(self, mm(mat1, mat2))


def matmul(self: Sizes, other: Sizes) -> Sizes:
    if not self or not other:
        raise ValueError("both arguments to matmul need to be at least 1D")
    left = self if len(self) > 1 else [1, *self]
    right = other if len(other) > 1 else [*other, 1]
    result = [*broadcast(left[:-2], right[:-2]), *mm(left[-2:], right[-2:])]
    if len(other) == 1:
        result.pop()
    if len(self) == 1:
        result.pop(-1 if len(other) == 1 else -2)
    return result


def linear(input: Sizes, weight: Sizes, bias: Sizes | None = None) -> Sizes:
    return matmul(input, t(weight))


# ---- windows -------------------------------------------------------------------------------------
def conv_forwards(
    input: Sizes,
    weight: Sizes,
    bias: Sizes | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool = False,
    output_padding: Any = (0,),
    groups: int = 1,
) -> Sizes:
    count = len(weight) - 2
    steps, pads, spreads, more = (
        _pair(value, count) for value in (stride, padding, dilation, output_padding)
    )
    result = [*input[:-count][:-1], weight[1] * groups if transposed else weight[0]]
    for i, size in enumerate(input[-count:]):
        span = spreads[i] * (weight[i + 2] - 1)
        if transposed:
            result.append((size - 1) * steps[i] - 2 * pads[i] + span + more[i] + 1)
        else:
            result.append((size + 2 * pads[i] - span - 1) // steps[i] + 1)
    return result


def pooling_output_shape(
    size: int, kernel: int, pad: int, stride: int, dilation: int, ceil_mode: bool
) -> int:
    span = size + 2 * pad - dilation * (kernel - 1) - 1
    count = (span + stride - 1 if ceil_mode else span) // stride + 1
    # The last window starts inside of the input or of its left padding.
    return count - 1 if ceil_mode and (count - 1) * stride >= size + pad else count


def max_pool2d(
    self: Sizes,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Sizes:
    kernel = _pair(kernel_size, 2)
    steps, pads, spreads = _pair(stride, 2, kernel), _pair(padding, 2), _pair(dilation, 2)
    return [
        *self[:-2],
        *(
            pooling_output_shape(self[i - 2], kernel[i], pads[i], steps[i], spreads[i], ceil_mode)
            for i in range(2)
        ),
    ]


def max_pool2d_with_indices(self: Sizes, *options: Any) -> tuple[Sizes, Sizes]:
    return (max_pool2d(self, *options), max_pool2d(self, *options))


def adaptive_avg_pool2d(self: Sizes, output_size: Any) -> Sizes:
    return [*self[:-2], *_pair(output_size, 2)]


# ---- normalizations and losses -------------------------------------------------------------------
def native_layer_norm(
    input: Sizes, normalized_shape: Sizes, *unused: Any
) -> tuple[Sizes, Sizes, Sizes]:
    kept = len(input) - len(normalized_shape)
    statistics = [*input[:kept], *([1] * len(normalized_shape))]
    return list(input), statistics, list(statistics)


def nll_loss_forward(
    self: Sizes, target: Sizes, weight: Sizes | None, reduction: int, ignore_index: int
) -> tuple[Sizes, Sizes]:
    return (list(self[:1]) if reduction == 0 and len(self) == 2 else []), []


_FUNCTIONS: dict[str, Function] = {
    "addmm": addmm,
    "_adaptive_avg_pool2d": adaptive_avg_pool2d,
    "argmax argmin": argmax,
    "bmm": bmm,
    "cat": cat,
    "convolution": conv_forwards,
    "dot": dot,
    "embedding": embedding,
    "expand": expand,
    "index_select": index_select,
    "max.dim min.dim": max_dim,
    "max_pool2d_with_indices": max_pool2d_with_indices,
    "mm": mm,
    "mv": mv,
    "native_layer_norm": native_layer_norm,
    "nll_loss_forward": nll_loss_forward,
    "permute": permute,
    "select.int": select,
    "slice.Tensor": slice,
    "squeeze": squeeze_nodim,
    "squeeze.dim": squeeze,
    "squeeze.dims": squeeze_dims,
    "stack": stack,
    "sum.dim_IntList mean.dim": sum_mean_dim,
    "t": t,
    "topk": topk,
    "transpose.int": transpose,
    "unsqueeze": unsqueeze,
    "view _unsafe_view": view,
    "matmul": matmul,
    "linear": linear,
    "flatten.using_ints": flatten,
    "movedim.intlist": movedim,
    "max_pool2d": max_pool2d,
    "sum mean": zero_dim_tensor,
    """abs neg exp log sqrt rsqrt sin cos tanh sigmoid relu gelu silu floor ceil round clone detach alias
    _softmax _log_softmax hardtanh leaky_relu elu cumsum flip tril triu""": unary,
    """add.Tensor sub.Tensor mul.Tensor div.Tensor pow.Tensor_Tensor maximum minimum eq.Tensor ne.Tensor
    lt.Tensor le.Tensor gt.Tensor ge.Tensor lerp.Tensor addcmul addcdiv where.self atan2""": broadcast,
    "add_.Tensor mul_.Tensor div_.Tensor": broadcast_inplace,
}


def _register() -> None:
    for names, function in _FUNCTIONS.items():
        for name in names.split():
            base, _, overload = name.partition(".")
            found = getattr(getattr(torch.ops.aten, base), overload or "default")
            add_shape_compute_mapping(str(found._schema), function)


_register()
