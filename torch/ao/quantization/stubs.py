"""The places where a model begins and ends to be quantized."""

from __future__ import annotations

from typing import Any

from torch import nn

__all__ = ["DeQuantStub", "QuantStub", "QuantWrapper"]


class _Place(nn.Module):
    """A place in a model."""

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        """Return the input."""
        return x


class QuantStub(_Place):
    """The place where a quantized model quantizes its input; in floating point, the identity.

    Args:
        qconfig: The factories of the observers; those of the module around it by default.

    Example:
        >>> torch.ao.quantization.QuantStub()(torch.ones(2))
        tensor([1., 1.])
    """


class DeQuantStub(_Place):
    """The place where a quantized model returns to floating point; before, the identity.

    Args:
        qconfig: The factories of the observers; those of the module around it by default.

    Example:
        >>> torch.ao.quantization.DeQuantStub()(torch.ones(2))
        tensor([1., 1.])
    """


class QuantWrapper(nn.Module):
    """A module between a QuantStub and a DeQuantStub.

    Args:
        module: The module.

    Example:
        >>> torch.ao.quantization.QuantWrapper(nn.Identity())(torch.ones(2))
        tensor([1., 1.])
    """

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.add_module("quant", QuantStub(qconfig))
        self.add_module("dequant", DeQuantStub(qconfig))
        self.add_module("module", module)
        self.train(module.training)

    def forward(self, X: Any) -> Any:
        """Call the module."""
        return self.dequant(self.module(self.quant(X)))
