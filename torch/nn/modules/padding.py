"""Padding layers."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules._sizes import repeated
from torch.nn.modules.module import Module


class _Pad(Module):
    """Pads the last `spatial` dimensions in one mode."""

    spatial: int
    mode: str

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        self.padding = repeated(padding, 2 * self.spatial)

    def forward(self, input: Tensor) -> Tensor:
        """Wider by the padding."""
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        """The padding."""
        return f"{self.padding}"


class _ConstantPad(_Pad):
    mode = "constant"

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Wider by the padding."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """The padding and the value."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """A value around the last dimension."""

    spatial = 1


class ConstantPad2d(_ConstantPad):
    """A value around the last two dimensions."""

    spatial = 2


class ConstantPad3d(_ConstantPad):
    """A value around the last three dimensions."""

    spatial = 3


class ZeroPad1d(ConstantPad1d):
    """Zeros around the last dimension."""

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _Pad.extra_repr


class ZeroPad2d(ConstantPad2d):
    """Zeros around the last two dimensions."""

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _Pad.extra_repr


class ZeroPad3d(ConstantPad3d):
    """Zeros around the last three dimensions."""

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _Pad.extra_repr


class ReflectionPad1d(_Pad):
    """The input mirrored at its edges, without the edge itself."""

    spatial = 1
    mode = "reflect"


class ReflectionPad2d(_Pad):
    """The input mirrored at its edges, without the edge itself."""

    spatial = 2
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """The edge repeated."""

    spatial = 1
    mode = "replicate"


class ReplicationPad2d(_Pad):
    """The edge repeated."""

    spatial = 2
    mode = "replicate"


class CircularPad1d(_Pad):
    """The other end's values."""

    spatial = 1
    mode = "circular"


class CircularPad2d(_Pad):
    """The other end's values."""

    spatial = 2
    mode = "circular"


class CircularPad3d(_Pad):
    """The other end's values."""

    spatial = 3
    mode = "circular"
