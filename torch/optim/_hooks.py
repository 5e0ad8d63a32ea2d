"""Hooks of single optimizers and of all optimizers: their registration, and how a step runs them."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any

from torch._hook_handles import RemovableHandle, add_hook
from torch.autograd import _profiled_blocks as _blocks

_global_pre_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
_global_post_hooks: OrderedDict[int, Callable[..., None]] = OrderedDict()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Register a hook that runs before the step of every optimizer.

    Args:
        hook: Called as ``hook(optimizer, args, kwargs)``. `args` begins with the
            optimizer. The hook may return a new ``(args, kwargs)``.

    Returns:
        A handle whose ``remove()`` unregisters the hook.

    Example:
        >>> from torch.optim.optimizer import register_optimizer_step_pre_hook
        >>> def report(optimizer, args, kwargs):
        ...     print("step of", type(optimizer).__name__)
        >>> handle = register_optimizer_step_pre_hook(report)
        >>> torch.optim.SGD([torch.zeros(1, requires_grad=True)]).step()
        step of SGD
        >>> handle.remove()
    """
    return add_hook(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Register a hook that runs after the step of every optimizer.

    Args:
        hook: Called as ``hook(optimizer, args, kwargs)``. Its result is ignored.

    Returns:
        A handle whose ``remove()`` unregisters the hook.

    Example:
        >>> from torch.optim.optimizer import register_optimizer_step_post_hook
        >>> def report(optimizer, args, kwargs):
        ...     print(type(optimizer).__name__, "has stepped")
        >>> handle = register_optimizer_step_post_hook(report)
        >>> torch.optim.SGD([torch.zeros(1, requires_grad=True)]).step()
        SGD has stepped
        >>> handle.remove()
    """
    return add_hook(_global_post_hooks, hook)


def with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a step method so that the global hooks and the optimizer's own hooks run around it."""

    @functools.wraps(step)
    def hooked_step(self: Hooks, *args: Any, **kwargs: Any) -> Any:
        block = None
        if _blocks.running is not None:
            block = _blocks.begin("Optimizer.step", self, "step")
        try:
            before = self._optimizer_step_pre_hooks
            if before or _global_pre_hooks:
                given: tuple[Any, ...] = (self, *args)
                for hook in chain(_global_pre_hooks.values(), before.values()):
                    result = hook(self, given, kwargs)
                    if result is None:
                        continue
                    if not (isinstance(result, tuple) and len(result) == 2):
                        raise RuntimeError(
                            f"{hook} must return None or a tuple of (new_args, new_kwargs), but got "
                            f"{result}."
                        )
                    given, kwargs = result
                self, *args = given
            result = step(self, *args, **kwargs)
            after = self._optimizer_step_post_hooks
            if after or _global_post_hooks:
                for hook in chain(after.values(), _global_post_hooks.values()):
                    hook(self, (self, *args), kwargs)
            return result
        finally:
            if block is not None:
                _blocks.end(block)

    hooked_step._is_hooked = True
    return hooked_step


class Hooks:
    """Mixin of Optimizer that registers hooks; those of a step run around it."""

    # The hooks of an optimizer whose __init__ does not call this class's: none.
    _optimizer_step_pre_hooks: Mapping[int, Any] = MappingProxyType({})
    _optimizer_step_post_hooks: Mapping[int, Any] = MappingProxyType({})
    _optimizer_state_dict_pre_hooks: Mapping[int, Any] = MappingProxyType({})
    _optimizer_state_dict_post_hooks: Mapping[int, Any] = MappingProxyType({})
    _optimizer_load_state_dict_pre_hooks: Mapping[int, Any] = MappingProxyType({})
    _optimizer_load_state_dict_post_hooks: Mapping[int, Any] = MappingProxyType({})

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("step")
        if own is not None and not getattr(own, "_is_hooked", False):
            cls.step = with_hooks(own)

    def _init_hooks(self) -> None:
        self._optimizer_step_pre_hooks = OrderedDict()
        self._optimizer_step_post_hooks = OrderedDict()
        self._optimizer_state_dict_pre_hooks = OrderedDict()
        self._optimizer_state_dict_post_hooks = OrderedDict()
        self._optimizer_load_state_dict_pre_hooks = OrderedDict()
        self._optimizer_load_state_dict_post_hooks = OrderedDict()

    def _patch_step_function(self) -> None:
        """Let hooks run around `step`, for optimizers that wrap another and skip `__init__`."""
        self._zero_grad_profile_name = f"Optimizer.zero_grad#{type(self).__name__}.zero_grad"
        step = type(self).step
        if not getattr(step, "_is_hooked", False):
            type(self).step = with_hooks(step)

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register a hook that runs before this optimizer's step.

        Args:
            hook: Called as ``hook(optimizer, args, kwargs)``. It may return new ``(args, kwargs)``.

        Returns:
            A handle whose ``remove()`` unregisters the hook.

        Example:
            >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])
            >>> handle = optimizer.register_step_pre_hook(lambda *arguments: print("about to step"))
            >>> optimizer.step()
            about to step
        """
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Register a hook that runs after this optimizer's step.

        Args:
            hook: Called as ``hook(optimizer, args, kwargs)``. Its result is ignored.

        Returns:
            A handle whose ``remove()`` unregisters the hook.

        Example:
            >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])
            >>> handle = optimizer.register_step_post_hook(lambda *arguments: print("stepped"))
            >>> optimizer.step()
            stepped
        """
        return add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[[Any], None], prepend: bool = False
    ) -> RemovableHandle:
        """Register a hook that runs at the start of state_dict().

        Args:
            hook: Called as ``hook(optimizer)``.
            prepend: If True, run the hook before the ones already registered.

        Returns:
            A handle whose ``remove()`` unregisters the hook.

        Example:
            >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])
            >>> handle = optimizer.register_state_dict_pre_hook(lambda optimizer: print("saving"))
            >>> state = optimizer.state_dict()
            saving
        """
        return add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend=prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Register a hook that runs at the end of state_dict().

        Args:
            hook: Called as ``hook(optimizer, state_dict)``. A result other than None replaces the
                state dictionary.
            prepend: If True, run the hook before the ones already registered.

        Returns:
            A handle whose ``remove()`` unregisters the hook.

        Example:
            >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])
            >>> handle = optimizer.register_state_dict_post_hook(
            ...     lambda optimizer, state: {**state, "version": 1}
            ... )
            >>> optimizer.state_dict()["version"]
            1
        """
        return add_hook(self._optimizer_state_dict_post_hooks, hook, prepend=prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Register a hook that runs at the start of load_state_dict().

        Args:
            hook: Called as ``hook(optimizer, state_dict)`` with a shallow copy. A result other than
                None replaces the state dictionary.
            prepend: If True, run the hook before the ones already registered.

        Returns:
            A handle whose ``remove()`` unregisters the hook.

        Example:
            >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])
            >>> handle = optimizer.register_load_state_dict_pre_hook(
            ...     lambda optimizer, state: print("loading", sorted(state))
            ... )
            >>> optimizer.load_state_dict(optimizer.state_dict())
            loading ['param_groups', 'state']
        """
        return add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend=prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[[Any], None], prepend: bool = False
    ) -> RemovableHandle:
        """Register a hook that runs at the end of load_state_dict().

        Args:
            hook: Called as ``hook(optimizer)``.
            prepend: If True, run the hook before the ones already registered.

        Returns:
            A handle whose ``remove()`` unregisters the hook.

        Example:
            >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])
            >>> handle = optimizer.register_load_state_dict_post_hook(lambda _: print("loaded"))
            >>> optimizer.load_state_dict(optimizer.state_dict())
            loaded
        """
        return add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend=prepend)
