"""Modules that round tensors as quantization would, in floating point, so that models learn with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.ao.quantization._observer_base import PartialFactory
from torch.ao.quantization._qparams import PER_CHANNEL, SYMMETRIC
from torch.ao.quantization.observer import (
    FixedQParamsObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    default_fixed_qparams_range_0to1_observer,
    default_fixed_qparams_range_neg1to1_observer,
)

__all__ = [
    "FakeQuantize",
    "FakeQuantizeBase",
    "FixedQParamsFakeQuantize",
    "FusedMovingAvgObsFakeQuantize",
    "default_affine_fixed_qparams_fake_quant",
    "default_dynamic_fake_quant",
    "default_embedding_fake_quant",
    "default_embedding_fake_quant_4bit",
    "default_fake_quant",
    "default_fixed_qparams_range_0to1_fake_quant",
    "default_fixed_qparams_range_neg1to1_fake_quant",
    "default_fused_act_fake_quant",
    "default_fused_per_channel_wt_fake_quant",
    "default_fused_wt_fake_quant",
    "default_per_channel_weight_fake_quant",
    "default_symmetric_fixed_qparams_fake_quant",
    "default_weight_fake_quant",
    "disable_fake_quant",
    "disable_observer",
    "enable_fake_quant",
    "enable_observer",
    "fused_per_channel_wt_fake_quant_range_neg_127_to_127",
    "fused_wt_fake_quant_range_neg_127_to_127",
]

Tensor = torch.Tensor


class FakeQuantizeBase(ABC, nn.Module):
    """The base class of modules that quantize and dequantize: two switches.

    Example:
        >>> issubclass(torch.ao.quantization.FakeQuantize, torch.ao.quantization.FakeQuantizeBase)
        True
    """

    fake_quant_enabled: Tensor
    observer_enabled: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("fake_quant_enabled", torch.tensor([1], dtype=torch.uint8))
        self.register_buffer("observer_enabled", torch.tensor([1], dtype=torch.uint8))

    @abstractmethod
    def forward(self, x: Any) -> Any:
        """Round a tensor."""

    @abstractmethod
    def calculate_qparams(self, **kwargs: Any) -> Any:
        """Return the scale and the zero point."""

    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Switch rounding on or off."""
        self.fake_quant_enabled[0] = int(enabled)

    def disable_fake_quant(self) -> None:
        """Switch rounding off."""
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        """Switch the choice of parameters on or off."""
        self.observer_enabled[0] = int(enabled)

    def disable_observer(self) -> None:
        """Keep the parameters."""
        self.enable_observer(False)

    @classmethod
    def with_args(cls, **kwargs: Any) -> PartialFactory:
        """Return a factory that creates modules with these arguments."""
        return PartialFactory(partial(cls, **kwargs))


def _dtype_of(observer: Any, options: dict[str, Any]) -> Any:
    """Return the dtype of the observer that a class, or a factory, creates."""
    given = options.get("dtype", torch.quint8)
    return getattr(getattr(observer, "p", None), "keywords", {}).get("dtype", given)


def _check_bounds(dtype: Any, quant_min: int, quant_max: int) -> None:
    limits = torch.iinfo(dtype)
    if quant_min < limits.min:
        raise AssertionError("quant_min out of bound")
    if quant_max > limits.max:
        raise AssertionError("quant_max out of bound")


