"""Layer, root-mean-square, group and local response normalization."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


class _NormOverLastDims(Module):
    """Base class of the normalizations over the last dimensions."""

    def __init__(
        self, shape: int | Sequence[int], eps: float | None, affine: bool, device: Any, dtype: Any
    ) -> None:
        super().__init__()
        self.normalized_shape = (shape,) if isinstance(shape, numbers.Integral) else tuple(shape)
        self.eps = eps
        self.elementwise_affine = affine
        if affine:
            empty = torch.empty(self.normalized_shape, device=device, dtype=dtype)
            self.weight = Parameter(empty)
        else:
            self.register_parameter("weight", None)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class LayerNorm(_NormOverLastDims):
    """Normalization to mean 0 and variance 1 over the last dimensions.

    The result is (x - mean) / sqrt(var + eps) * weight + bias; see Ba et al. (2016).

    Args:
        normalized_shape: Sizes of the dimensions to normalize over, or the last one's size.
        eps: Term added to the variance.
        elementwise_affine: If False, leave out weight and bias.
        bias: If False, leave out the bias.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input and output: (*, normalized_shape).

    Example:
        >>> nn.LayerNorm(2, elementwise_affine=False)(torch.tensor([[1.0, 3.0], [10.0, 30.0]]))
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]])
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(normalized_shape, eps, elementwise_affine, device, dtype)
        if elementwise_affine and bias:
            self.bias = Parameter(torch.empty(self.normalized_shape, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        if self.elementwise_affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Normalize the input."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"{super().extra_repr()}, bias={self.bias is not None}"


class RMSNorm(_NormOverLastDims):
    """Division by the root mean square over the last dimensions.

    The result is x / sqrt(mean(x^2) + eps) * weight; see Zhang and Sennrich (2019).

    Args:
        normalized_shape: Sizes of the dimensions to normalize over, or the last one's size.
        eps: Term added to the mean square. The default is the dtype's machine epsilon.
        elementwise_affine: If False, leave out the weight.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input and output: (*, normalized_shape).

    Example:
        >>> nn.RMSNorm(4, elementwise_affine=False)(torch.tensor([[3.0, 4.0, 0.0, 0.0]]))
        tensor([[1.2000, 1.6000, 0.0000, 0.0000]])
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(normalized_shape, eps, elementwise_affine, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1."""
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Normalize the input."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class GroupNorm(Module):
    """Normalization of groups of channels to mean 0 and variance 1.

    The result is (x - mean) / sqrt(var + eps) * weight + bias; see Wu and He (2018).

    Args:
        num_groups: Number of groups, a divisor of `num_channels`.
        num_channels: Number of channels C.
        eps: Term added to the variance.
        affine: If False, leave out weight and bias.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        bias: If False, leave out the bias.

    Shape:
        - Input and output: (N, C, ...).

    Raises:
        ValueError: If the groups do not divide the channels.

    Example:
        >>> nn.GroupNorm(2, 4, affine=False)(torch.tensor([[1.0, 3.0, 10.0, 30.0]]))
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_groups <= 0:
            raise ValueError(f"num_groups must be > 0, but got {num_groups}")
        if num_channels % num_groups != 0:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, enabled in (("weight", affine), ("bias", affine and bias)):
            empty = torch.empty(num_channels, device=device, dtype=dtype) if enabled else None
            self.register_parameter(name, None if empty is None else Parameter(empty))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Normalize the input."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LocalResponseNorm(Module):
    """Division of each element by a power of the mean square of neighboring channels.

    The result is x / (k + alpha * mean(x^2))^beta; see Krizhevsky et al. (2012).

    Args:
        size: Number of neighboring channels.
        alpha: Factor of the mean.
        beta: Exponent.
        k: Term added to the mean.

    Shape:
        - Input and output: (N, C, ...).

    Example:
        >>> norm = nn.LocalResponseNorm(3, alpha=3.0, beta=1.0)
        >>> norm(torch.ones(1, 3, 1)).flatten()
        tensor([0.3333, 0.2500, 0.3333])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """Normalize the input."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


def __getattr__(name: str) -> Any:
    from torch.nn.modules._lazy_names import find

    return find(name, __name__)
