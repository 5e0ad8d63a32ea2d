"""Initial values of parameters: each function fills a tensor in place and returns it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import torch
from torch import Tensor

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
    """The factor that keeps the variance through a nonlinearity."""
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
    """U(a, b)."""
    with torch.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: torch.Generator | None = None
) -> Tensor:
    """N(mean, std^2)."""
    with torch.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: torch.Generator | None = None,
) -> Tensor:
    """N(mean, std^2) cut off at a and b, by rejection.

    Values are drawn from the whole distribution while enough of it lies between a and b, and
    otherwise evenly between them, to be kept in proportion to the density.
    """

    def below(x: float) -> float:
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
        if below(b) - below(a) > _ENOUGH:
            return _reject_outside(tensor, mean, std, (a, b), generator)
        return _reject_by_density(tensor, mean, std, (a, b), generator)


_ENOUGH = 0.3  # the share of draws kept, above which the first way is the faster


def _reject_outside(
    tensor: Tensor,
    mean: float,
    std: float,
    bounds: tuple[float, float],
    generator: torch.Generator | None,
) -> Tensor:
    low, high = tensor.new_tensor(bounds, device="cpu").tolist()  # as this dtype has them
    tensor.normal_(mean, std, generator=generator)
    while (outside := (tensor < low) | (tensor > high)).any():
        drawn = torch.empty_like(tensor).normal_(mean, std, generator=generator)
        tensor.copy_(torch.where(outside, drawn, tensor))
    return tensor


def _reject_by_density(
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
        refused = torch.empty_like(tensor).uniform_(generator=generator).log_().gt(height)
        pending = pending & refused
    return tensor


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Every element val."""
    with torch.no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Every element 1."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Every element 0."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """The identity matrix."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with torch.no_grad():
        torch.eye(*tensor.shape, out=tensor, requires_grad=tensor.requires_grad)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """A convolution weight that keeps as many channels as it can."""
    dimensions = tensor.ndimension()
    if dimensions not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = tensor.size(0) // groups
    centre = tuple(extent // 2 for extent in tensor.shape[2:])
    with torch.no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(per_group, tensor.size(1))):
                tensor[(group * per_group + channel, channel, *centre)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many inputs reach an output of a weight (out, in, ...), and the reverse."""
    if tensor.dim() < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: torch.Generator | None = None
) -> Tensor:
    """Glorot and Bengio (2010): U(-a, a), a = gain sqrt(6 / (fan_in + fan_out))."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    deviation = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    bound = math.sqrt(3.0) * deviation
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(
    tensor: Tensor, gain: float = 1.0, generator: torch.Generator | None = None
) -> Tensor:
    """Glorot and Bengio (2010): N(0, gain^2 2 / (fan_in + fan_out))."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def _kaiming_deviation(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _is_empty(tensor: Tensor) -> bool:
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
    """He et al. (2015): U(-b, b), b = gain sqrt(3 / fan)."""
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_deviation(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: torch.Generator | None = None,
) -> Tensor:
    """He et al. (2015): N(0, gain^2 / fan)."""
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0.0, _kaiming_deviation(tensor, a, mode, nonlinearity), generator)


_BLOCK = 32  # rows: the rest is products of matrices


def _orthonormal_rows(matrix: Tensor) -> Tensor:
    """The Q of the decomposition LQ whose L has a positive diagonal.

    Gram and Schmidt's method by blocks, each twice: that is enough to reach the dtype's precision
    (Giraud, Langou, Rozloznik, van den Eshof 2005).
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
    """Saxe et al. (2013): rows or columns, whichever are fewer, orthogonal and of length gain."""
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
    """N(0, std^2) with a share of each column zero."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with torch.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[torch.randperm(rows)[:zeros], column] = 0
    return tensor


def _deprecated(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The old name of an in-place function, without its underscore."""
    name = function.__name__

    def old(*args: object, **kwargs: object) -> Tensor:
        warnings.warn(
            f"`nn.init.{name[:-1]}` is now deprecated in favor of `nn.init.{name}`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    old.__name__ = name[:-1]
    old.__doc__ = f"The old name of {name}."
    return old


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)
