"""Regions in which operators choose the precision that they compute in."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import torch

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]

# The lower precisions of device types that accept only some.
_SUPPORTED = {
    "cpu": (torch.bfloat16, torch.float16),
    "cuda": (torch.float16, torch.bfloat16, torch.float32),
    "xpu": (torch.bfloat16, torch.float16),
    "ipu": (torch.bfloat16, torch.float16),
    "hpu": (torch.bfloat16, torch.float16),
    "mps": (torch.bfloat16, torch.float16),
    "mtia": (torch.bfloat16, torch.float16),
    "maia": (torch.bfloat16, torch.float16),
    "xla": (torch.float16, torch.bfloat16),
}


def is_autocast_available(device_type: str) -> bool:
    """Return whether autocast exists for a device type.

    Args:
        device_type: The name of a device type, such as "cpu" or "cuda".

    Example:
        >>> torch.amp.is_autocast_available("cpu")
        True
    """
    return torch._C._is_autocast_available(device_type)


def autocast_decorator(autocast_instance: autocast, func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs another one in a region of autocast.

    Example:
        >>> region = torch.autocast("cpu", enabled=False)
        >>> torch.amp.autocast_mode.autocast_decorator(region, torch.neg)(torch.ones(1))
        tensor([-1.])
    """

    @functools.wraps(func)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with autocast_instance:
            return func(*args, **kwargs)

    return decorated


