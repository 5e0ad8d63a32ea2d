"""Moving and converting the tensors of a module tree: to(), float(), apply() and their like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.nn.parameter import Parameter

T = TypeVar("T", bound="Conversion")


class Conversion:
    """Whole-tree operations of a module; all of them in place, returning the module."""

    def apply(self: T, fn: Callable[[Any], None]) -> T:
        """Calls fn on every submodule, then on this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self: T, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> T:
        """Replaces each parameter's data, gradient, and each buffer by what fn makes of it."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = _applied(parameter, fn)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self: T, *args: Any, **kwargs: Any) -> T:
        """Device, dtype or memory format for all parameters and buffers.

        A dtype applies to floating and complex tensors only; a memory format to those of four or
        five dimensions.
        """
        device, dtype, non_blocking, memory_format = _parse_to(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={dtype}"
            )

        def convert(tensor: Tensor) -> Tensor:
            wanted = dtype if tensor.is_floating_point() or tensor.is_complex() else None
            if memory_format is not None and tensor.dim() in (4, 5):
                return tensor.to(device, wanted, non_blocking, memory_format=memory_format)
            return tensor.to(device, wanted, non_blocking)

        return self._apply(convert)

    def _floating_to(self: T, dtype: torch.dtype) -> T:
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self: T) -> T:
        """Floating tensors as float32."""
        return self._floating_to(torch.float32)

    def double(self: T) -> T:
        """Floating tensors as float64."""
        return self._floating_to(torch.float64)

    def half(self: T) -> T:
        """Floating tensors as float16."""
        return self._floating_to(torch.float16)

    def bfloat16(self: T) -> T:
        """Floating tensors as bfloat16."""
        return self._floating_to(torch.bfloat16)

    def type(self: T, dst_type: torch.dtype | str) -> T:
        """Every tensor as another dtype, integers too."""
        return self._apply(lambda t: t.type(dst_type))

    def cpu(self: T) -> T:
        """Everything to the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self: T, device: int | torch.device | None = None) -> T:
        """Everything to a CUDA device."""
        return self._apply(lambda t: t.cuda(device))

    def to_empty(self: T, *, device: str | torch.device | int | None, recurse: bool = True) -> T:
        """Uninitialised tensors of the same shapes on a device."""
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse=recurse)

    def share_memory(self: T) -> T:
        """Moves the storages to shared memory."""
        return self._apply(lambda t: t.share_memory_())


def _parse_to(
    *args: Any,
    device: Any = None,
    dtype: torch.dtype | None = None,
    non_blocking: bool = False,
    memory_format: torch.memory_format | None = None,
) -> tuple[torch.device | None, torch.dtype | None, bool, torch.memory_format | None]:
    """The arguments of to(): a device and a dtype, a dtype alone, or a tensor that has both."""
    rest = list(args)
    if rest and isinstance(rest[0], Tensor):
        example = rest.pop(0)
        device, dtype = example.device, example.dtype
    elif rest and isinstance(rest[0], torch.dtype):
        dtype = rest.pop(0)
    elif rest:
        device = rest.pop(0)
        if rest and (rest[0] is None or isinstance(rest[0], torch.dtype)):
            dtype = rest.pop(0)
    if rest:
        non_blocking = rest.pop(0)
    if rest or not isinstance(non_blocking, bool):
        shown = ", ".join(type(value).__name__ for value in args)
        raise TypeError(f"to() received an invalid combination of arguments - got ({shown})")
    return None if device is None else torch.device(device), dtype, non_blocking, memory_format


def _applied(parameter: Parameter, fn: Callable[[Tensor], Tensor]) -> Parameter:
    """The parameter with fn's data; the same object unless the device's kind changed."""
    with torch.no_grad():
        data = fn(parameter)
    if data.device.type == parameter.device.type:
        parameter.data = data
        kept = parameter
    else:
        kept = Parameter(data, parameter.requires_grad)
    if parameter.grad is not None:
        with torch.no_grad():
            gradient = fn(parameter.grad)
        kept.grad = gradient.requires_grad_(parameter.grad.requires_grad)
    return kept
