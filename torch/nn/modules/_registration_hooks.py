"""Hooks that run when a module gets a parameter, a buffer or a submodule."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from torch._hook_handles import RemovableHandle, add_hook

Hook = Callable[..., Any]

_global_parameter_registration_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_buffer_registration_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_module_registration_hooks: OrderedDict[int, Hook] = OrderedDict()


def run(hooks: OrderedDict[int, Hook], module: Any, name: str, value: Any) -> Any:
    """Return the value that the hooks put in the place of one that a module gets."""
    for hook in hooks.values():
        replacement = hook(module, name, value)
        if replacement is not None:
            value = replacement
    return value


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Register a hook that runs when any module gets a parameter.

    Args:
        hook: Called as ``hook(module, name, parameter)``. A result other than None replaces the
            parameter.

    Returns:
        A handle whose ``remove()`` unregisters the hook.

    Example:
        >>> from torch.nn.modules.module import register_module_parameter_registration_hook
        >>> handle = register_module_parameter_registration_hook(
        ...     lambda module, name, parameter: print(type(module).__name__, name))
        >>> layer = nn.Linear(1, 1, bias=False)
        Linear weight
        >>> handle.remove()
    """
    return add_hook(_global_parameter_registration_hooks, hook)


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Register a hook that runs when any module gets a buffer.

    Args:
        hook: Called as ``hook(module, name, buffer)``. A result other than None replaces the
            buffer.

    Returns:
        A handle whose ``remove()`` unregisters the hook.

    Example:
        >>> from torch.nn.modules.module import register_module_buffer_registration_hook
        >>> handle = register_module_buffer_registration_hook(
        ...     lambda module, name, buffer: print(name))
        >>> nn.Module().register_buffer("mean", torch.zeros(1))
        mean
        >>> handle.remove()
    """
    return add_hook(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Register a hook that runs when any module gets a submodule.

    Args:
        hook: Called as ``hook(module, name, submodule)``. A result other than None replaces the
            submodule.

    Returns:
        A handle whose ``remove()`` unregisters the hook.

    Example:
        >>> from torch.nn.modules.module import register_module_module_registration_hook
        >>> handle = register_module_module_registration_hook(
        ...     lambda module, name, submodule: print(name, submodule))
        >>> model = nn.Sequential(nn.ReLU())
        0 ReLU()
        >>> handle.remove()
    """
    return add_hook(_global_module_registration_hooks, hook)
