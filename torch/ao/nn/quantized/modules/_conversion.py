"""What the quantized layers share: observed weights, and state dictionaries with scales and zero points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import nn
from torch._quantized._quantizers import quantized_dtype
from torch.nn.utils.fusion import _fused_parameters

Tensor = torch.Tensor
STEPS = (
    "in_channels",
    "out_channels",
    "kernel_size",
    "stride",
    "padding",
    "dilation",
    "groups",
)  # the first arguments of convolutions


class WeightedQuantizedModule(nn.Module, ABC):
    """The base class of quantized layers with a weight."""

    @classmethod
    @abstractmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the layer for an observed one of floating point."""


class OutputParameters(nn.Module):
    """A layer whose scale and zero point of the results are numbers, and entries of the state dictionary."""

    scale: float
    zero_point: int

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[f"{prefix}scale"] = torch.tensor(self.scale)
        destination[f"{prefix}zero_point"] = torch.tensor(self.zero_point)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, metadata: Any, strict: bool, missing: Any, *rest: Any
    ) -> None:
        for name, kind in (("scale", float), ("zero_point", int)):
            if take(state_dict, prefix + name, missing) is not None:
                setattr(self, name, kind(state_dict.pop(prefix + name)))
        super()._load_from_state_dict(state_dict, prefix, metadata, False, missing, *rest)


class OutputBuffers(nn.Module):
    """A layer whose scale and zero point of the results are buffers."""

    scale: Tensor
    zero_point: Tensor

    def _set_output(self, scale: float, zero_point: int, device: Any) -> None:
        self.register_buffer("scale", torch.tensor(scale, device=device))
        self.register_buffer("zero_point", torch.tensor(zero_point, device=device))

    def _output(self) -> tuple[float, int]:
        return float(self.scale), int(self.zero_point)


def take(state_dict: Any, key: str, missing: list[str]) -> Any:
    """Return an entry of a state dictionary; None, and report the key, if there is none."""
    if key not in state_dict:
        missing.append(key)
    return state_dict.get(key)


def output_parameters(observer: Any) -> tuple[float, int]:
    """Return the scale and the zero point that an observer of results has chosen."""
    scale, point = observer.calculate_qparams()
    return float(scale), int(point)


def check_class(cls: type, mod: Any, expected: type | tuple[type, ...]) -> None:
    """Raise AssertionError if a module is not of the class that a layer is made of."""
    kinds = expected if isinstance(expected, tuple) else (expected,)
    if type_of(mod) not in kinds:
        names = ", ".join(kind.__name__ for kind in kinds)
        raise AssertionError(
            f"{cls.__module__.split('.')[-3]}.{cls.__name__}.from_float only works for {names}, "
            f"but got: {type(mod)}"
        )


def type_of(mod: nn.Module) -> type:
    """Return the class of a module without its parametrizations."""
    return nn.utils.parametrize.type_before_parametrizations(mod)


def check_qconfig(mod: Any) -> None:
    """Raise AssertionError if a module has no qconfig."""
    if not hasattr(mod, "qconfig"):
        raise AssertionError("Input float module must have qconfig defined")


def _quantize_weight(float_wt: Tensor, observer: Any) -> Any:
    """Return a weight with the parameters that an observer has chosen.

    Raises:
        ValueError: If the observer has no scheme for weights.
    """
    scale, point = observer.calculate_qparams()
    scheme, dtype = observer.qscheme, observer.dtype
    if scheme in (torch.per_tensor_affine, torch.per_tensor_symmetric):
        quantized = torch.quantize_per_tensor(float_wt, float(scale), int(point), dtype)
    elif scheme in (torch.per_channel_affine, torch.per_channel_symmetric):
        axis = observer.ch_axis
        parameters = (scale.double(), point.long(), axis)
        quantized = torch.quantize_per_channel(float_wt, *parameters, dtype)
    elif scheme == torch.per_channel_affine_float_qparams:
        parameters = (scale.float(), point.float(), observer.ch_axis)
        quantized = torch.quantize_per_channel(float_wt, *parameters, dtype)
    else:
        raise ValueError(f"Unexpected qscheme {scheme}")
    return _clamped(quantized, observer)


