"""Padding modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules._sizes import _as_tuple
from torch.nn.modules.module import Module


class _PadNd(Module):
    """Base class of the modules that pad the last `spatial` dimensions."""

    spatial: int
    mode: str

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = _as_tuple(padding, 2 * self.spatial)

    def forward(self, input: Tensor) -> Tensor:
        """Pad the input."""
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"{self.padding}"


class _ConstantPadNd(_PadNd):
    """Base class of the modules that pad with a constant."""

    mode = "constant"

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Pad the input."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Padding of the last dimension with a value.

    Args:
        padding: Elements to add: one number for both sides, or (left, right).
        value: Value of the padding.

    Shape:
        - Input: (N, C, L) or (C, L).
        - Output: (N, C, L + left + right) or (C, L + left + right).

    Example:
        >>> nn.ConstantPad1d((1, 2), 9.0)(torch.tensor([[1.0, 2.0, 3.0]]))
        tensor([[9., 1., 2., 3., 9., 9.]])
    """

    spatial = 1


class ConstantPad2d(_ConstantPadNd):
    """Padding of the last two dimensions with a value.

    Args:
        padding: Elements to add: one number for all sides, or (left, right, top, bottom).
        value: Value of the padding.

    Shape:
        - Input: (N, C, H, W) or (C, H, W).
        - Output: the same with H + top + bottom and W + left + right.

    Example:
        >>> nn.ConstantPad2d((1, 0, 0, 1), 9.0)(torch.tensor([[[1.0, 2.0]]]))
        tensor([[[9., 1., 2.],
                 [9., 9., 9.]]])
    """

    spatial = 2


class ConstantPad3d(_ConstantPadNd):
    """Padding of the last three dimensions with a value.

    Args:
        padding: Elements to add: one number for all sides, or (left, right, top, bottom, front,
            back).
        value: Value of the padding.

    Shape:
        - Input: (N, C, D, H, W) or (C, D, H, W).
        - Output: the same with D + front + back, H + top + bottom and W + left + right.

    Example:
        >>> nn.ConstantPad3d(1, 9.0)(torch.zeros(1, 2, 3, 4)).shape
        torch.Size([1, 4, 5, 6])
    """

    spatial = 3


class ZeroPad1d(ConstantPad1d):
    """Padding of the last dimension with zeros.

    Args:
        padding: Elements to add: one number for both sides, or (left, right).

    Shape:
        - Input: (N, C, L) or (C, L).
        - Output: (N, C, L + left + right) or (C, L + left + right).

    Example:
        >>> nn.ZeroPad1d((1, 2))(torch.tensor([[1.0, 2.0, 3.0]]))
        tensor([[0., 1., 2., 3., 0., 0.]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _PadNd.extra_repr


class ZeroPad2d(ConstantPad2d):
    """Padding of the last two dimensions with zeros.

    Args:
        padding: Elements to add: one number for all sides, or (left, right, top, bottom).

    Shape:
        - Input: (N, C, H, W) or (C, H, W).
        - Output: the same with H + top + bottom and W + left + right.

    Example:
        >>> nn.ZeroPad2d((1, 0, 0, 1))(torch.tensor([[[1.0, 2.0]]]))
        tensor([[[0., 1., 2.],
                 [0., 0., 0.]]])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _PadNd.extra_repr


class ZeroPad3d(ConstantPad3d):
    """Padding of the last three dimensions with zeros.

    Args:
        padding: Elements to add: one number for all sides, or (left, right, top, bottom, front,
            back).

    Shape:
        - Input: (N, C, D, H, W) or (C, D, H, W).
        - Output: the same with D + front + back, H + top + bottom and W + left + right.

    Example:
        >>> nn.ZeroPad3d(1)(torch.zeros(1, 2, 3, 4)).shape
        torch.Size([1, 4, 5, 6])
    """

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _PadNd.extra_repr


