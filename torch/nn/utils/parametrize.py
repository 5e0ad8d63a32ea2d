"""Parametrizations: a parameter or buffer that is computed from others each time it is read."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.modules.container import ModuleDict, ModuleList
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_cache_depth = 0
_cache: dict[tuple[int, str], Tensor] = {}


@contextlib.contextmanager
def cached() -> Iterator[None]:
    """Context manager inside which each parametrized tensor is computed once.

    Example:
        >>> from torch.nn.utils import parametrize
        >>> with parametrize.cached():
        ...     pass
    """
    global _cache_depth
    _cache_depth += 1
    try:
        yield
    finally:
        _cache_depth -= 1
        if not _cache_depth:
            _cache.clear()


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, and the tensors that they compute it from.

    Args:
        modules: The parametrizations, applied in this order.
        original: The tensor.
        unsafe: Whether a parametrization may change the dtype or the shape.

    Example:
        >>> from torch.nn.utils import parametrize
        >>> linear = parametrize.register_parametrization(nn.Linear(2, 2), "weight", nn.Identity())
        >>> isinstance(linear.parametrizations.weight, parametrize.ParametrizationList)
        True
    """

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        before = original.dtype, original.shape
        parts = self._first_originals(original)
        self.is_tensor = isinstance(parts, Tensor)
        self.ntensors = 1 if self.is_tensor else len(parts)
        if self.is_tensor:
            if parts.dtype != original.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\n"
                    f"right_inverse(original).dtype: {parts.dtype}"
                )
            with torch.no_grad():
                original.set_(parts) if parts is not original else None
            _hold(self, "original", original)
        else:
            for index, part in enumerate(parts):
                part = Parameter(part) if isinstance(original, Parameter) else part
                _hold(self, f"original{index}", part.requires_grad_(original.requires_grad))
        if not unsafe:
            computed = self()
            _check_is_tensor(computed)
            if change := _change(before, computed):
                aspect, old, new = change
                raise ValueError(
                    f"Registering a parametrization may not change the {aspect} of the tensor, "
                    f"unless `unsafe` flag is enabled.\nunparametrized {aspect}: {old}\n"
                    f"parametrized {aspect}: {new}"
                )

    def _first_originals(self, value: Tensor) -> Any:
        """Return the tensors to start with: the value itself where modules have no inverse."""
        found: Any = value
        for module in reversed(list(self)):
            inverse = getattr(module, "right_inverse", None)
            if inverse is not None:
                with torch.no_grad(), contextlib.suppress(NotImplementedError):
                    found = inverse(found)
        if isinstance(found, Tensor):
            return found
        expected = "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...)."
        if not isinstance(found, Sequence):
            raise ValueError(f"{expected} Got {type(found).__name__}")
        for index, part in enumerate(found):
            if not isinstance(part, Tensor):
                raise ValueError(
                    f"{expected} Got element {index} of the sequence with type "
                    f"{type(part).__name__}."
                )
        return list(found)

    def _originals_of(self, value: Tensor) -> Any:
        """Return the tensors from which the parametrizations compute a value."""
        found: Any = value
        for module in reversed(list(self)):
            if not hasattr(module, "right_inverse"):
                raise RuntimeError(
                    f"parametrization {type(module).__name__} does not implement right_inverse."
                )
            with torch.no_grad():
                found = module.right_inverse(found)  # type: ignore[operator]
        return found

    def right_inverse(self, value: Tensor) -> None:
        """Change the original tensors such that the parametrizations compute a value."""
        parts = self._originals_of(value)
        targets = (
            [self.original]
            if self.is_tensor
            else [getattr(self, f"original{i}") for i in range(self.ntensors)]
        )
        with torch.no_grad():
            for target, part in zip(targets, [parts] if self.is_tensor else parts, strict=True):
                if part.dtype != target.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {part.dtype} while "
                        f"`original` has dtype {target.dtype}"
                    )
                target.set_(part.detach().clone())

    def forward(self) -> Tensor:
        """Compute the tensor."""
        modules = iter(self)
        first = next(modules)
        if self.is_tensor:
            value = first(self.original)
        else:
            value = first(*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        for module in modules:
            value = module(value)
        return value


def _check_is_tensor(computed: Any) -> None:
    if not isinstance(computed, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(computed).__name__}.")


def _change(before: tuple[torch.dtype, torch.Size], tensor: Tensor) -> tuple[str, Any, Any] | None:
    """Return which of a dtype and a shape a tensor does not keep, and both values; None if it keeps both."""
    pairs = zip(("dtype", "shape"), before, (tensor.dtype, tensor.shape), strict=True)
    return next(((aspect, old, new) for aspect, old, new in pairs if old != new), None)


def _check_addition(module: Module, name: str, parametrization: Module) -> None:
    """Check that one more parametrization keeps the dtype and the shape, and so does its inverse."""
    value = getattr(module, name)
    before = value.dtype, value.shape
    computed = parametrization(value)
    _check_is_tensor(computed)
    if change := _change(before, computed):
        aspect, old, new = change
        raise ValueError(
            f"Registering a parametrization may not change the {aspect} of the tensor, unless "
            f"the `unsafe` flag is enabled.\nmodule.{name}.{aspect}: {old}\n"
            f"parametrization(module.{name}).{aspect}: {new}"
        )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        inverted = parametrization.right_inverse(computed)  # type: ignore[operator]
    except NotImplementedError:
        return
    if not isinstance(inverted, Tensor):
        raise ValueError(
            f"parametrization.right_inverse must return a tensor. Got: {type(inverted).__name__}"
        )
    if change := _change(before, inverted):
        aspect, old, new = change
        raise ValueError(
            f"The tensor returned by parametrization.right_inverse must have the same {aspect} "
            f"as module.{name}, unless the `unsafe` flag is enabled.\n"
            f"module.{name}.{aspect}: {old}\nreturned {aspect}: {new}"
        )


def _hold(module: Module, name: str, tensor: Tensor) -> None:
    """Register a tensor as what it is: a parameter or a buffer."""
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _inject_class(module: Module) -> None:
    """Give a module its own class, on which properties can be set."""
    base = type(module)

    def __deepcopy__(self: Module, memo: dict[int, Any]) -> Module:
        made = base.__new__(base)
        memo[id(self)] = made
        made.__dict__ = copy.deepcopy(self.__dict__, memo)
        made.__class__ = type(self)
        return made

    def __getstate__(self: Module) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    members = {"__deepcopy__": __deepcopy__, "__getstate__": __getstate__}
    module.__class__ = type(f"Parametrized{base.__name__}", (base,), members)


def _inject_property(module: Module, name: str) -> None:
    def read(self: Module) -> Tensor:
        parametrization = self.parametrizations[name]
        if not _cache_depth:
            return parametrization()
        key = (id(self), name)
        if key not in _cache:
            _cache[key] = parametrization()
        return _cache[key]

    def write(self: Module, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(read, write))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Compute a tensor of a module by another module each time it is read.

    If the parametrization has a method `right_inverse`, it turns the current value, and values that are
    assigned later, into the original tensors; it may return several. A further parametrization of the
    same tensor is applied to the value of those before it, and leaves the original tensors alone.

    Args:
        module: The module, whose class changes.
        tensor_name: The name of its parameter or buffer.
        parametrization: A module that maps the original tensor to the one that is read.
        unsafe: Whether the parametrization may change the dtype or the shape.

    Returns:
        The module.

    Raises:
        ValueError: If the module has no such tensor, its shape or dtype would change, or a method
            returns no tensor.

    Example:
        >>> from torch.nn.utils import parametrize
        >>> class Symmetric(nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).transpose(-1, -2)
        >>> linear = parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
        >>> torch.equal(linear.weight, linear.weight.T)
        True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_addition(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with "
            f"name '{tensor_name}'"
        )
    held = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _inject_class(module)
        module.parametrizations = ModuleDict()
    _inject_property(module, tensor_name)
    module.parametrizations[tensor_name] = held
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Return whether a module, or one of its tensors, is parametrized.

    Example:
        >>> from torch.nn.utils import parametrize
        >>> parametrize.is_parametrized(nn.Linear(1, 1))
        False
    """
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Make a parametrized tensor an ordinary one again.

    Args:
        module: The module.
        tensor_name: The name of the tensor.
        leave_parametrized: Whether to keep the computed value instead of the original one.

    Raises:
        ValueError: If the tensor is not parametrized, or has several originals of which none is its
            value.

    Example:
        >>> from torch.nn.utils import parametrize
        >>> linear = parametrize.register_parametrization(nn.Linear(1, 1), "weight", nn.Identity())
        >>> type(parametrize.remove_parametrizations(linear, "weight")).__name__
        'Linear'
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    held = module.parametrizations[tensor_name]
    if not held.is_tensor and not leave_parametrized:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized "
            "in terms of a sequence of tensors."
        )
    with torch.no_grad():
        value = held().detach().clone() if leave_parametrized else held.original
    originals = list(held.parameters(recurse=False))
    if leave_parametrized and originals:
        value = Parameter(value, requires_grad=originals[0].requires_grad)
        if held.is_tensor and originals[0].shape == value.shape:
            with torch.no_grad():
                held.original.set_(value)
            value = held.original  # optimizers keep their parameter
    del module.parametrizations[tensor_name]
    delattr(type(module), tensor_name)
    _hold(module, tensor_name, value)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """Return the class that a module had before it was parametrized.

    Example:
        >>> from torch.nn.utils import parametrize
        >>> parametrize.type_before_parametrizations(nn.Linear(1, 1)).__name__
        'Linear'
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give a module the parametrizations of another one, and their original tensors.

    Args:
        from_module: The parametrized module.
        to_module: The module that gets them, and is returned.
        tensor_name: The name of one tensor; all parametrized ones if None.

    Example:
        >>> from torch.nn.utils import parametrize
        >>> source = parametrize.register_parametrization(nn.Linear(2, 2), "weight", nn.Identity())
        >>> target = parametrize.transfer_parametrizations_and_params(source, nn.Linear(2, 2))
        >>> torch.equal(source.weight, target.weight)
        True
    """
    names = [tensor_name] if tensor_name is not None else list(from_module.parametrizations)
    for name in names:
        held = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            # Only its kind and shape matter: the original tensors replace it below.
            start = getattr(from_module, name).detach().clone()
            trained = any(True for _ in held.parameters(recurse=False))
            _hold(to_module, name, Parameter(start) if trained else start)
        for module in held:
            register_parametrization(to_module, name, module, unsafe=True)
        target = to_module.parametrizations[name]
        for key, tensor in [*held._parameters.items(), *held._buffers.items()]:
            _hold(target, key, tensor)
    return to_module
