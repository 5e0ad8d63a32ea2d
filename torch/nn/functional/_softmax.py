"""Functions that turn scores into probabilities."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor
from torch._torch_function import handle_torch_function, has_torch_function_unary


def _implicit_dim(name: str, dims: int, stacklevel: int) -> int:
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. "
        "Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if dims in (0, 1, 3) else 1


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None
) -> Tensor:
    """Compute exp(x) / sum(exp(x)) along a dimension.

    Args:
        input: Tensor of any shape.
        dim: Dimension whose values sum to 1. Leaving it out is deprecated.
        _stacklevel: Stack level of the deprecation warning.
        dtype: Dtype to convert the input to first.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.softmax(torch.tensor([[1.0, 2.0, 3.0]]), dim=1)
        tensor([[0.0900, 0.2447, 0.6652]])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            softmax, (input,), input, dim=dim, _stacklevel=_stacklevel, dtype=dtype
        )
    if dim is None:
        dim = _implicit_dim("softmax", input.dim(), _stacklevel)
    return input.softmax(dim, dtype=dtype)


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None
) -> Tensor:
    """Compute the softmax of the negated input along a dimension.

    Args:
        input: Tensor of any shape.
        dim: Dimension whose values sum to 1. Leaving it out is deprecated.
        _stacklevel: Stack level of the deprecation warning.
        dtype: Dtype of the result.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.softmin(torch.tensor([[1.0, 2.0, 3.0]]), dim=1)
        tensor([[0.6652, 0.2447, 0.0900]])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            softmin, (input,), input, dim=dim, _stacklevel=_stacklevel, dtype=dtype
        )
    if dim is None:
        dim = _implicit_dim("softmin", input.dim(), _stacklevel)
    return (-input).softmax(dim, dtype=dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: torch.dtype | None = None
) -> Tensor:
    """Compute the logarithm of the softmax along a dimension, without overflow.

    Args:
        input: Tensor of any shape.
        dim: Dimension along which the softmax sums to 1. Leaving it out is deprecated.
        _stacklevel: Stack level of the deprecation warning.
        dtype: Dtype to convert the input to first.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.log_softmax(torch.tensor([[1.0, 2.0, 1000.0]]), dim=1)
        tensor([[-999., -998.,    0.]])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            log_softmax, (input,), input, dim=dim, _stacklevel=_stacklevel, dtype=dtype
        )
    if dim is None:
        dim = _implicit_dim("log_softmax", input.dim(), _stacklevel)
    return input.log_softmax(dim, dtype=dtype)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Draw a sample from the Gumbel-softmax distribution.

    See Jang et al. (2016).

    Args:
        logits: Unnormalized log-probabilities of any shape.
        tau: Temperature, above 0. Lower values give samples closer to one-hot vectors.
        hard: If True, return one-hot vectors that have the gradient of the soft sample.
        eps: Accepted for compatibility; has no effect.
        dim: Dimension whose values sum to 1.

    Returns:
        A sample of the shape of `logits`.

    Example:
        >>> sample = F.gumbel_softmax(torch.zeros(2, 3), hard=True)
        >>> sample.sum(dim=1)
        tensor([1., 1.])
    """
    if has_torch_function_unary(logits):
        return handle_torch_function(
            gumbel_softmax, (logits,), logits, tau=tau, hard=hard, eps=eps, dim=dim
        )
    uniform = torch.empty_like(logits, memory_format=torch.legacy_contiguous_format).exponential_()
    soft = ((logits - uniform.log()) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    chosen = torch.zeros_like(logits).scatter_(dim, index, 1.0)
    return chosen - soft.detach() + soft
