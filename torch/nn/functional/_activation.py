"""Activation functions."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._C import _nn
from torch._torch_function import handle_torch_function, has_torch_function_unary


def _threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
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
        return handle_torch_function(_threshold, (input,), input, threshold, value, inplace=inplace)
    operator = torch.threshold_ if inplace else torch.threshold
    return operator(input, threshold, value)


threshold = _threshold  # a parameter has the public name


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
