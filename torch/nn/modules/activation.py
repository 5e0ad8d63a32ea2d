"""Activation modules."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules._activation_bases import (
    _AlphaActivation,
    _DimActivation,
    _ElementwiseActivation,
    _InplaceActivation,
    _resolve_renamed,
)
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


class ReLU(_InplaceActivation):
    """Rectified linear unit: max(x, 0).

    Args:
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.ReLU()(torch.tensor([-1.0, 0.0, 2.0]))
        tensor([0., 0., 2.])
    """

    _operator = property(lambda _: F.relu)


class SiLU(_InplaceActivation):
    """Sigmoid linear unit: x * sigmoid(x).

    Args:
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.SiLU()(torch.tensor([-1.0, 0.0, 2.0]))
        tensor([-0.2689,  0.0000,  1.7616])
    """

    _operator = property(lambda _: F.silu)


class Mish(_InplaceActivation):
    """Mish: x * tanh(softplus(x)). See Misra (2019).

    Args:
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Mish()(torch.tensor([-1.0, 0.0, 2.0]))
        tensor([-0.3034,  0.0000,  1.9440])
    """

    _operator = property(lambda _: F.mish)


class SELU(_InplaceActivation):
    """Scaled exponential linear unit, whose activations keep mean 0 and variance 1.

    See Klambauer et al. (2017).

    Args:
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.SELU()(torch.tensor([-1.0, 0.0, 2.0]))
        tensor([-1.1113,  0.0000,  2.1014])
    """

    _operator = property(lambda _: F.selu)


class Hardswish(_InplaceActivation):
    """Piecewise approximation of SiLU: x * relu6(x + 3) / 6. See Howard et al. (2019).

    Args:
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Hardswish()(torch.tensor([0.0, 1.0, 4.0]))
        tensor([0.0000, 0.6667, 4.0000])
    """

    _operator = property(lambda _: F.hardswish)

    def extra_repr(self) -> str:
        """Return an empty string."""
        return ""


class Hardsigmoid(_InplaceActivation):
    """Piecewise linear approximation of the sigmoid: relu6(x + 3) / 6.

    Args:
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Hardsigmoid()(torch.tensor([-4.0, 0.0, 1.5]))
        tensor([0.0000, 0.5000, 0.7500])
    """

    _operator = property(lambda _: F.hardsigmoid)

    def extra_repr(self) -> str:
        """Return an empty string."""
        return ""


class Hardtanh(Module):
    """Clamping of every element to the range from min_val to max_val.

    Args:
        min_val: Lower bound.
        max_val: Upper bound.
        inplace: If True, overwrite the input.
        min_value: Deprecated name of `min_val`.
        max_value: Deprecated name of `max_val`.

    Shape:
        - Input and output: any shape.

    Raises:
        AssertionError: If `max_val` does not exceed `min_val`.

    Example:
        >>> nn.Hardtanh()(torch.tensor([-3.0, 0.5, 3.0]))
        tensor([-1.0000,  0.5000,  1.0000])
    """

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        self.min_val = _resolve_renamed("min_value", min_value, "min_val", min_val)
        self.max_val = _resolve_renamed("max_value", max_value, "max_val", max_val)
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(
                f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})"
            )

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        text = f"min_val={self.min_val}, max_val={self.max_val}"
        return f"{text}, inplace=True" if self.inplace else text


class ReLU6(Hardtanh):
    """Rectified linear unit limited to 6: min(max(x, 0), 6).

    Args:
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.ReLU6()(torch.tensor([-1.0, 3.0, 8.0]))
        tensor([0., 3., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return "inplace=True" if self.inplace else ""


class Threshold(Module):
    """Elementwise threshold: x where x exceeds the threshold, and a fixed value elsewhere.

    Args:
        threshold: Threshold.
        value: Value of the elements at or below the threshold.
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Threshold(1.0, -1.0)(torch.tensor([0.0, 1.0, 2.0]))
        tensor([-1., -1.,  2.])
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        text = f"threshold={self.threshold}, value={self.value}"
        return f"{text}, inplace=True" if self.inplace else text


class ELU(_AlphaActivation):
    """Exponential linear unit: x for positive x, and alpha (exp(x) - 1) otherwise.

    See Clevert et al. (2015).

    Args:
        alpha: Scale of the negative part.
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.ELU()(torch.tensor([-1.0, 0.0, 2.0]))
        tensor([-0.6321,  0.0000,  2.0000])
    """

    _operator = property(lambda _: F.elu)


class CELU(_AlphaActivation):
    """Continuously differentiable ELU: x for positive x, and alpha (exp(x / alpha) - 1) otherwise.

    See Barron (2017).

    Args:
        alpha: Scale of the negative part.
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.CELU(alpha=2.0)(torch.tensor([-1.0, 0.0, 2.0]))
        tensor([-0.7869,  0.0000,  2.0000])
    """

    _operator = property(lambda _: F.celu)


class LeakyReLU(Module):
    """Leaky rectified linear unit: x for positive x, and negative_slope * x otherwise.

    Args:
        negative_slope: Slope of the negative part.
        inplace: If True, overwrite the input.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.LeakyReLU(0.1)(torch.tensor([-1.0, 2.0]))
        tensor([-0.1000,  2.0000])
    """

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        text = f"negative_slope={self.negative_slope}"
        return f"{text}, inplace=True" if self.inplace else text


class PReLU(Module):
    """Leaky rectified linear unit with learned slopes. See He et al. (2015).

    Args:
        num_parameters: Number of slopes: 1, or one per channel.
        init: Initial value of the slopes.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input and output: any shape. With several slopes, dimension 1 has one channel per slope.

    Example:
        >>> nn.PReLU()(torch.tensor([-1.0, 2.0]))
        tensor([-0.2500,  2.0000], grad_fn=<PreluKernelBackward0>)
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(torch.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set every slope to its initial value."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return torch.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"num_parameters={self.num_parameters}"


class Sigmoid(_ElementwiseActivation):
    """Logistic sigmoid: 1 / (1 + exp(-x)).

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Sigmoid()(torch.tensor([-1.0, 0.0, 1.0]))
        tensor([0.2689, 0.5000, 0.7311])
    """

    _operator = staticmethod(torch.sigmoid)


class Tanh(_ElementwiseActivation):
    """Hyperbolic tangent.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Tanh()(torch.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.7616,  0.0000,  0.7616])
    """

    _operator = staticmethod(torch.tanh)


class LogSigmoid(_ElementwiseActivation):
    """Logarithm of the sigmoid: log(1 / (1 + exp(-x))).

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.LogSigmoid()(torch.tensor([-1.0, 0.0, 1.0]))
        tensor([-1.3133, -0.6931, -0.3133])
    """

    _operator = staticmethod(torch._C._nn.log_sigmoid)


class Softsign(_ElementwiseActivation):
    """Softsign: x / (1 + abs(x)).

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Softsign()(torch.tensor([-1.0, 0.0, 3.0]))
        tensor([-0.5000,  0.0000,  0.7500])
    """

    _operator = property(lambda _: F.softsign)


class Tanhshrink(_ElementwiseActivation):
    """Tanh shrinkage: x - tanh(x).

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Tanhshrink()(torch.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.2384,  0.0000,  0.2384])
    """

    _operator = property(lambda _: F.tanhshrink)


class GELU(Module):
    """Gaussian error linear unit: x times the standard normal distribution function of x.

    See Hendrycks and Gimpel (2016).

    Args:
        approximate: ``none``, or ``tanh`` for an approximation by the hyperbolic tangent.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.GELU()(torch.tensor([-1.0, 0.0, 2.0]))
        tensor([-0.1587,  0.0000,  1.9545])
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"approximate={self.approximate!r}"


class Softplus(Module):
    """Smooth rectifier: log(1 + exp(beta * x)) / beta.

    Args:
        beta: Sharpness.
        threshold: Value of beta * x above which the result is x.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Softplus()(torch.tensor([-1.0, 0.0, 30.0]))
        tensor([ 0.3133,  0.6931, 30.0000])
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"beta={self.beta}, threshold={self.threshold}"


class GLU(Module):
    """Gated linear unit: a * sigmoid(b), where a and b are the halves of the input.

    See Dauphin et al. (2016).

    Args:
        dim: Dimension to split.

    Shape:
        - Input: any shape whose size along `dim` is even.
        - Output: half as long along `dim`.

    Example:
        >>> nn.GLU()(torch.tensor([1.0, 2.0, 0.0, 0.0]))
        tensor([0.5000, 1.0000])
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Split the input and apply the gate."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"dim={self.dim}"


class Softmax(_DimActivation):
    """Softmax: exp(x) / sum(exp(x)) along a dimension.

    Args:
        dim: Dimension whose values sum to 1. Leaving it out is deprecated.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Softmax(dim=1)(torch.tensor([[1.0, 2.0, 3.0]]))
        tensor([[0.0900, 0.2447, 0.6652]])
    """

    _operator = property(lambda _: F.softmax)


class LogSoftmax(_DimActivation):
    """Logarithm of the softmax along a dimension, without overflow.

    Args:
        dim: Dimension along which the softmax sums to 1. Leaving it out is deprecated.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.LogSoftmax(dim=1)(torch.tensor([[1.0, 2.0, 1000.0]]))
        tensor([[-999., -998.,    0.]])
    """

    _operator = property(lambda _: F.log_softmax)


class Softmin(_DimActivation):
    """Softmax of the negated input along a dimension.

    Args:
        dim: Dimension whose values sum to 1. Leaving it out is deprecated.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Softmin(dim=1)(torch.tensor([[1.0, 2.0, 3.0]]))
        tensor([[0.6652, 0.2447, 0.0900]])
    """

    _operator = property(lambda _: F.softmin)


class Softmax2d(Module):
    """Softmax over the channels of each pixel.

    Shape:
        - Input and output: (N, C, H, W) or (C, H, W).

    Example:
        >>> result = nn.Softmax2d()(torch.randn(2, 3, 4, 5))
        >>> bool(torch.allclose(result.sum(dim=1), torch.ones(2, 4, 5)))
        True
    """

    def forward(self, input: Tensor) -> Tensor:
        """Apply the softmax to the channels.

        Raises:
            ValueError: If the input does not have three or four dimensions.
        """
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return F.softmax(input, -3, _stacklevel=5)


def __getattr__(name: str) -> Any:
    if name in ("MultiheadAttention", "NonDynamicallyQuantizableLinear"):  # PyTorch's has them, too
        from torch.nn.modules import attention

        return getattr(attention, name)
    from torch.nn.modules._lazy_names import find

    return find(name, __name__)
