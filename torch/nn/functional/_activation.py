"""Activation functions."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor
from torch._C import _nn
from torch.overrides import handle_torch_function, has_torch_function_unary


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Replace elements that do not exceed a threshold.

    Args:
        input: Tensor of any shape.
        threshold: Threshold.
        value: Value of the elements at or below the threshold.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.threshold(torch.tensor([0.0, 1.0, 2.0]), threshold=1.0, value=-1.0)
        tensor([-1., -1.,  2.])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(threshold, (input,), input, threshold, value, inplace=inplace)
    operator = torch.threshold_ if inplace else torch.threshold
    return operator(input, threshold, value)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Compute max(x, 0).

    Args:
        input: Tensor of any shape.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.relu(torch.tensor([-1.0, 0.0, 2.0]))
        tensor([0., 0., 2.])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(relu, (input,), input, inplace=inplace)
    return torch.relu_(input) if inplace else torch.relu(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Compute min(max(x, 0), 6).

    Args:
        input: Tensor of any shape.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.relu6(torch.tensor([-1.0, 3.0, 8.0]))
        tensor([0., 3., 6.])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(relu6, (input,), input, inplace=inplace)
    return hardtanh(input, 0.0, 6.0, inplace)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Clamp every element to the range from min_val to max_val.

    Args:
        input: Tensor of any shape.
        min_val: Lower bound.
        max_val: Upper bound.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Raises:
        ValueError: If `min_val` exceeds `max_val`.

    Example:
        >>> F.hardtanh(torch.tensor([-3.0, 0.5, 3.0]))
        tensor([-1.0000,  0.5000,  1.0000])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            hardtanh, (input,), input, min_val=min_val, max_val=max_val, inplace=inplace
        )
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    operator = _nn.hardtanh_ if inplace else _nn.hardtanh
    return operator(input, min_val, max_val)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Compute x for positive x and alpha (exp(x) - 1) otherwise.

    Args:
        input: Tensor of any shape.
        alpha: Scale of the negative part.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.elu(torch.tensor([-1.0, 0.0, 2.0]))
        tensor([-0.6321,  0.0000,  2.0000])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(elu, (input,), input, alpha=alpha, inplace=inplace)
    operator = _nn.elu_ if inplace else _nn.elu
    return operator(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Compute the scaled ELU, whose activations keep mean 0 and variance 1.

    See Klambauer et al. (2017).

    Args:
        input: Tensor of any shape.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.selu(torch.tensor([-1.0, 0.0, 2.0]))
        tensor([-1.1113,  0.0000,  2.1014])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(selu, (input,), input, inplace=inplace)
    return torch.selu_(input) if inplace else torch.selu(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Compute x for positive x and alpha (exp(x / alpha) - 1) otherwise.

    Args:
        input: Tensor of any shape.
        alpha: Scale of the negative part.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.celu(torch.tensor([-1.0, 0.0, 2.0]), alpha=2.0)
        tensor([-0.7869,  0.0000,  2.0000])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(celu, (input,), input, alpha=alpha, inplace=inplace)
    operator = torch.celu_ if inplace else torch.celu
    return operator(input, alpha)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Compute x for positive x and negative_slope * x otherwise.

    Args:
        input: Tensor of any shape.
        negative_slope: Slope of the negative part.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.leaky_relu(torch.tensor([-1.0, 2.0]), negative_slope=0.1)
        tensor([-0.1000,  2.0000])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            leaky_relu, (input,), input, negative_slope=negative_slope, inplace=inplace
        )
    operator = _nn.leaky_relu_ if inplace else _nn.leaky_relu
    return operator(input, negative_slope)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Split the input into halves a and b, and compute a * sigmoid(b).

    Args:
        input: Tensor whose size along `dim` is even.
        dim: Dimension to split.

    Returns:
        A tensor that is half as long as the input along `dim`.

    Raises:
        RuntimeError: If the input is a scalar or its size along `dim` is odd.

    Example:
        >>> F.glu(torch.tensor([1.0, 2.0, 0.0, 0.0]))
        tensor([0.5000, 1.0000])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(glu, (input,), input, dim=dim)
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _nn.glu(input, dim)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Compute x * sigmoid(x).

    Args:
        input: Tensor of any shape.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.silu(torch.tensor([-1.0, 0.0, 2.0]))
        tensor([-0.2689,  0.0000,  1.7616])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(silu, (input,), input, inplace=inplace)
    return _nn.silu_(input) if inplace else _nn.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Compute x * tanh(softplus(x)).

    Args:
        input: Tensor of any shape.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.mish(torch.tensor([-1.0, 0.0, 2.0]))
        tensor([-0.3034,  0.0000,  1.9440])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(mish, (input,), input, inplace=inplace)
    return _nn.mish_(input) if inplace else _nn.mish(input)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Compute relu6(x + 3) / 6, a piecewise linear sigmoid.

    Args:
        input: Tensor of any shape.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.hardsigmoid(torch.tensor([-4.0, 0.0, 1.5]))
        tensor([0.0000, 0.5000, 0.7500])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(hardsigmoid, (input,), input, inplace=inplace)
    return _nn.hardsigmoid_(input) if inplace else _nn.hardsigmoid(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Compute x * relu6(x + 3) / 6.

    Args:
        input: Tensor of any shape.
        inplace: If True, overwrite the input.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.hardswish(torch.tensor([0.0, 1.0, 4.0]))
        tensor([0.0000, 0.6667, 4.0000])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(hardswish, (input,), input, inplace=inplace)
    return _nn.hardswish_(input) if inplace else _nn.hardswish(input)


def sigmoid(input: Tensor) -> Tensor:
    """Compute 1 / (1 + exp(-x)).

    Args:
        input: Tensor of any shape.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.sigmoid(torch.tensor([-1.0, 0.0, 1.0]))
        tensor([0.2689, 0.5000, 0.7311])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(sigmoid, (input,), input)
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """Compute the hyperbolic tangent.

    Args:
        input: Tensor of any shape.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.tanh(torch.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.7616,  0.0000,  0.7616])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(tanh, (input,), input)
    return input.tanh()


def tanhshrink(input: Tensor) -> Tensor:
    """Compute x - tanh(x).

    Args:
        input: Tensor of any shape.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.tanhshrink(torch.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.2384,  0.0000,  0.2384])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(tanhshrink, (input,), input)
    return input - input.tanh()


def softsign(input: Tensor) -> Tensor:
    """Compute x / (1 + abs(x)).

    Args:
        input: Tensor of any shape.

    Returns:
        A tensor of the input's shape.

    Example:
        >>> F.softsign(torch.tensor([-1.0, 0.0, 3.0]))
        tensor([-0.5000,  0.0000,  0.7500])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(softsign, (input,), input)
    return input / (input.abs() + 1)


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