class FakeQuantize(FakeQuantizeBase):
    """Rounds tensors with the parameters that an observer chooses; gradients pass inside the range.

    Args:
        observer: The class of the observer.
        quant_min: The least integer; that of the observer's dtype by default.
        quant_max: The greatest integer.
        is_dynamic: Whether the parameters are chosen for each call anew.
        **observer_kwargs: The arguments of the observer.

    Example:
        >>> module = torch.ao.quantization.FakeQuantize(quant_min=0, quant_max=3, dtype=torch.quint8)
        >>> module(torch.tensor([0.0, 0.4, 1.6, 3.0]))
        tensor([0., 0., 2., 3.])
    """

    scale: Tensor
    zero_point: Tensor

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int | None = None,
        quant_max: int | None = None,
        is_dynamic: bool = False,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__()
        if quant_min is not None and quant_max is not None:
            if quant_min > quant_max:
                raise AssertionError("quant_min must be less than or equal to quant_max")
            _check_bounds(_dtype_of(observer, observer_kwargs), quant_min, quant_max)
            observer_kwargs.update(quant_min=quant_min, quant_max=quant_max)
        observer_kwargs["is_dynamic"] = is_dynamic
        self.activation_post_process = observer(**observer_kwargs)
        self.quant_min = self.activation_post_process.quant_min
        self.quant_max = self.activation_post_process.quant_max
        self.is_dynamic = self.activation_post_process.is_dynamic
        self.dtype = self.activation_post_process.dtype
        self.qscheme = self.activation_post_process.qscheme
        self.ch_axis = getattr(self.activation_post_process, "ch_axis", -1)
        self.is_per_channel = self.qscheme in PER_CHANNEL
        has_float_points = self.qscheme == torch.per_channel_affine_float_qparams
        points = torch.float if has_float_points else torch.int
        self.register_buffer("scale", torch.tensor([1.0], dtype=torch.float))
        self.register_buffer("zero_point", torch.tensor([0], dtype=points))

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        """Return the scale and the zero point that the observer chooses."""
        return self.activation_post_process.calculate_qparams()  # type: ignore[no-any-return]

    def forward(self, X: Tensor) -> Tensor:
        """Let the observer look at a tensor, and round it."""
        if self.observer_enabled[0] == 1:
            self.activation_post_process(X.detach())
            for buffer, value in zip(
                (self.scale, self.zero_point), self.calculate_qparams(), strict=True
            ):
                buffer.resize_(value.shape).copy_(value)
        if self.fake_quant_enabled[0] != 1:
            return X
        limits = (self.activation_post_process.quant_min, self.activation_post_process.quant_max)
        if self.is_per_channel:
            return torch.fake_quantize_per_channel_affine(
                X, self.scale, self.zero_point, self.ch_axis, *limits
            )
        return torch.fake_quantize_per_tensor_affine(X, self.scale, self.zero_point, *limits)

    def extra_repr(self) -> str:
        """Show switches and parameters."""
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, "
            f"quant_min={self.activation_post_process.quant_min}, "
            f"quant_max={self.activation_post_process.quant_max}, dtype={self.dtype}, "
            f"qscheme={self.qscheme}, ch_axis={self.ch_axis}, scale={self.scale}, "
            f"zero_point={self.zero_point}"
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        for name in ("scale", "zero_point"):  # which get an element for each channel
            if f"{prefix}{name}" in state_dict:
                getattr(self, name).resize_(state_dict[f"{prefix}{name}"].shape)
        super()._load_from_state_dict(state_dict, prefix, *args)


class FixedQParamsFakeQuantize(FakeQuantize):
    """Rounds tensors with given parameters.

    Args:
        observer: A factory of FixedQParamsObserver.

    Example:
        >>> observer = torch.ao.quantization.FixedQParamsObserver.with_args(scale=0.5, zero_point=0)
        >>> torch.ao.quantization.FixedQParamsFakeQuantize(observer)(torch.tensor([0.3, 0.8]))
        tensor([0.5000, 1.0000])
    """

    def __init__(self, observer: Any) -> None:
        super().__init__(observer=_without_is_dynamic(observer))
        made = self.activation_post_process
        if not isinstance(made, FixedQParamsObserver):
            raise AssertionError(
                f"FixedQParamsFakeQuantize's observer must be a {FixedQParamsObserver}, got {type(made)}"
            )
        self.scale, self.zero_point = made.scale, made.zero_point

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        """Return the scale and the zero point."""
        return self.scale, self.zero_point

    def extra_repr(self) -> str:
        """Show switches and parameters."""
        return _described(self)


def _described(module: FakeQuantize) -> str:
    names = "fake_quant_enabled observer_enabled scale zero_point dtype quant_min quant_max qscheme"
    made = module.activation_post_process
    values = {name: getattr(made if "quant_m" in name else module, name) for name in names.split()}
    return ", ".join(f"{name}={value}" for name, value in values.items())


def _without_is_dynamic(observer: Any) -> Any:
    return lambda is_dynamic, **kwargs: observer(**kwargs)


class FusedMovingAvgObsFakeQuantize(FakeQuantize):
    """A FakeQuantize with a moving-average observer, computed by one operator.

    Args:
        observer: MovingAverageMinMaxObserver or MovingAveragePerChannelMinMaxObserver.
        quant_min: The least integer.
        quant_max: The greatest integer.
        is_dynamic: Must be False.
        **observer_kwargs: The arguments of the observer.

    Example:
        >>> torch.ao.quantization.FusedMovingAvgObsFakeQuantize()(torch.tensor([0.0, 0.4, 255.0]))
        tensor([  0.,   0., 255.])
    """

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int = 0,
        quant_max: int = 255,
        is_dynamic: bool = False,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__(observer, quant_min, quant_max, is_dynamic, **observer_kwargs)
        made = self.activation_post_process
        if not isinstance(
            made, (MovingAverageMinMaxObserver, MovingAveragePerChannelMinMaxObserver)
        ):
            raise AssertionError("the observer must be a moving-average observer")
        self.register_buffer("fake_quant_enabled", torch.tensor([1], dtype=torch.long))
        self.register_buffer("observer_enabled", torch.tensor([1], dtype=torch.long))
        self.is_symmetric_quant = self.qscheme in SYMMETRIC

    def forward(self, X: Tensor) -> Tensor:
        """Let the observer look at a tensor, and round it."""
        observer = self.activation_post_process
        return torch.fused_moving_avg_obs_fake_quant(  # type: ignore[no-any-return]
            X,
            self.observer_enabled,
            self.fake_quant_enabled,
            observer.min_val,
            observer.max_val,
            self.scale,
            self.zero_point,
            observer.averaging_constant,
            observer.quant_min,
            observer.quant_max,
            self.ch_axis,
            self.is_per_channel,
            self.is_symmetric_quant,
        )

    def extra_repr(self) -> str:
        """Show switches and parameters."""
        return f"{_described(self)}, reduce_range={self.activation_post_process.reduce_range}"


