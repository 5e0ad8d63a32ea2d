"""Initializers of parameters. Each fills a tensor in place and returns it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

# Modes and tensors with __torch_function__ see four of the functions, as in PyTorch. The others are
# seen as the operations that they consist of.
_is_overridden = torch._C._has_torch_function_unary


def _call_override(function: Callable[..., Tensor], **arguments: Any) -> Tensor:
    from torch._torch_function import handle_torch_function

    return handle_torch_function(function, (arguments["tensor"],), **arguments)


def _no_grad_uniform_(
    tensor: Tensor, a: float, b: float, generator: torch.Generator | None = None
) -> Tensor:
    with torch.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def _no_grad_normal_(
    tensor: Tensor, mean: float, std: float, generator: torch.Generator | None = None
) -> Tensor:
    with torch.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def _no_grad_fill_(tensor: Tensor, val: float) -> Tensor:
    with torch.no_grad():
        return tensor.fill_(val)


_LINEAR = (
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "sigmoid",
)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the recommended gain of an initializer for a nonlinearity.

    The gain compensates the change of scale that the nonlinearity causes.

    Args:
        nonlinearity: ``linear``, ``conv1d`` and the other convolutions, ``sigmoid``, ``tanh``,
            ``relu``, ``leaky_relu`` or ``selu``.
        param: Negative slope of ``leaky_relu``. The default is 0.01.

    Returns:
        1 for linear functions and ``sigmoid``, 5 / 3 for ``tanh``, sqrt(2) for ``relu``,
        sqrt(2 / (1 + param^2)) for ``leaky_relu``, and 3 / 4 for ``selu``.

    Raises:
        ValueError: If the nonlinearity is unknown or the slope is not a number.

    Example:
        >>> nn.init.calculate_gain("leaky_relu", 1.0)
        1.0
    """
    if nonlinearity in _LINEAR:
        return 1.0
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            param = 0.01
        elif isinstance(param, bool) or not isinstance(param, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + param**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: torch.Generator | None = None
) -> Tensor:
    """Fill a tensor with values drawn uniformly between two bounds.

    Args:
        tensor: Tensor to fill.
        a: Lower bound.
        b: Upper bound.
        generator: Source of random numbers. The default is the global generator.

    Returns:
        The tensor, filled in place.

    Example:
        >>> weight = nn.init.uniform_(torch.empty(2, 3), a=1.0, b=2.0)
        >>> bool(((weight >= 1) & (weight <= 2)).all())
        True
    """
    if _is_overridden(tensor):
        return _call_override(uniform_, tensor=tensor, a=a, b=b, generator=generator)
    return _no_grad_uniform_(tensor, a, b, generator)


