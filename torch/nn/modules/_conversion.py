"""Conversion of the tensors of a module and of all below it: to(), float(), apply() and more."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable
from types import NoneType
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch import __future__ as _future
from torch.nn.parameter import Parameter

T = TypeVar("T", bound="Conversion")


class Conversion:
    """Mixin of Module that converts its tensors in place. Each method returns the module."""

    def apply(self: T, fn: Callable[[Any], None]) -> T:
        """Call a function with every module below this one, then with this one.

        Args:
            fn: Function of a module. Its result is ignored.

        Returns:
            The module.

        Example:
            >>> def zero_bias(module):
            ...     if isinstance(module, nn.Linear):
            ...         nn.init.zeros_(module.bias)
            >>> model = nn.Sequential(nn.Linear(2, 2), nn.ReLU()).apply(zero_bias)
            >>> model[0].bias.tolist()
            [0.0, 0.0]
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self: T, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> T:
        """Replace each parameter's data and gradient, and each buffer, by a function's result."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                place = f"{type(self).__name__}.{name}"
                self._parameters[name] = _convert_parameter(parameter, fn, place)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self: T, *args: Any, **kwargs: Any) -> T:
        """Move or convert all parameters and buffers.

        A dtype applies to floating-point and complex tensors only, a memory format to tensors of
        four or five dimensions.

        Args:
            *args: A device, a dtype, both, or a tensor that has both; then `non_blocking`.
            **kwargs: `device`, `dtype`, `non_blocking` and `memory_format`.

        Returns:
            The module.

        Raises:
            TypeError: If the dtype is not floating-point or complex, or the arguments do not fit.

        Example:
            >>> nn.Linear(3, 2).to(torch.float64).weight.dtype
            torch.float64
        """
        device, dtype, non_blocking, memory_format = _parse_to(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={dtype}"
            )
        if dtype is not None and dtype.is_complex:
            warnings.warn(
                "Complex modules are a new feature under active development whose design may "
                "change, and some modules might not work as expected when using complex tensors "
                "as parameters or buffers.",
                stacklevel=2,
            )

        def convert(tensor: Tensor) -> Tensor:
            if tensor.is_meta and device is not None and device.type != "meta":
                raise NotImplementedError(
                    "Cannot copy out of meta tensor; no data! Please use "
                    "torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module "
                    "from meta to a different device."
                )
            target_dtype = dtype if tensor.is_floating_point() or tensor.is_complex() else None
            if memory_format is not None and tensor.dim() in (4, 5):
                return tensor.to(device, target_dtype, non_blocking, memory_format=memory_format)
            return tensor.to(device, target_dtype, non_blocking)

        return self._apply(convert)

    def _floating_to(self: T, dtype: torch.dtype) -> T:
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self: T) -> T:
        """Convert floating-point tensors to float32."""
        return self._floating_to(torch.float32)

    def double(self: T) -> T:
        """Convert floating-point tensors to float64."""
        return self._floating_to(torch.float64)

    def half(self: T) -> T:
        """Convert floating-point tensors to float16."""
        return self._floating_to(torch.float16)

    def bfloat16(self: T) -> T:
        """Convert floating-point tensors to bfloat16."""
        return self._floating_to(torch.bfloat16)

    def type(self: T, dst_type: torch.dtype | str) -> T:
        """Convert all tensors, including integers, to a dtype.

        Args:
            dst_type: Dtype or its name.

        Returns:
            The module.
        """
        return self._apply(lambda t: t.type(dst_type))

    def cpu(self: T) -> T:
        """Move all tensors to the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self: T, device: int | torch.device | None = None) -> T:
        """Move all tensors to a CUDA device.

        Args:
            device: Device or its index. The default is the current one.

        Returns:
            The module.
        """
        return self._apply(lambda t: t.cuda(device))

    def ipu(self: T, device: int | torch.device | None = None) -> T:
        """Move all tensors to an IPU, which no build has; see `cuda`."""
        return self._apply(lambda t: t.ipu(device))

    def xpu(self: T, device: int | torch.device | None = None) -> T:
        """Move all tensors to an XPU, which no build has; see `cuda`."""
        return self._apply(lambda t: t.xpu(device))

    def mtia(self: T, device: int | torch.device | None = None) -> T:
        """Move all tensors to an MTIA device, which no build has; see `cuda`."""
        return self._apply(lambda t: t.mtia(device))

    def to_empty(self: T, *, device: str | torch.device | int | None, recurse: bool = True) -> T:
        """Replace all tensors by uninitialized ones of the same shapes on a device.

        Args:
            device: Device of the new tensors.
            recurse: If True, include all modules below.

        Returns:
            The module.

        Example:
            >>> nn.Linear(3, 2, device="meta").to_empty(device="cpu").weight.shape
            torch.Size([2, 3])
        """
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse=recurse)

    def share_memory(self: T) -> T:
        """Move all tensors to shared memory."""
        return self._apply(lambda t: t.share_memory_())


