"""Hooks of single modules and of all modules: their registration, and how a call runs them."""

from __future__ import annotations

import functools
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch._hook_handles import RemovableHandle, add_hook
from torch.utils.hooks import BackwardHook

if TYPE_CHECKING:
    from torch.nn.modules.module import Module

Hook = Callable[..., Any]

# Hooks of all modules, by handle id. The last flag is None until a backward hook is registered.
_global_forward_pre_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_forward_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_forward_hooks_with_kwargs: OrderedDict[int, bool] = OrderedDict()
_global_forward_hooks_always_called: OrderedDict[int, bool] = OrderedDict()
_global_backward_pre_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_backward_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_is_full_backward_hook: bool | None = None

_MIXED = (
    "Cannot use both regular backward hooks and full backward hooks on a single Module. "
    "Please use only one of them."
)
_MIXED_GLOBAL = (
    "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
    "Please use only one of them."
)


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Register a hook that runs before the forward() of every module.

    Args:
        hook: Called as ``hook(module, args)``. A result other than None replaces the arguments.

    Returns:
        A handle whose ``remove()`` unregisters the hook.

    Example:
        >>> from torch.nn.modules.module import register_module_forward_pre_hook
        >>> handle = register_module_forward_pre_hook(lambda module, args: print("before", module))
        >>> result = nn.ReLU()(torch.ones(1))
        before ReLU()
        >>> handle.remove()
    """
    return add_hook(_global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Register a hook that runs after the forward() of every module.

    Args:
        hook: Called as ``hook(module, args, output)``. A result other than None replaces the
            output.
        with_kwargs: If True, call ``hook(module, args, kwargs, output)``.
        always_call: If True, run the hook even if forward() raises.

    Returns:
        A handle whose ``remove()`` unregisters the hook.

    Example:
        >>> from torch.nn.modules.module import register_module_forward_hook
        >>> handle = register_module_forward_hook(lambda module, args, output: output + 1)
        >>> nn.ReLU()(torch.ones(1))
        tensor([2.])
        >>> handle.remove()
    """
    options = [_global_forward_hooks_with_kwargs, _global_forward_hooks_always_called]
    handle = add_hook(_global_forward_hooks, hook, options)
    if with_kwargs:
        _global_forward_hooks_with_kwargs[handle.id] = True
    if always_call:
        _global_forward_hooks_always_called[handle.id] = True
    return handle


def _register_global_backward(hook: Hook, full: bool) -> RemovableHandle:
    """Register a backward hook of all modules.

    Raises:
        RuntimeError: If full and legacy hooks would be mixed.
    """
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is (not full):
        raise RuntimeError(_MIXED_GLOBAL)
    _global_is_full_backward_hook = full
    return add_hook(_global_backward_hooks, hook)


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """Register a legacy hook that runs in the backward pass of every module.

    Prefer register_module_full_backward_hook(): a legacy hook sees only the gradients of the
    module's last operator.

    Args:
        hook: Called as ``hook(module, grad_input, grad_output)``. A result other than None
            replaces `grad_input`.

    Returns:
        A handle whose ``remove()`` unregisters the hook.

    Raises:
        RuntimeError: If a full backward hook of all modules is registered.

    Example:
        >>> from torch.nn.modules.module import register_module_backward_hook
        >>> handle = nn.modules.module.register_module_full_backward_hook(lambda *arguments: None)
        >>> register_module_backward_hook(lambda *arguments: None)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        RuntimeError: Cannot use both regular backward hooks and full backward hooks ...
        >>> handle.remove()
    """
    return _register_global_backward(hook, False)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Register a hook that runs when the gradients of any module's inputs are known.

    Args:
        hook: Called as ``hook(module, grad_input, grad_output)``. A result other than None
            replaces `grad_input`.

    Returns:
        A handle whose ``remove()`` unregisters the hook.

    Raises:
        RuntimeError: If a legacy backward hook is registered.

    Example:
        >>> from torch.nn.modules.module import register_module_full_backward_hook
        >>> handle = register_module_full_backward_hook(lambda module, inputs, _: print(inputs))
        >>> nn.ReLU()(torch.ones(1, requires_grad=True)).backward()
        (tensor([1.]),)
        >>> handle.remove()
    """
    return _register_global_backward(hook, True)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Register a hook that runs at the start of the backward pass of any module.

    Args:
        hook: Called as ``hook(module, grad_output)``. A result other than None replaces
            `grad_output`.

    Returns:
        A handle whose ``remove()`` unregisters the hook.

    Example:
        >>> from torch.nn.modules.module import register_module_full_backward_pre_hook
        >>> handle = register_module_full_backward_pre_hook(lambda module, outputs: print(outputs))
        >>> nn.ReLU()(torch.ones(1, requires_grad=True)).backward()
        (tensor([1.]),)
        >>> handle.remove()
    """
    return add_hook(_global_backward_pre_hooks, hook)


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


