"""Kernels of operators: call the one of a dispatch key, or cast arguments under autocast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import _ops
from torch._library.registration import impl


class SafeKernelFunction:
    """A kernel of an operator; it can still be called after another one has replaced it.

    Example:
        >>> kernel = torch.library.get_kernel("aten::sin", "CPU")
        >>> keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
        >>> kernel.call_boxed(keys, torch.zeros(1))
        tensor([0.])
    """

    def __init__(self, op: _ops.OpOverload, key: str) -> None:
        self._key, self._op = key, op
        self._kernel = op._operator.kernel_for(key)

    @property
    def op_handle(self) -> _ops.OpOverload:
        """The operator."""
        return self._op

    def call_boxed(self, keyset: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call the kernel.

        Args:
            keyset: The dispatch keys that the kernel gets, a DispatchKeySet.
            *args: The operator's arguments.
            **kwargs: The operator's arguments by name.
        """
        return self._kernel.call_boxed(keyset.raw_repr(), args, kwargs)

    def __repr__(self) -> str:
        return f"SafeKernelFunction(op='{self._op.name()}', key='{self._key}')"


def _overload(function: str, op: Any) -> _ops.OpOverload:
    """Return the overload that a name, an overload or the result of `custom_op` stands for."""
    if hasattr(op, "_opoverload"):  # the result of custom_op
        return op._opoverload
    if isinstance(op, _ops.OpOverload):
        return op
    if not isinstance(op, str):
        raise ValueError(f"{function}({op}): got unexpected type for op: {type(op)}")
    name, _, overload = op.partition(".")
    try:
        return _ops._find_overload(name, overload)
    except AttributeError:
        raise RuntimeError(f"operator {op} does not exist") from None


def get_kernel(op: Any, dispatch_key: Any) -> SafeKernelFunction:
    """Return the kernel that calls of an operator with a dispatch key run now.

    Args:
        op: The operator: its name, an overload, or the result of `custom_op`.
        dispatch_key: The key or its name, such as "CPU".

    Raises:
        ValueError: If there is no such key, or `op` is no operator.
        RuntimeError: If there is no such operator, or it has no kernel for the key.

    Example:
        >>> torch.library.define("kernel_demo2::double", "(Tensor x) -> Tensor")
        >>> kernel = torch.library.impl("kernel_demo2::double", "cpu", lambda x: x * 2)
        >>> double = torch.library.get_kernel("kernel_demo2::double", "CPU")
        >>> double.call_boxed(torch._C.DispatchKeySet(torch._C.DispatchKey.CPU), torch.ones(1))
        tensor([2.])
    """
    key = str(getattr(dispatch_key, "name", dispatch_key))
    if key not in torch._C.DispatchKey.__members__:
        raise ValueError(f"Invalid dispatch key: {key}")
    return SafeKernelFunction(_overload("get_kernel", op), key)


def register_autocast(
    op: Any, device_type: str, cast_inputs: torch.dtype, /, *, lib: Any = None
) -> Callable[..., Any]:
    """Cast the arguments of an operator inside `torch.autocast`, and run it with autocast off.

    Floating-point tensors of the device type are cast, other than those of float64.

    Args:
        op: The operator: its name, an overload, or the result of `custom_op`.
        device_type: The device type, such as "cpu".
        cast_inputs: The dtype to cast to.
        lib: A library to own the kernel.

    Returns:
        The kernel.

    Raises:
        ValueError: If `op` is no operator, or autocast does not support the device type.

    Example:
        >>> @torch.library.custom_op("autocast_demo::double", mutates_args=())
        ... def double(x: torch.Tensor) -> torch.Tensor:
        ...     return x * 2
        >>> kernel = torch.library.register_autocast(double, "cpu", torch.bfloat16)
        >>> with torch.autocast("cpu"):
        ...     double(torch.ones(1))
        tensor([2.], dtype=torch.bfloat16)
    """
    from torch.amp.autocast_mode import _cast, is_autocast_available

    overload = _overload("register_autocast", op)
    if not is_autocast_available(device_type):
        raise ValueError(f"Unknown device type: {device_type}: autocast does not support it")

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with torch.autocast(device_type, enabled=False):
            return overload(
                *_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs)
            )

    impl(overload.name(), f"Autocast{device_type.upper()}", kernel, lib=lib)
    return kernel
