"""Convolutions that round their weights."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.ao.nn.qat.modules._rounding import add_fake_quant, float_layer, share_parameters
from torch.ao.nn.quantized.modules._conversion import STEPS

__all__ = ["Conv1d", "Conv2d", "Conv3d"]

Tensor = torch.Tensor


class _ConvNd:
    """What the convolutions share: the rounded weight and the conversion."""

    _FLOAT_MODULE: Any
    _FLOAT_CONV_MODULE: Any

    def __init__(self, *args: Any, qconfig: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        add_fake_quant(self, qconfig)

    def forward(self: Any, input: Tensor) -> Tensor:
        """Return the convolution with the rounded weight."""
        return self._conv_forward(input, self.weight_fake_quant(self.weight), self.bias)  # type: ignore[no-any-return]

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the layer for one of floating point with a qconfig; it shares the parameters."""
        layer = float_layer(cls, mod)
        made: Any = cls(
            *(getattr(layer, name) for name in STEPS),
            bias=layer.bias is not None,
            padding_mode=layer.padding_mode,
            qconfig=mod.qconfig,
        )
        share_parameters(layer, made)
        return made

    def to_float(self: Any) -> Any:
        """Return a layer of floating point with the same parameters."""
        return float_convolution(self)


def float_convolution(mod: Any) -> Any:
    """Return a convolution of floating point with the parameters of one of training."""
    made = mod._FLOAT_CONV_MODULE(
        *(getattr(mod, name) for name in STEPS), mod.bias is not None, mod.padding_mode
    )
    made.weight = nn.Parameter(mod.weight.detach())
    if mod.bias is not None:
        made.bias = nn.Parameter(mod.bias.detach())
    made.train(mod.training)
    return made


def _class(dims: int) -> Any:
    name, base = f"Conv{dims}d", getattr(nn, f"Conv{dims}d")
    text = (
        f"A convolution that rounds its weight; see `torch.nn.{name}` for the arguments.\n\n"
        "    Args:\n        qconfig: The factories of the modules that round.\n\n"
        "    Raises:\n        AssertionError: If there is no qconfig.\n\n"
        "    Example:\n        >>> qconfig = torch.ao.quantization.get_default_qat_qconfig()\n"
        f"        >>> layer = torch.ao.nn.qat.{name}(1, 2, 3, qconfig=qconfig)\n    "
    )
    body = {"__doc__": text, "__module__": __name__}
    return type(name, (_ConvNd, base), {**body, "_FLOAT_MODULE": base, "_FLOAT_CONV_MODULE": base})


Conv1d, Conv2d, Conv3d = (_class(dims) for dims in (1, 2, 3))
