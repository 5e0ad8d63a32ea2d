"""The hooks of a module, and those of all modules: their registration, and how a call runs them."""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.utils.hooks import BackwardHook, RemovableHandle

if TYPE_CHECKING:
    from torch.nn.modules.module import Module

Hook = Callable[..., Any]

# Hooks of every module, by handle id. `full_backward` is None until a first backward hook decides.
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


def _register(
    hooks: OrderedDict[int, Hook], hook: Hook, extra: list[Any], prepend: bool = False
) -> RemovableHandle:
    handle = RemovableHandle(hooks, extra_dict=extra)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Runs hook(module, args) before every module's forward."""
    return _register(_global_forward_pre_hooks, hook, [])


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Runs hook(module, args, output) after every module's forward."""
    extra = [_global_forward_hooks_with_kwargs, _global_forward_hooks_always_called]
    handle = _register(_global_forward_hooks, hook, extra)
    if with_kwargs:
        _global_forward_hooks_with_kwargs[handle.id] = True
    if always_call:
        _global_forward_hooks_always_called[handle.id] = True
    return handle


def _register_global_backward(hook: Hook, full: bool) -> RemovableHandle:
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is (not full):
        raise RuntimeError(_MIXED_GLOBAL)
    _global_is_full_backward_hook = full
    return _register(_global_backward_hooks, hook, [])


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """The old form of register_module_full_backward_hook."""
    return _register_global_backward(hook, False)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Runs hook(module, grad_input, grad_output) when the gradients of any module are known."""
    return _register_global_backward(hook, True)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Runs hook(module, grad_output) before any module's backward."""
    return _register(_global_backward_pre_hooks, hook, [])


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


class Hooks:
    """The hook tables of one module."""

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Runs hook(module, args) before forward; what it returns replaces args.

        With `with_kwargs`, hook(module, args, kwargs) returns None or (args, kwargs).
        """
        extra = [self._forward_pre_hooks_with_kwargs]
        handle = _register(self._forward_pre_hooks, hook, extra, prepend)
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
        """Runs hook(module, args, output) after forward; what it returns replaces output.

        With `always_call` it runs when forward raised, too.
        """
        extra = [self._forward_hooks_with_kwargs, self._forward_hooks_always_called]
        handle = _register(self._forward_hooks, hook, extra, prepend)
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        return handle

    def _register_backward(self, hook: Hook, full: bool, prepend: bool) -> RemovableHandle:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(_MIXED)
        self._is_full_backward_hook = full
        return _register(self._backward_hooks, hook, [], prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """The old form of register_full_backward_hook: sees the last operator's gradients only."""
        return self._register_backward(hook, False, False)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Runs hook(module, grad_input, grad_output) when the input gradients are known.

        What it returns replaces grad_input.
        """
        return self._register_backward(hook, True, prepend)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Runs hook(module, grad_output) first; what it returns replaces grad_output."""
        return _register(self._backward_pre_hooks, hook, [], prepend)

    # ---- a call with hooks
    def _backward_hook_lists(self) -> tuple[list[Hook], list[Hook], list[Hook]]:
        """Full hooks, old-style hooks and pre-hooks of backward, global ones first."""
        full: list[Hook] = []
        old: list[Hook] = []
        if _global_is_full_backward_hook is not None:
            (full if _global_is_full_backward_hook else old).extend(_global_backward_hooks.values())
        if self._is_full_backward_hook is not None:
            (full if self._is_full_backward_hook else old).extend(self._backward_hooks.values())
        before = [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]
        return full, old, before

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
        """Id, hook, whether it takes kwargs, whether it always runs; global ones first."""
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
        full, old, before_backward = self._backward_hook_lists()
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
            if old:
                self._attach_old_hooks(old, args, result)
        except Exception:
            self._run_remaining_hooks(called, args, kwargs, result)
            raise
        return result

    def _run_remaining_hooks(
        self, called: set[int], args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> None:
        """The always-called hooks that an exception skipped; theirs become warnings."""
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

    def _attach_old_hooks(self, hooks: list[Hook], args: tuple[Any, ...], result: Any) -> None:
        """Old-style backward hooks belong to the node that made the first output."""
        output = result
        while not isinstance(output, Tensor):
            output = next(iter(output.values())) if isinstance(output, dict) else output[0]
        node = output.grad_fn
        if node is None:
            return
        for hook in hooks:
            node.register_hook(functools.partial(hook, self))
        _warn_about_old_hooks(args, result, node)


def _warn_about_old_hooks(args: tuple[Any, ...], result: Any, node: Any) -> None:
    """Old hooks see all gradients only of a module that is one operator of its arguments."""
    advice = "Please use register_full_backward_hook to get the documented behavior."
    outputs = _as_tuple(result)
    if not all(isinstance(item, Tensor) for item in (*args, *outputs)):
        problem = "does not take as input a single Tensor or a tuple of Tensors"
    elif len({item.grad_fn for item in outputs if item.grad_fn is not None}) > 1:
        problem = "has outputs that are generated by different autograd Nodes"
    else:
        wanted = {item.grad_fn for item in args if item.grad_fn is not None}
        have = {function for function, _ in node.next_functions if function is not None}
        if wanted <= have:
            return
        problem = "does multiple autograd operations in its forward"
    warnings.warn(
        f"Using a non-full backward hook on a Module that {problem} is deprecated and will be "
        f"removed in future versions. This hook will be missing some grad_input. {advice}",
        FutureWarning,
        stacklevel=5,
    )


def bind_with_module(hook: Hook, module: Module) -> Hook:
    """hook(module, ...), holding the module weakly: a hook kept by its module makes no cycle."""
    import weakref

    reference = weakref.ref(module)

    @functools.wraps(hook, assigned=("__name__", "__doc__"), updated=())
    def bound(*args: Any) -> Any:
        owner = reference()
        if owner is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return hook(owner, *args)

    return bound


def global_hooks_exist() -> bool:
    """Whether any hook of all modules is registered."""
    return bool(
        _global_forward_pre_hooks
        or _global_forward_hooks
        or _global_backward_pre_hooks
        or _global_backward_hooks
    )