class autocast:
    """Context manager and decorator: operators choose the precision that they compute in.

    Products and convolutions cast their floating-point arguments to `dtype`; losses and
    reductions that need the range cast them to float32; the rest is unchanged. Model and inputs
    stay as they are. Leave the region before the backward pass, which uses the dtypes of the
    forward pass.

    Args:
        device_type: The device type whose operators are affected, such as "cpu" or "cuda".
        dtype: The lower precision: torch.bfloat16 or torch.float16. By default,
            `torch.get_autocast_dtype(device_type)`.
        enabled: Whether the region is one of autocast at all; False turns an outer one off.
        cache_enabled: Whether a weight that is used twice is cast only once.

    Raises:
        RuntimeError: If autocast does not exist for the device type.

    Example:
        >>> linear = torch.nn.Linear(4, 2)
        >>> with torch.autocast("cpu"):
        ...     output = linear(torch.ones(3, 4))
        >>> output.dtype, linear.weight.dtype
        (torch.bfloat16, torch.float32)
    """

    def __init__(
        self,
        device_type: str,
        dtype: torch.dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(
                f"User specified an unsupported autocast device_type '{device_type}'"
            )
        self.device = torch.device(device_type).type
        self.custom_backend_name = torch._C._get_privateuse1_backend_name()
        self.fast_dtype = torch.get_autocast_dtype(self.device) if dtype is None else dtype
        self._cache_enabled = (
            torch.is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        )
        self._enabled = bool(enabled) and self._is_usable()
        self._outer: list[tuple[bool, torch.dtype, bool]] = []

    def _is_usable(self) -> bool:
        """Check device and dtype. A dtype that only loses precision is a warning, as in PyTorch."""
        if self.device == "cuda" and not torch.cuda.is_available():
            warnings.warn("CUDA is not available. Disabling autocast.", stacklevel=3)
            return False
        supported = self._supported_dtypes()
        if self.fast_dtype not in supported:
            names = ", ".join(map(str, supported))
            device = self.device.upper()
            warnings.warn(
                f"In {device} autocast, but the target dtype is not supported. Disabling "
                f"autocast.\n{device} Autocast only supports dtypes of {names} currently.",
                stacklevel=3,
            )
            return False
        if (
            self.device == "cuda"
            and self.fast_dtype == torch.bfloat16
            and not torch.cuda.is_bf16_supported()
        ):
            raise RuntimeError(
                "Current CUDA Device does not support bfloat16. Please switch dtype to float16."
            )
        return True

    def _supported_dtypes(self) -> tuple[torch.dtype, ...]:
        if self.device != self.custom_backend_name:
            return _SUPPORTED[self.device]
        module = getattr(torch, self.custom_backend_name, None)
        if not hasattr(module, "get_amp_supported_dtype"):
            raise AssertionError(
                f"Tried to use AMP with the `{self.device}` backend, but the backend has not "
                "registered a module with a function `get_amp_supported_dtype() -> "
                "List[torch.dtype]`; call `torch._register_device_module`."
            )
        return tuple(module.get_amp_supported_dtype())

    def __enter__(self) -> autocast:
        self._outer.append(
            (
                torch.is_autocast_enabled(self.device),
                torch.get_autocast_dtype(self.device),
                torch.is_autocast_cache_enabled(),
            )
        )
        torch.set_autocast_enabled(self.device, self._enabled)
        torch.set_autocast_dtype(self.device, self.fast_dtype)
        torch.autocast_increment_nesting()
        torch.set_autocast_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, *error: object) -> bool:
        if torch.autocast_decrement_nesting() == 0:
            torch.clear_autocast_cache()
        enabled, dtype, cache_enabled = self._outer.pop()
        torch.set_autocast_enabled(self.device, enabled)
        torch.set_autocast_dtype(self.device, dtype)
        torch.set_autocast_cache_enabled(cache_enabled)
        return False

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that runs `func` in this region."""
        return autocast_decorator(self, func)


def _enter_autocast(*arguments: Any) -> autocast:
    return autocast(*arguments).__enter__()


def _exit_autocast(region: autocast) -> None:
    region.__exit__(None, None, None)


def _cast(value: Any, device_type: str, dtype: torch.dtype) -> Any:
    """Cast the floating-point tensors in nested containers, other than float64."""
    if isinstance(value, torch.Tensor):
        eligible = (
            value.is_floating_point()
            and value.device.type == device_type
            and value.dtype != torch.float64
        )
        return value.to(dtype) if eligible else value
    if isinstance(value, Mapping):
        return {
            _cast(key, device_type, dtype): _cast(each, device_type, dtype)
            for key, each in value.items()
        }
    if isinstance(value, (list, tuple)):
        items = [_cast(each, device_type, dtype) for each in value]
        if hasattr(value, "_fields"):
            return type(value)(*items)
        return type(value)(items)
    return value


def _check_device_type(device_type: object) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def custom_fwd(
    fwd: Callable[..., Any] | None = None,
    *,
    device_type: str,
    cast_inputs: torch.dtype | None = None,
) -> Callable[..., Any]:
    """Decorate the `forward` of a torch.autograd.Function for use under autocast.

    Args:
        fwd: The function; without it, return a decorator.
        device_type: The device type whose regions of autocast concern the function.
        cast_inputs: If given, a forward pass under autocast casts its floating-point inputs to this
            dtype and runs without autocast; otherwise it runs with the surrounding state.

    Example:
        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        ...     def forward(ctx, x):
        ...         return x * 2
        ...
        ...     @staticmethod
        ...     @torch.amp.custom_bwd(device_type="cpu")
        ...     def backward(ctx, grad):
        ...         return grad * 2
        >>> with torch.autocast("cpu"):
        ...     Double.apply(torch.ones(1, dtype=torch.bfloat16)).dtype
        torch.float32
    """
    _check_device_type(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        enabled = torch.is_autocast_enabled(device_type)
        ctx._dtype = torch.get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = enabled and cast_inputs is None
        if not enabled or cast_inputs is None:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return fwd(
                ctx,
                *_cast(args, device_type, cast_inputs),
                **_cast(kwargs, device_type, cast_inputs),
            )

    return decorated


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """Decorate the `backward` of a torch.autograd.Function: use the autocast state of `forward`.

    Args:
        bwd: The function; without it, return a decorator.
        device_type: The device type that `custom_fwd` was given.

    Example:
        >>> decorate = torch.amp.custom_bwd(device_type="cpu")
    """
    _check_device_type(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type=device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(ctx, *args, **kwargs)

    return decorated