def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: torch.Generator | None = None
) -> Tensor:
    """Fill a tensor with values drawn from a normal distribution.

    Args:
        tensor: Tensor to fill.
        mean: Mean of the distribution.
        std: Standard deviation of the distribution.
        generator: Source of random numbers. The default is the global generator.

    Returns:
        The tensor, filled in place.

    Example:
        >>> weight = nn.init.normal_(torch.empty(100, 100), mean=5.0, std=0.1)
        >>> round(weight.mean().item(), 1), round(weight.std().item(), 1)
        (5.0, 0.1)
    """
    if _is_overridden(tensor):
        return _call_override(normal_, tensor=tensor, mean=mean, std=std, generator=generator)
    return _no_grad_normal_(tensor, mean, std, generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Fill a tensor with values drawn from a truncated normal distribution.

    While the bounds keep enough of the distribution, values outside them are drawn again.
    Otherwise, values are drawn uniformly between the bounds and accepted in proportion to the
    density.

    Args:
        tensor: Tensor to fill.
        mean: Mean of the distribution before truncation.
        std: Standard deviation of the distribution before truncation.
        a: Lower bound.
        b: Upper bound.
        generator: Source of random numbers. The default is the global generator.

    Returns:
        The tensor, filled in place.

    Example:
        >>> weight = nn.init.trunc_normal_(torch.empty(100, 100), a=-1.0, b=1.0)
        >>> bool((weight.abs() <= 1).all())
        True
    """

    def cdf(x: float) -> float:
        return (1.0 + math.erf((x - mean) / std / math.sqrt(2.0))) / 2.0

    if tensor.is_meta:
        return tensor
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    with torch.no_grad():
        if cdf(b) - cdf(a) > _MIN_ACCEPTANCE:
            return _redraw_outside(tensor, mean, std, (a, b), generator)
        return _sample_by_density(tensor, mean, std, (a, b), generator)


# Above this fraction of accepted draws, redrawing the values outside the bounds is faster.
_MIN_ACCEPTANCE = 0.3


def _redraw_outside(
    tensor: Tensor,
    mean: float,
    std: float,
    bounds: tuple[float, float],
    generator: torch.Generator | None,
) -> Tensor:
    low, high = tensor.new_tensor(bounds, device="cpu").tolist()  # rounded to the tensor's dtype
    tensor.normal_(mean, std, generator=generator)
    while (outside := (tensor < low) | (tensor > high)).any():
        drawn = torch.empty_like(tensor).normal_(mean, std, generator=generator)
        tensor.copy_(torch.where(outside, drawn, tensor))
    return tensor


def _sample_by_density(
    tensor: Tensor,
    mean: float,
    std: float,
    bounds: tuple[float, float],
    generator: torch.Generator | None,
) -> Tensor:
    mode = max(bounds[0], min(mean, bounds[1]))
    peak = -0.5 * ((mode - mean) / std) ** 2  # the logarithm of the density's maximum
    pending = torch.ones_like(tensor, dtype=torch.bool)
    while pending.any():
        drawn = torch.empty_like(tensor).uniform_(*bounds, generator=generator)
        tensor.copy_(torch.where(pending, drawn, tensor))
        height = drawn.sub(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        rejected = torch.empty_like(tensor).uniform_(generator=generator).log_().gt(height)
        pending = pending & rejected
    return tensor


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill a tensor with one value.

    Args:
        tensor: Tensor to fill.
        val: Value of every element.

    Returns:
        The tensor, filled in place.

    Example:
        >>> nn.init.constant_(torch.empty(2), 0.5)
        tensor([0.5000, 0.5000])
    """
    if _is_overridden(tensor):
        return _call_override(constant_, tensor=tensor, val=val)
    return _no_grad_fill_(tensor, val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill a tensor with ones.

    Args:
        tensor: Tensor to fill.

    Returns:
        The tensor, filled in place.

    Example:
        >>> nn.init.ones_(torch.empty(2))
        tensor([1., 1.])
    """
    return _no_grad_fill_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill a tensor with zeros.

    Args:
        tensor: Tensor to fill.

    Returns:
        The tensor, filled in place.

    Example:
        >>> nn.init.zeros_(torch.empty(2))
        tensor([0., 0.])
    """
    return _no_grad_fill_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity.

    Args:
        tensor: Matrix to fill, square or not.

    Returns:
        The tensor, filled in place.

    Raises:
        ValueError: If the tensor is not a matrix.

    Example:
        >>> nn.init.eye_(torch.empty(2, 3))
        tensor([[1., 0., 0.],
                [0., 1., 0.]])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with torch.no_grad():
        torch.eye(*tensor.shape, out=tensor, requires_grad=tensor.requires_grad)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that it passes its input channels through unchanged.

    Args:
        tensor: Weight of three, four or five dimensions, (outputs, inputs, ...).
        groups: Number of groups of the convolution. Each group passes its own channels through.

    Returns:
        The tensor, filled in place.

    Raises:
        ValueError: If the dimensions do not fit or the outputs cannot be divided into the groups.

    Example:
        >>> weight = nn.init.dirac_(torch.empty(2, 2, 3))
        >>> F.conv1d(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), weight, padding=1)
        tensor([[1., 2., 3.],
                [4., 5., 6.]])
    """
    dimensions = tensor.ndimension()
    if dimensions not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = tensor.size(0) // groups
    center = tuple(extent // 2 for extent in tensor.shape[2:])
    with torch.no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(per_group, tensor.size(1))):
                tensor[(group * per_group + channel, channel, *center)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return the numbers of inputs per output and of outputs per input of a weight."""
    if tensor.dim() < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    receptive_field = math.prod(tensor.shape[2:])
    return tensor.size(1) * receptive_field, tensor.size(0) * receptive_field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: torch.Generator | None = None
) -> Tensor:
    """Fill a weight with values drawn uniformly between -a and a, with Glorot and Bengio's bound.

    The bound is a = gain * sqrt(6 / (fan_in + fan_out)); see Glorot and Bengio (2010).

    Args:
        tensor: Weight of at least two dimensions, (outputs, inputs, ...).
        gain: Factor of the bound; see calculate_gain().
        generator: Source of random numbers. The default is the global generator.

    Returns:
        The tensor, filled in place.

    Raises:
        ValueError: If the tensor has fewer than two dimensions.

    Example:
        >>> weight = nn.init.xavier_uniform_(torch.empty(3, 5), gain=nn.init.calculate_gain("relu"))
        >>> bool((weight.abs() <= (2 * 6 / (3 + 5)) ** 0.5).all())
        True
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    bound = math.sqrt(3.0) * std
    return _no_grad_uniform_(tensor, -bound, bound, generator)


def xavier_normal_(
    tensor: Tensor, gain: float = 1.0, generator: torch.Generator | None = None
) -> Tensor:
    """Fill a weight with normally distributed values, with Glorot and Bengio's deviation.

    The mean is 0 and the standard deviation gain * sqrt(2 / (fan_in + fan_out)); see Glorot and
    Bengio (2010).

    Args:
        tensor: Weight of at least two dimensions, (outputs, inputs, ...).
        gain: Factor of the deviation; see calculate_gain().
        generator: Source of random numbers. The default is the global generator.

    Returns:
        The tensor, filled in place.

    Raises:
        ValueError: If the tensor has fewer than two dimensions.

    Example:
        >>> weight = nn.init.xavier_normal_(torch.empty(100, 100))
        >>> round(weight.std().item(), 2)
        0.1
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    return _no_grad_normal_(tensor, 0.0, std, generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _warn_if_empty(tensor: Tensor) -> bool:
    """Return whether a tensor has no elements, and warn if so."""
    if 0 not in tensor.shape:
        return False
    warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return True


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: torch.Generator | None = None,
) -> Tensor:
    """Fill a weight with values drawn uniformly between -b and b, with He's bound.

    The bound is b = gain * sqrt(3 / fan); see He et al. (2015).

    Args:
        tensor: Weight of at least two dimensions, (outputs, inputs, ...).
        a: Negative slope of ``leaky_relu``.
        mode: ``fan_in`` keeps the variance in the forward pass, ``fan_out`` in the backward pass.
        nonlinearity: Nonlinearity that follows; see calculate_gain().
        generator: Source of random numbers. The default is the global generator.

    Returns:
        The tensor, filled in place.

    Raises:
        ValueError: If the tensor has fewer than two dimensions or a name is unknown.

    Example:
        >>> weight = nn.init.kaiming_uniform_(torch.empty(3, 6), nonlinearity="relu")
        >>> bool((weight.abs() <= 1).all())
        True
    """
    if _is_overridden(tensor):
        return _call_override(
            kaiming_uniform_,
            tensor=tensor,
            a=a,
            mode=mode,
            nonlinearity=nonlinearity,
            generator=generator,
        )
    if _warn_if_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return _no_grad_uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: torch.Generator | None = None,
) -> Tensor:
    """Fill a weight with normally distributed values, with He's deviation.

    The mean is 0 and the standard deviation gain / sqrt(fan); see He et al. (2015).

    Args:
        tensor: Weight of at least two dimensions, (outputs, inputs, ...).
        a: Negative slope of ``leaky_relu``.
        mode: ``fan_in`` keeps the variance in the forward pass, ``fan_out`` in the backward pass.
        nonlinearity: Nonlinearity that follows; see calculate_gain().
        generator: Source of random numbers. The default is the global generator.

    Returns:
        The tensor, filled in place.

    Raises:
        ValueError: If the tensor has fewer than two dimensions or a name is unknown.

    Example:
        >>> weight = nn.init.kaiming_normal_(torch.empty(100, 200), nonlinearity="relu")
        >>> round(weight.std().item(), 2)
        0.1
    """
    if _warn_if_empty(tensor):
        return tensor
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return _no_grad_normal_(tensor, 0.0, std, generator)