_ACTIVATION_RANGE = {
    "quant_min": 0,
    "quant_max": 255,
    "dtype": torch.quint8,
}
_ACTIVATION = {"observer": MovingAverageMinMaxObserver, **_ACTIVATION_RANGE}
_WEIGHT = {
    "observer": MovingAverageMinMaxObserver,
    "quant_min": -128,
    "quant_max": 127,
    "dtype": torch.qint8,
    "qscheme": torch.per_tensor_symmetric,
}
_CHANNEL_WEIGHT = {
    **_WEIGHT,
    "observer": MovingAveragePerChannelMinMaxObserver,
    "qscheme": torch.per_channel_symmetric,
}
_NARROW = {"quant_min": -127, "quant_max": 127, "eps": 2**-12}

default_fake_quant = FakeQuantize.with_args(
    **_ACTIVATION, qscheme=torch.per_tensor_affine, reduce_range=True
)
default_weight_fake_quant = FakeQuantize.with_args(**_WEIGHT, reduce_range=False)
default_dynamic_fake_quant = FakeQuantize.with_args(
    **_ACTIVATION, is_dynamic=True, averaging_constant=1
)
default_fixed_qparams_range_neg1to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_neg1to1_observer
)
default_fixed_qparams_range_0to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_0to1_observer
)
default_symmetric_fixed_qparams_fake_quant = default_fixed_qparams_range_neg1to1_fake_quant
default_affine_fixed_qparams_fake_quant = default_fixed_qparams_range_0to1_fake_quant
default_per_channel_weight_fake_quant = FakeQuantize.with_args(
    **_CHANNEL_WEIGHT, reduce_range=False, ch_axis=0
)
default_embedding_fake_quant = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    qscheme=torch.per_channel_affine_float_qparams,
    dtype=torch.quint8,
    quant_min=0,
    quant_max=255,
    ch_axis=0,
    averaging_constant=1,
)
default_embedding_fake_quant_4bit = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    qscheme=torch.per_channel_affine_float_qparams,
    ch_axis=0,
    dtype=torch.quint4x2,
    averaging_constant=1,
)
default_fused_act_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(**_ACTIVATION)
default_fused_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(**_WEIGHT)
default_fused_per_channel_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(**_CHANNEL_WEIGHT)
fused_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    **{**_WEIGHT, **_NARROW}
)
fused_per_channel_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    **{**_CHANNEL_WEIGHT, **_NARROW}
)


def disable_fake_quant(mod: nn.Module) -> None:
    """Switch rounding off; for `Module.apply`.

    Example:
        >>> module = torch.ao.quantization.FakeQuantize()
        >>> module.apply(torch.ao.quantization.disable_fake_quant).fake_quant_enabled.item()
        0
    """
    if isinstance(mod, FakeQuantizeBase):
        mod.disable_fake_quant()


def enable_fake_quant(mod: nn.Module) -> None:
    """Switch rounding on; for `Module.apply`.

    Example:
        >>> module = torch.ao.quantization.FakeQuantize()
        >>> module.apply(torch.ao.quantization.enable_fake_quant).fake_quant_enabled.item()
        1
    """
    if isinstance(mod, FakeQuantizeBase):
        mod.enable_fake_quant()


def disable_observer(mod: nn.Module) -> None:
    """Keep the parameters; for `Module.apply`.

    Example:
        >>> module = torch.ao.quantization.FakeQuantize()
        >>> module.apply(torch.ao.quantization.disable_observer).observer_enabled.item()
        0
    """
    if isinstance(mod, FakeQuantizeBase):
        mod.disable_observer()


def enable_observer(mod: nn.Module) -> None:
    """Let observers choose parameters; for `Module.apply`.

    Example:
        >>> module = torch.ao.quantization.FakeQuantize()
        >>> module.apply(torch.ao.quantization.enable_observer).observer_enabled.item()
        1
    """
    if isinstance(mod, FakeQuantizeBase):
        mod.enable_observer()