class Hooks:
    """Mixin of Module that registers hooks and runs them around a call."""

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Register a hook that runs before forward().

        Args:
            hook: Called as ``hook(module, args)``. A result other than None replaces the arguments.
            prepend: If True, run the hook before the ones already registered.
            with_kwargs: If True, call ``hook(module, args, kwargs)``, which returns None or a new
                pair ``(args, kwargs)``.

        Returns:
            A handle whose ``remove()`` unregisters the hook.

        Example:
            >>> module = nn.ReLU()
            >>> handle = module.register_forward_pre_hook(lambda module, args: (-args[0],))
            >>> module(torch.tensor([-1.0, 2.0]))
            tensor([1., 0.])
        """
        options = [self._forward_pre_hooks_with_kwargs]
        handle = add_hook(self._forward_pre_hooks, hook, options, prepend=prepend)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return handle

    def register_forward_hook(
        self,
        hook: Hook,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Register a hook that runs after forward().

        Args:
            hook: Called as ``hook(module, args, output)``. A result other than None replaces the
                output.
            prepend: If True, run the hook before the ones already registered.
            with_kwargs: If True, call ``hook(module, args, kwargs, output)``.
            always_call: If True, run the hook even if forward() raises.

        Returns:
            A handle whose ``remove()`` unregisters the hook.

        Example:
            >>> module = nn.Linear(3, 2)
            >>> handle = module.register_forward_hook(
            ...     lambda module, args, output: print(output.shape)
            ... )
            >>> result = module(torch.ones(4, 3))
            torch.Size([4, 2])
        """
        options = [self._forward_hooks_with_kwargs, self._forward_hooks_always_called]
        handle = add_hook(self._forward_hooks, hook, options, prepend=prepend)
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        return handle

    def _register_backward(self, hook: Hook, full: bool, prepend: bool) -> RemovableHandle:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(_MIXED)
        self._is_full_backward_hook = full
        return add_hook(self._backward_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """Register a legacy backward hook, which sees only the gradients of the last operator.

        Prefer register_full_backward_hook().

        Args:
            hook: Called as ``hook(module, grad_input, grad_output)``. A result other than None
                replaces `grad_input`.

        Returns:
            A handle whose ``remove()`` unregisters the hook.

        Raises:
            RuntimeError: If a full backward hook is registered.
        """
        return self._register_backward(hook, False, False)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Register a hook that runs when the gradients of the module's inputs are known.

        Args:
            hook: Called as ``hook(module, grad_input, grad_output)``. A result other than None
                replaces `grad_input`.
            prepend: If True, run the hook before the ones already registered.

        Returns:
            A handle whose ``remove()`` unregisters the hook.

        Raises:
            RuntimeError: If a legacy backward hook is registered.

        Example:
            >>> module = nn.ReLU()
            >>> handle = module.register_full_backward_hook(
            ...     lambda module, grad_input, grad_output: print(grad_input)
            ... )
            >>> module(torch.tensor([1.0], requires_grad=True)).backward()
            (tensor([1.]),)
        """
        return self._register_backward(hook, True, prepend)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Register a hook that runs at the start of the module's backward pass.

        Args:
            hook: Called as ``hook(module, grad_output)``. A result other than None replaces
                `grad_output`.
            prepend: If True, run the hook before the ones already registered.

        Returns:
            A handle whose ``remove()`` unregisters the hook.
        """
        return add_hook(self._backward_pre_hooks, hook, prepend=prepend)

    # ---- a call with hooks
    def _backward_hook_lists(self) -> tuple[list[Hook], list[Hook], list[Hook]]:
        """Return the full, legacy and pre-backward hooks, global ones first."""
        full: list[Hook] = []
        legacy: list[Hook] = []
        if _global_is_full_backward_hook is not None:
            (full if _global_is_full_backward_hook else legacy).extend(
                _global_backward_hooks.values()
            )
        if self._is_full_backward_hook is not None:
            (full if self._is_full_backward_hook else legacy).extend(self._backward_hooks.values())
        before = [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]
        return full, legacy, before

    def _run_pre_hooks(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        hooks = [*_global_forward_pre_hooks.items(), *self._forward_pre_hooks.items()]
        for identifier, hook in hooks:
            if identifier in self._forward_pre_hooks_with_kwargs:
                result = hook(self, args, kwargs)
                if result is None:
                    continue
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                        f"but got {result}."
                    )
                args, kwargs = result
            else:
                result = hook(self, args)
                if result is not None:
                    args = _as_tuple(result)
        return args, kwargs

    def _forward_hook_items(self) -> list[tuple[int, Hook, bool, bool]]:
        """Return each forward hook's id, function and two flags, global hooks first."""
        tables = (
            (
                _global_forward_hooks,
                _global_forward_hooks_with_kwargs,
                _global_forward_hooks_always_called,
            ),
            (
                self._forward_hooks,
                self._forward_hooks_with_kwargs,
                self._forward_hooks_always_called,
            ),
        )
        return [
            (identifier, hook, identifier in with_kwargs, identifier in always)
            for hooks, with_kwargs, always in tables
            for identifier, hook in hooks.items()
        ]

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        full, legacy, before_backward = self._backward_hook_lists()
        called: set[int] = set()
        result: Any = None
        try:
            args, kwargs = self._run_pre_hooks(args, kwargs)
            backward: BackwardHook | None = None
            if full or before_backward:
                backward = BackwardHook(self, full, before_backward)
                args = backward.setup_input_hook(args)
            result = self.forward(*args, **kwargs)
            for identifier, hook, takes_kwargs, _ in self._forward_hook_items():
                called.add(identifier)
                replaced = (
                    hook(self, args, kwargs, result) if takes_kwargs else hook(self, args, result)
                )
                if replaced is not None:
                    result = replaced
            if backward is not None:
                if not isinstance(result, (Tensor, tuple)):
                    warnings.warn(
                        "For backward hooks to be called, module output should be a Tensor or a "
                        f"tuple of Tensors but received {type(result)}",
                        stacklevel=3,
                    )
                result = backward.setup_output_hook(result)
            if legacy:
                self._attach_legacy_hooks(legacy, args, result)
        except Exception:
            self._run_remaining_hooks(called, args, kwargs, result)
            raise
        return result

    def _run_remaining_hooks(
        self, called: set[int], args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> None:
        """Run the always-called hooks that an exception skipped. Their errors become warnings."""
        for identifier, hook, takes_kwargs, always in self._forward_hook_items():
            if not always or identifier in called:
                continue
            try:
                hook(self, args, kwargs, result) if takes_kwargs else hook(self, args, result)
            except Exception as error:
                warnings.warn(
                    "module forward hook with ``always_call=True`` raised an exception that was "
                    f"silenced as another error was raised in forward: {error}",
                    stacklevel=4,
                )

    def _attach_legacy_hooks(self, hooks: list[Hook], args: tuple[Any, ...], result: Any) -> None:
        """Attach legacy backward hooks to the node that computed the first output."""
        output = result
        while not isinstance(output, Tensor):
            output = next(iter(output.values())) if isinstance(output, dict) else output[0]
        node = output.grad_fn
        if node is None:
            return
        for hook in hooks:
            node.register_hook(functools.partial(hook, self))
        _warn_about_legacy_hooks(args, result, node)


def _warn_about_legacy_hooks(args: tuple[Any, ...], result: Any, node: Any) -> None:
    """Warn that legacy hooks miss gradients, unless the module is a single operator."""
    outputs = _as_tuple(result)
    created = {item.grad_fn for item in outputs if isinstance(item, Tensor)} - {None}
    needed = {item.grad_fn for item in args if isinstance(item, Tensor)} - {None}
    where, missing = "hooks on a Module that does not", "grad_input"
    if not all(isinstance(item, Tensor) for item in outputs):
        problem = f"{where} return a single Tensor or a tuple of Tensors"
        missing = "of the grad_output"
    elif not all(isinstance(item, Tensor) for item in args):
        problem = f"{where} take as input a single Tensor or a tuple of Tensors"
        missing = "of the grad_input"
    elif len(created) > 1:
        problem = "a hook when outputs are generated by different autograd Nodes"
        missing = "grad_output"
    elif needed != {function for function, _ in node.next_functions}:
        problem = "a hook when the forward contains multiple autograd Nodes"
    else:
        return
    article = "a " if problem.startswith("a ") else ""
    warnings.warn(
        f"Using {article}non-full backward {problem.removeprefix('a ')} is deprecated and will be "
        f"removed in future versions. This hook will be missing some {missing}. Please use "
        "register_full_backward_hook to get the documented behavior.",
        FutureWarning,
        stacklevel=5,
    )


class bind_with_module:
    """A hook with its module bound weakly, which avoids a reference cycle.

    Copies and pickles of the module bind its hooks to the copy.
    """

    def __init__(self, hook: Hook, module: Module) -> None:
        functools.update_wrapper(self, hook, assigned=("__name__", "__doc__"), updated=())
        self.hook = hook
        self.module = weakref.ref(module)

    def __call__(self, *args: Any) -> Any:
        owner = self.module()
        if owner is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(owner, *args)

    def __getstate__(self) -> tuple[Hook, Module | None]:
        return self.hook, self.module()

    def __setstate__(self, state: tuple[Hook, Module]) -> None:
        self.__init__(*state)  # type: ignore[misc]


def global_hooks_exist() -> bool:
    """Return whether any hook of all modules is registered."""
    return bool(
        _global_forward_pre_hooks
        or _global_forward_hooks
        or _global_backward_pre_hooks
        or _global_backward_hooks
    )
