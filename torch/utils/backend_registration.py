"""Names and methods for the back end that an extension adds as PrivateUse1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import _C

__all__ = ["generate_methods_for_privateuse1_backend", "rename_privateuse1_backend"]


def rename_privateuse1_backend(backend_name: str) -> None:
    """Give the PrivateUse1 device type a name of its own, which `torch.device` then accepts.

    Call it once, before the device is used. The functions that the device has in Python, such as
    `device_count`, belong in a module that `torch._register_device_module` makes `torch.<name>`.

    Args:
        backend_name: The name, in lower case.

    Raises:
        RuntimeError: If the back end has another name already.

    Example:
        >>> torch.utils.rename_privateuse1_backend("foo")  # doctest: +SKIP
        >>> torch.empty(2, device="foo:0").device  # doctest: +SKIP
        device(type='foo', index=0)
    """
    _C._rename_privateuse1_backend(backend_name)


def generate_methods_for_privateuse1_backend(
    for_tensor: bool = True,
    for_module: bool = True,
    for_packed_sequence: bool = True,
    for_storage: bool = False,
    unsupported_dtype: list[torch.dtype] | None = None,
) -> None:
    """Add `x.<name>()` and `x.is_<name>`, after the name of the PrivateUse1 back end.

    Args:
        for_tensor: Whether to add them to torch.Tensor.
        for_module: Whether to add `module.<name>()` to torch.nn.Module.
        for_packed_sequence: Whether to add them to torch.nn.utils.rnn.PackedSequence.
        for_storage: Whether to add them to the storages.
        unsupported_dtype: Dtypes of which the back end has no typed storages.

    Raises:
        RuntimeError: If one of the names exists already.

    Example:
        >>> torch.utils.rename_privateuse1_backend("foo")  # doctest: +SKIP
        >>> torch.utils.generate_methods_for_privateuse1_backend()  # doctest: +SKIP
        >>> torch.ones(2).foo().is_foo  # doctest: +SKIP
        True
    """
    name = _C._get_privateuse1_backend_name()
    if for_tensor:
        _add_to_values(torch.Tensor, name)
    if for_storage:
        _add_to_values(torch.UntypedStorage, name)
        _add_typed_storage(name, unsupported_dtype or [])
    if for_module:
        _add(torch.nn.Module, name, _module_method(name))
    if for_packed_sequence:
        _add_to_values(torch.nn.utils.rnn.PackedSequence, name)


def _add(target: type, name: str, value: object) -> None:
    if hasattr(target, name):
        raise RuntimeError(f"Can not automatically generate {name} for {target.__name__}.")
    setattr(target, name, value)


def _current_device(name: str, device: torch.device | str | int | None) -> torch.device:
    """Return the device that an argument of `x.<name>(device)` means."""
    if device is None or isinstance(device, int):
        module = getattr(torch, name, None)
        index = module.current_device() if device is None and module else device or 0
        return torch.device(name, index)
    device = torch.device(device)
    if device.type != name:
        raise RuntimeError(f"Invalid device, must be {name} device")
    return device


def _add_to_values(target: type, name: str) -> None:
    """Add `is_<name>` and the conversion to a class with `device` and `to`."""

    def convert(
        self: Any,
        device: torch.device | int | None = None,
        non_blocking: bool = False,
        **kwargs: Any,
    ) -> Any:
        wanted = _current_device(name, device)
        return self.to(device=wanted, non_blocking=non_blocking, **kwargs)

    is_there = property(lambda self: _device_of(self).type == name)
    _add(target, f"is_{name}", is_there)
    convert.__name__ = name
    convert.__doc__ = f"Return a copy on a {name} device, or the object itself if it is there."
    _add(target, name, convert)


def _device_of(value: Any) -> torch.device:
    return value.data.device if hasattr(value, "batch_sizes") else value.device


def _add_typed_storage(name: str, unsupported: list[torch.dtype]) -> None:
    from torch.storage import TypedStorage

    def convert(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
        if self.dtype in unsupported:
            raise RuntimeError(f"Cannot create {name} storage of {self.dtype}")
        moved = self.untyped().to(device=_current_device(name, device), non_blocking=non_blocking)
        return TypedStorage(wrap_storage=moved, dtype=self.dtype, _internal=True)

    _add(TypedStorage, f"is_{name}", property(lambda self: self.device.type == name))
    _add(TypedStorage, name, convert)


def _module_method(name: str) -> Callable[..., Any]:
    def convert(self: Any, device: Any = None) -> Any:
        return self._apply(lambda tensor: tensor.to(_current_device(name, device)))

    convert.__name__ = name
    convert.__doc__ = f"Move all parameters and buffers to a {name} device."
    return convert


def _get_custom_mod_func(func_name: str) -> Callable[..., Any]:
    """Return a function of the module that is registered for the PrivateUse1 back end."""
    name = _C._get_privateuse1_backend_name()
    module = getattr(torch, name, None)
    function = getattr(module, func_name, None)
    if module is None or function is None:
        raise RuntimeError(
            f"Try to call torch.{name}.{func_name}. The backend must register a custom backend "
            f"module with `torch._register_device_module('{name}', BackendModule)`. And "
            f"BackendModule needs to have the following API's: `{func_name}(*args, **kwargs)`."
        )
    return function