_TAIL = "bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None"
_FORMS_OF_TO = {
    ("device", "dtype"): f"(torch.device device = None, torch.dtype dtype = None, {_TAIL})",
    ("dtype",): f"(torch.dtype dtype, {_TAIL})",
    ("tensor",): f"(Tensor tensor, {_TAIL})",
}
_TYPES_OF_TO: dict[str, tuple[builtins.type, ...]] = {
    "device": (torch.device, str, int, NoneType),
    "dtype": (torch.dtype, builtins.type, NoneType),
    "tensor": (Tensor, bool, builtins.float, complex),
    "non_blocking": (bool,),
    "copy": (bool,),
    "memory_format": (torch.memory_format, NoneType),
}
_PYTHON_DTYPES: dict[Any, torch.dtype] = {
    bool: torch.bool,
    int: torch.int64,
    builtins.float: torch.float64,
    complex: torch.complex128,
}


def _parse_to(
    *args: Any, **kwargs: Any
) -> tuple[torch.device | None, torch.dtype | None, bool, torch.memory_format | None]:
    """Return device, dtype, non_blocking and memory format from the arguments of to().

    Raises:
        TypeError: If the arguments do not fit.
        RuntimeError: If there is an argument `copy`.
    """
    for leading in _FORMS_OF_TO:
        names = (*leading, "non_blocking", "copy")
        values = dict(zip(names, args, strict=False))
        if len(args) > len(names) or values.keys() & kwargs.keys():
            continue
        values.update(kwargs)
        if values.keys() - {*names, "memory_format"} or not _fits_to(values, leading[0]):
            continue
        return _converted_to(values)
    raise TypeError(
        "to() received an invalid combination of arguments - got "
        f"({_types_of_arguments(args, kwargs)}), but expected one of:\n"
        + "".join(f" * {form}\n" for form in _FORMS_OF_TO.values())
    )


def _fits_to(values: dict[str, Any], first: str) -> bool:
    """Return whether arguments of to() have the types of their names."""
    if first != "device" and values.get(first) is None:
        return False
    return all(
        isinstance(value, _TYPES_OF_TO[name])
        and not (name == "device" and isinstance(value, bool))
        and (not isinstance(value, builtins.type) or value in _PYTHON_DTYPES)
        for name, value in values.items()
    )


def _converted_to(
    values: dict[str, Any],
) -> tuple[torch.device | None, torch.dtype | None, bool, torch.memory_format | None]:
    if "copy" in values:
        raise RuntimeError(".to() does not accept copy argument")
    example = values.get("tensor")
    if isinstance(example, Tensor):
        device, dtype = example.device, example.dtype
    elif example is not None:  # a number stands for a tensor of its dtype
        device = torch.device("cpu")
        dtype = next(dtype for kind, dtype in _PYTHON_DTYPES.items() if isinstance(example, kind))
    else:
        device, dtype = values.get("device"), values.get("dtype")
        device = None if device is None else torch.device(device)
        dtype = _PYTHON_DTYPES.get(dtype, dtype)
    return device, dtype, values.get("non_blocking", False), values.get("memory_format")


def _types_of_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return the types of arguments as an error shows them."""

    def name_of(value: Any) -> str:
        if isinstance(value, (torch.device, torch.dtype, torch.memory_format)):
            return f"torch.{type(value).__name__}"
        return type(value).__name__

    types = [name_of(value) for value in args]
    types += [f"{name}={name_of(value)}" for name, value in kwargs.items()]
    return ", ".join(types) + (", " if kwargs and not args else "")


torch._C._nn._parse_to = _parse_to  # where other packages look for it


def _convert_parameter(
    parameter: Parameter, fn: Callable[[Tensor], Tensor], place: str
) -> Parameter:
    """Return the parameter with converted data: a new object where `data` cannot be assigned."""
    with torch.no_grad():
        data = fn(parameter)
    if _future.get_swap_module_params_on_conversion() or hasattr(data, "__tensor_flatten__"):
        return _swap_parameter(parameter, data, fn, place)
    keep = not _future.get_overwrite_module_params_on_conversion()
    if keep and torch._has_compatible_shallow_copy_type(parameter, data):
        parameter.data = data
        converted = parameter
    else:
        converted = Parameter(data, parameter.requires_grad)
    if parameter.grad is not None:
        with torch.no_grad():
            gradient = fn(parameter.grad)
        converted.grad = gradient.requires_grad_(parameter.grad.requires_grad)
    return converted


def _swap_parameter(
    parameter: Parameter, data: Tensor, fn: Callable[[Tensor], Tensor], place: str
) -> Parameter:
    """Return the same object, with the contents of `data` and the converted gradient."""
    gradient, parameter.grad = parameter.grad, None
    try:
        torch.utils.swap_tensors(parameter, Parameter(data, parameter.requires_grad))
    except Exception as error:
        parameter.grad = gradient
        raise RuntimeError(f"_apply(): Couldn't swap {place}") from error
    if gradient is not None:
        with torch.no_grad():
            converted = fn(gradient).requires_grad_(gradient.requires_grad)
        try:
            torch.utils.swap_tensors(gradient, converted)
        except Exception as error:
            raise RuntimeError(f"_apply(): Couldn't swap {place}.grad") from error
        parameter.grad = gradient
    return parameter
