"""Functional forms of the neural-network operators."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import torch
from torch import Tensor
from torch._C import _nn

conv2d = torch.conv2d
linear = _nn.linear
gelu = _nn.gelu

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def _reduction_code(reduction: str) -> int:
    """The number that the operators know a reduction by."""
    if reduction not in _REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _REDUCTIONS[reduction]


def _legacy_reduction(
    reduction: str, size_average: bool | None, reduce: bool | None, stacklevel: int = 4
) -> str:
    """What `size_average` and `reduce` of old programs mean."""
    if size_average is None and reduce is None:
        return reduction
    kept = "sum" if size_average is False else "mean"
    meant = "none" if reduce is False else kept
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead.",
        stacklevel=stacklevel,
    )
    return meant


def _implicit_dim(name: str, dims: int) -> int:
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. "
        "Change the call to include dim=X as an argument.",
        stacklevel=3,
    )
    return 0 if dims in (0, 1, 3) else 1


def softmax(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """exp(x) / sum(exp(x)) along dim."""
    if dim is None:
        dim = _implicit_dim("softmax", input.dim())
    return torch.softmax(input, dim, dtype=dtype)


def log_softmax(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """log(softmax(x)) along dim, without overflow."""
    if dim is None:
        dim = _implicit_dim("log_softmax", input.dim())
    return torch.log_softmax(input, dim, dtype=dtype)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0)."""
    return torch.relu_(input) if inplace else torch.relu(input)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x))."""
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return input.tanh()


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias over the last len(normalized_shape) dimensions."""
    return torch.layer_norm(input, normalized_shape, weight, bias, eps)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Rows of weight (V, D) at the indices of input (*): (*, D)."""
    if max_norm is not None:
        raise NotImplementedError("embedding(): max_norm is not supported yet")
    if padding_idx is None:
        padding_idx = -1
    else:
        rows = weight.size(0)
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx += rows if padding_idx < 0 else 0
    return torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Negative log likelihood of class numbers; input (N, C, ...) holds log-probabilities."""
    reduction = _legacy_reduction(reduction, size_average, reduce)
    return _nn.nll_loss_nd(input, target, weight, _reduction_code(reduction), ignore_index)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross entropy of logits (N, C, ...) against class numbers or class probabilities."""
    reduction = _legacy_reduction(reduction, size_average, reduce)
    return _nn.cross_entropy_loss(
        input, target, weight, _reduction_code(reduction), ignore_index, label_smoothing
    )


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """Maxima of windows and where in the plane they are."""
    steps = [] if stride is None else stride
    return _nn.max_pool2d_with_indices(input, kernel_size, steps, padding, dilation, ceil_mode)


def max_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Maxima of windows over the last two dimensions of (N, C, H, W) or (C, H, W)."""
    if return_indices:
        return max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    steps = [] if stride is None else stride
    return torch.max_pool2d(input, kernel_size, steps, padding, dilation, ceil_mode)


def _output_size(size: int | Sequence[int | None] | None, input: Tensor) -> Sequence[int]:
    """The target height and width; None keeps the input's."""
    both = (size, size) if size is None or isinstance(size, int) else tuple(size)
    return [
        have if want is None else want for want, have in zip(both, input.shape[-2:], strict=True)
    ]


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """Maxima of windows that divide the input evenly, and where in the plane they are."""
    return _nn.adaptive_max_pool2d(input, _output_size(output_size, input))


def adaptive_max_pool2d(
    input: Tensor, output_size: int | Sequence[int | None], return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Maxima of windows that divide the input evenly into output_size."""
    result = adaptive_max_pool2d_with_indices(input, output_size)
    return result if return_indices else result[0]