def _clamped(quantized: Any, observer: Any) -> Any:
    """Return a weight whose integers are in the range of its observer."""
    ranges = getattr(observer, "activation_post_process", observer)  # that of a FakeQuantize
    kind = quantized_dtype(quantized.dtype)
    if ranges.quant_min <= kind.low and ranges.quant_max >= kind.high:
        return quantized
    return quantized._with_integers(quantized._integers.clamp(ranges.quant_min, ranges.quant_max))


def quantized_weight(weight: Tensor, observer: Any, is_observed: bool = False) -> Any:
    """Let an observer look at a weight, and return the weight quantized.

    Args:
        weight: A floating-point weight.
        observer: The observer, or the module that rounds the weight in training.
        is_observed: Whether the observer has seen the weight and keeps its parameters.

    Raises:
        AssertionError: If the observer chooses another dtype than torch.qint8.
    """
    if not is_observed:
        observer(weight)
    if observer.dtype != torch.qint8:
        raise AssertionError(f"Weight observer must have a dtype of qint8, got {observer.dtype}")
    return _quantize_weight(weight.detach().float(), observer)


def observed_layer(
    cls: Any, mod: Any, sequence: Any, is_observed: bool
) -> tuple[Any, Any, Tensor | None]:
    """Return the layer in a module of floating point, its weight quantized, and its bias.

    Args:
        cls: The class of the quantized layer.
        mod: A layer with a qconfig, or one of training with a rounded weight, with normalization or not.
        sequence: The class of modules whose first layer is meant, or None.
        is_observed: Whether the observer has seen the weight and keeps its parameters.

    Raises:
        AssertionError: If the module is of another class, has no qconfig, or its weight another dtype than
            torch.qint8.
    """
    if hasattr(mod, "weight_fake_quant"):
        weight, bias = (
            _fused_parameters(mod, mod.bn) if hasattr(mod, "bn") else (mod.weight, mod.bias)
        )
        return mod, quantized_weight(weight, mod.weight_fake_quant, is_observed), bias
    layer = mod[0] if type_of(mod) is sequence else mod
    if layer is mod:
        check_class(cls, mod, cls._FLOAT_MODULE)
    check_qconfig(mod)
    return layer, quantized_weight(layer.weight, mod.qconfig.weight(), is_observed), layer.bias


def weight_observer(qconfig: Any) -> Any:
    """Return an observer of weights as a qconfig, or the default of dynamic quantization, says."""
    from torch.ao.quantization.qconfig import default_dynamic_qconfig

    if qconfig is None or qconfig.weight is None:
        qconfig = default_dynamic_qconfig
    return qconfig.weight()


def dynamic_weight(weight: Tensor, observer: Any) -> Any:
    """Return a weight that an observer has seen, quantized or, for torch.float16, as it is.

    Raises:
        RuntimeError: If the observer chooses another dtype.
    """
    if observer.dtype == torch.qint8:
        return _quantize_weight(weight.detach().float(), observer)
    if observer.dtype == torch.float16:
        return weight.detach().float()
    raise RuntimeError(
        f"Unsupported dtype specified for dynamic quantization: {observer.dtype}; "
        "the supported ones are qint8 and float16"
    )


def _hide_packed_params_repr(self: nn.Module, params: type) -> str:
    """Return the repr of a module without the children of a class."""
    lines = [
        f"  ({name}): {nn.modules.module._addindent(repr(child), 2)}"
        for name, child in self._modules.items()
        if not isinstance(child, params)
    ]
    extra = self.extra_repr()
    if not lines:
        return f"{self._get_name()}({extra})"
    inner = "\n".join([*([f"  {extra}"] if extra else []), *lines])
    return f"{self._get_name()}(\n{inner}\n)"