_BLOCK = 32  # rows per block: all work between blocks is matrix products


def _orthonormal_rows(matrix: Tensor) -> Tensor:
    """Return the Q of the LQ decomposition in which L has a positive diagonal.

    This is the Gram-Schmidt method by blocks, applied twice to each, which is enough to reach the
    dtype's precision (Giraud, Langou, Rozloznik, van den Eshof 2005).
    """
    q = matrix.clone(memory_format=torch.contiguous_format)
    for start in range(0, q.size(0), _BLOCK):
        before, block = q[:start], q[start : start + _BLOCK]
        for _ in range(2):
            block -= (block @ before.t()) @ before
            for index, row in enumerate(block):
                row -= (block[:index] @ row) @ block[:index]
                row /= row.norm()
    return q


def orthogonal_(
    tensor: Tensor, gain: float = 1, generator: torch.Generator | None = None
) -> Tensor:
    """Fill a weight with a matrix whose rows or columns, whichever are fewer, are orthogonal.

    Dimensions after the first count as one. See Saxe et al. (2013).

    Args:
        tensor: Weight of at least two dimensions, (outputs, inputs, ...).
        gain: Length of the orthogonal vectors.
        generator: Source of random numbers. The default is the global generator.

    Returns:
        The tensor, filled in place.

    Raises:
        ValueError: If the tensor has fewer than two dimensions.

    Example:
        >>> weight = nn.init.orthogonal_(torch.empty(2, 5))
        >>> bool(torch.allclose(weight @ weight.t(), torch.eye(2), atol=1e-6))
        True
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with torch.no_grad():
        drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        q = _orthonormal_rows(drawn).t() if rows < columns else _orthonormal_rows(drawn.t())
        tensor.view(rows, columns).copy_(q.t()).mul_(gain)
    return tensor


def sparse_(
    tensor: Tensor, sparsity: float, std: float = 0.01, generator: torch.Generator | None = None
) -> Tensor:
    """Fill a matrix with normally distributed values, with zeros at random places in each column.

    Args:
        tensor: Matrix to fill.
        sparsity: Fraction of zeros in each column.
        std: Standard deviation of the other values.
        generator: Source of random numbers. The default is the global generator.

    Returns:
        The tensor, filled in place.

    Raises:
        ValueError: If the tensor is not a matrix.

    Example:
        >>> weight = nn.init.sparse_(torch.empty(4, 3), sparsity=0.5)
        >>> (weight == 0).sum(dim=0)
        tensor([2, 2, 2])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with torch.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[torch.randperm(rows)[:zeros], column] = 0
    return tensor


def _deprecated_alias(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return a deprecated alias of an in-place function, named without the underscore."""
    name = function.__name__

    def deprecated(*args: object, **kwargs: object) -> Tensor:
        warnings.warn(
            f"`nn.init.{name[:-1]}` is now deprecated in favor of `nn.init.{name}`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    deprecated.__name__ = deprecated.__qualname__ = name[:-1]
    example = (function.__doc__ or "").partition("Example:")[2]
    deprecated.__doc__ = (
        f"Call {name} and warn that this name is deprecated.\n\n    Example:{example}"
    )
    return deprecated


uniform = _deprecated_alias(uniform_)
normal = _deprecated_alias(normal_)
constant = _deprecated_alias(constant_)
eye = _deprecated_alias(eye_)
dirac = _deprecated_alias(dirac_)
xavier_uniform = _deprecated_alias(xavier_uniform_)
xavier_normal = _deprecated_alias(xavier_normal_)
kaiming_uniform = _deprecated_alias(kaiming_uniform_)
kaiming_normal = _deprecated_alias(kaiming_normal_)
orthogonal = _deprecated_alias(orthogonal_)
sparse = _deprecated_alias(sparse_)
