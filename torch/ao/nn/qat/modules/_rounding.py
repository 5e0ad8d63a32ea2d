"""What the layers of training with rounded weights share."""

from __future__ import annotations

from typing import Any

from torch.ao.nn.quantized.modules._conversion import check_qconfig, type_of
from torch.nn.utils import parametrize


def add_fake_quant(layer: Any, qconfig: Any) -> None:
    """Give a layer the module that rounds its weight.

    Raises:
        AssertionError: If there is no qconfig.
    """
    if not qconfig:
        raise AssertionError("qconfig must be provided for QAT module")
    layer.qconfig = qconfig
    layer.weight_fake_quant = qconfig.weight().to(layer.weight.device)


def float_layer(cls: Any, mod: Any) -> Any:
    """Return the layer with the weight in a module of floating point that a class takes.

    Raises:
        AssertionError: If the module is of another class or has no qconfig.
    """
    if type_of(mod) is not cls._FLOAT_MODULE:
        raise AssertionError(
            f"qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}, "
            f"got {type(mod).__name__}"
        )
    check_qconfig(mod)
    if not mod.qconfig:
        raise AssertionError("Input float module must have a valid qconfig")
    return mod[0] if hasattr(mod, "0") else mod


def share_parameters(layer: Any, made: Any) -> None:
    """Give a layer the weight and the bias of another one, with their parametrizations."""
    for name in ("weight", "bias"):
        if parametrize.is_parametrized(layer, name):
            parametrize.transfer_parametrizations_and_params(layer, made, name)
        else:
            setattr(made, name, getattr(layer, name))