class _ReflectionPadNd(_PadNd):
    """Base class of the paddings by reflection."""

    mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Padding of the last dimension by reflection at the edges, which are not repeated.

    Args:
        padding: Elements to add: one number for both sides, or (left, right).

    Shape:
        - Input: (N, C, L) or (C, L).
        - Output: (N, C, L + left + right) or (C, L + left + right).

    Example:
        >>> nn.ReflectionPad1d(2)(torch.tensor([[1.0, 2.0, 3.0]]))
        tensor([[3., 2., 1., 2., 3., 2., 1.]])
    """

    spatial = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Padding of the last two dimensions by reflection at the edges, which are not repeated.

    Args:
        padding: Elements to add: one number for all sides, or (left, right, top, bottom).

    Shape:
        - Input: (N, C, H, W) or (C, H, W).
        - Output: the same with H + top + bottom and W + left + right.

    Example:
        >>> nn.ReflectionPad2d((1, 1, 0, 1))(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
        tensor([[[2., 1., 2., 1.],
                 [4., 3., 4., 3.],
                 [2., 1., 2., 1.]]])
    """

    spatial = 2


class _ReplicationPadNd(_PadNd):
    """Base class of the paddings with copies of the edge."""

    mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Padding of the last dimension with copies of the edges.

    Args:
        padding: Elements to add: one number for both sides, or (left, right).

    Shape:
        - Input: (N, C, L) or (C, L).
        - Output: (N, C, L + left + right) or (C, L + left + right).

    Example:
        >>> nn.ReplicationPad1d(2)(torch.tensor([[1.0, 2.0, 3.0]]))
        tensor([[1., 1., 1., 2., 3., 3., 3.]])
    """

    spatial = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Padding of the last two dimensions with copies of the edges.

    Args:
        padding: Elements to add: one number for all sides, or (left, right, top, bottom).

    Shape:
        - Input: (N, C, H, W) or (C, H, W).
        - Output: the same with H + top + bottom and W + left + right.

    Example:
        >>> nn.ReplicationPad2d((1, 1, 0, 1))(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
        tensor([[[1., 1., 2., 2.],
                 [3., 3., 4., 4.],
                 [3., 3., 4., 4.]]])
    """

    spatial = 2


class _CircularPadNd(_PadNd):
    """Base class of the modules that pad with the values from the opposite ends."""

    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        """Pad the input."""
        dims = (self.spatial + 1, self.spatial + 2)
        if input.dim() not in dims:
            raise ValueError(f"expected {dims[0]}D or {dims[1]}D input (got {input.dim()}D input)")
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Padding of the last dimension with the values from the opposite end.

    Args:
        padding: Elements to add: one number for both sides, or (left, right).

    Shape:
        - Input: (N, C, L) or (C, L).
        - Output: (N, C, L + left + right) or (C, L + left + right).

    Example:
        >>> nn.CircularPad1d(2)(torch.tensor([[1.0, 2.0, 3.0]]))
        tensor([[2., 3., 1., 2., 3., 1., 2.]])
    """

    spatial = 1


class CircularPad2d(_CircularPadNd):
    """Padding of the last two dimensions with the values from the opposite ends.

    Args:
        padding: Elements to add: one number for all sides, or (left, right, top, bottom).

    Shape:
        - Input: (N, C, H, W) or (C, H, W).
        - Output: the same with H + top + bottom and W + left + right.

    Example:
        >>> nn.CircularPad2d((1, 1, 0, 1))(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]))
        tensor([[[2., 1., 2., 1.],
                 [4., 3., 4., 3.],
                 [2., 1., 2., 1.]]])
    """

    spatial = 2


class CircularPad3d(_CircularPadNd):
    """Padding of the last three dimensions with the values from the opposite ends.

    Args:
        padding: Elements to add: one number for all sides, or (left, right, top, bottom, front,
            back).

    Shape:
        - Input: (N, C, D, H, W) or (C, D, H, W).
        - Output: the same with D + front + back, H + top + bottom and W + left + right.

    Example:
        >>> nn.CircularPad3d(1)(torch.zeros(1, 2, 3, 4)).shape
        torch.Size([1, 4, 5, 6])
    """

    spatial = 3


def __getattr__(name: str) -> Any:
    from torch.nn.modules._lazy_names import find

    return find(name, __name__)
