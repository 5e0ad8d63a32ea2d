"""Activations, padding and normalization that few programs use."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.module import Module
from torch.nn.modules.padding import _ReflectionPadNd, _ReplicationPadNd


class _Shrink(Module):
    """Base class of the shrinking activations."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return self._operator(input, self.lambd)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return str(self.lambd)


class Hardshrink(_Shrink):
    """The input where its absolute value exceeds a threshold, otherwise 0.

    Args:
        lambd: The threshold.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Hardshrink()(torch.tensor([-2.0, 0.3, 1.0]))
        tensor([-2.,  0.,  1.])
    """

    _operator = property(lambda _: F.hardshrink)


class Softshrink(_Shrink):
    """The input moved towards 0 by a threshold, or 0 within it.

    Args:
        lambd: The threshold, at least 0.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.Softshrink()(torch.tensor([-2.0, 0.3, 1.0]))
        tensor([-1.5000,  0.0000,  0.5000])
    """

    _operator = property(lambda _: F.softshrink)


class RReLU(Module):
    """Leaky ReLU with random slopes in training, and their mean in evaluation.

    Args:
        lower: Smallest slope.
        upper: Largest slope.
        inplace: Whether to change the input.

    Shape:
        - Input and output: any shape.

    Example:
        >>> nn.RReLU(0.25, 0.75).eval()(torch.tensor([-2.0, 1.0]))
        tensor([-1.,  1.])
    """

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" * self.inplace)


class ReflectionPad3d(_ReflectionPadNd):
    """Padding of the last three dimensions by reflection at the edges, which are not repeated.

    Args:
        padding: Elements to add: one number for all sides, or (left, right, top, bottom, front,
            back).

    Shape:
        - Input: (N, C, D, H, W) or (C, D, H, W).
        - Output: the same with D + front + back, H + top + bottom and W + left + right.

    Example:
        >>> nn.ReflectionPad3d((1, 1, 0, 0, 0, 0))(torch.tensor([[[[1.0, 2.0]]]]))
        tensor([[[[2., 1., 2., 1.]]]])
    """

    spatial = 3


class ReplicationPad3d(_ReplicationPadNd):
    """Padding of the last three dimensions with copies of the edges.

    Args:
        padding: Elements to add: one number for all sides, or (left, right, top, bottom, front,
            back).

    Shape:
        - Input: (N, C, D, H, W) or (C, D, H, W).
        - Output: the same with D + front + back, H + top + bottom and W + left + right.

    Example:
        >>> nn.ReplicationPad3d((1, 1, 0, 0, 0, 0))(torch.tensor([[[[1.0, 2.0]]]]))
        tensor([[[[1., 1., 2., 2.]]]])
    """

    spatial = 3


class CrossMapLRN2d(Module):
    """Normalization by the squares of neighboring channels, as in AlexNet.

    The input is divided by (k + alpha / size * sum of squares)^beta, as in LocalResponseNorm.

    Args:
        size: Number of channels in the sum.
        alpha: Factor of the sum.
        beta: Exponent.
        k: Term added to the sum.

    Shape:
        - Input and output: (N, C, H, W).

    Example:
        >>> nn.CrossMapLRN2d(3)(torch.ones(1, 4, 2, 2)).shape
        torch.Size([1, 4, 2, 2])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
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
