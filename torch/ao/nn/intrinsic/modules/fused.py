"""Sequences of layers that a quantized kernel computes at once; in floating point they run one by one."""

from __future__ import annotations

from typing import Any

from torch import nn


class _FusedModule(nn.Sequential):
    """Layers that stand for one."""


def _sequence(name: str, *kinds: tuple[type, ...] | type) -> Any:
    def __init__(self: Any, *layers: nn.Module) -> None:
        if len(layers) != len(kinds) or not all(map(isinstance, layers, kinds)):
            found = "".join(str(type(layer)) for layer in layers)
            raise AssertionError(f"Incorrect types for input modules{found}")
        nn.Sequential.__init__(self, *layers)

    text = f"The layers {', '.join(getattr(k, '__name__', 'activation') for k in kinds)} as one."
    return type(
        name, (_FusedModule,), {"__init__": __init__, "__doc__": text, "__module__": __name__}
    )


def _convolutions(prefix: str, *following: str) -> Any:
    """Return the sequences of a convolution in one to three dimensions and other layers."""
    for dims in (1, 2, 3):
        kinds = [getattr(nn, name.format(dims=dims)) for name in ("Conv{dims}d", *following)]
        yield _sequence(f"{prefix}{dims}d", *kinds)


ConvReLU1d, ConvReLU2d, ConvReLU3d = _convolutions("ConvReLU", "ReLU")
ConvBn1d, ConvBn2d, ConvBn3d = _convolutions("ConvBn", "BatchNorm{dims}d")
ConvBnReLU1d, ConvBnReLU2d, ConvBnReLU3d = _convolutions("ConvBnReLU", "BatchNorm{dims}d", "ReLU")
BNReLU2d = _sequence("BNReLU2d", nn.BatchNorm2d, nn.ReLU)
BNReLU3d = _sequence("BNReLU3d", nn.BatchNorm3d, nn.ReLU)
LinearBn1d = _sequence("LinearBn1d", nn.Linear, nn.BatchNorm1d)
LinearLeakyReLU = _sequence("LinearLeakyReLU", nn.Linear, nn.LeakyReLU)
LinearReLU = _sequence("LinearReLU", nn.Linear, nn.ReLU)
LinearTanh = _sequence("LinearTanh", nn.Linear, nn.Tanh)


class ConvAdd2d(_FusedModule):
    """A convolution and a function of its result and another tensor.

    Example:
        >>> layer = torch.ao.nn.intrinsic.ConvAdd2d(nn.Conv2d(1, 2, 1), torch.add)
    """

    def __init__(self, conv: nn.Module, add: Any) -> None:
        super().__init__(conv)
        self.add = add

    def forward(self, x1: Any, x2: Any) -> Any:
        """Return the function of the convolution of `x1`, and `x2`."""
        return self.add(self[0](x1), x2)


class ConvAddReLU2d(ConvAdd2d):
    """A convolution, a function of its result and another tensor, and ReLU.

    Example:
        >>> layer = torch.ao.nn.intrinsic.ConvAddReLU2d(nn.Conv2d(1, 2, 1), torch.add, nn.ReLU())
    """

    def __init__(self, conv: nn.Module, add: Any, relu: nn.Module) -> None:
        super().__init__(conv, add)
        self.relu = relu

    def forward(self, x1: Any, x2: Any) -> Any:
        """Return the rectified function of the convolution of `x1`, and `x2`."""
        return self.relu(super().forward(x1, x2))


__all__ = [
    "BNReLU2d",
    "BNReLU3d",
    "ConvAdd2d",
    "ConvAddReLU2d",
    "ConvBn1d",
    "ConvBn2d",
    "ConvBn3d",
    "ConvBnReLU1d",
    "ConvBnReLU2d",
    "ConvBnReLU3d",
    "ConvReLU1d",
    "ConvReLU2d",
    "ConvReLU3d",
    "LinearBn1d",
    "LinearLeakyReLU",
    "LinearReLU",
    "LinearTanh",
]
