"""Functions, methods and classes that a trace records as one node, and the patches that do so."""

from __future__ import annotations

import builtins
import functools
import inspect
from collections.abc import Callable
from typing import Any

from torch.fx.proxy import Proxy


class PHBase:
    """In concrete_args: a leaf that stays an input."""

    def __repr__(self) -> str:
        return "PH"


class PHWithMeta(PHBase):
    """Stands for an input that is not fixed, and names it: its node has the attribute `ph_key`.

    Example:
        >>> from torch.fx._symbolic_trace import PHWithMeta
        >>> PHWithMeta("tokens").ph_key
        'tokens'
    """

    def __init__(self, ph_key: str | None = None) -> None:
        super().__init__()
        self.ph_key = ph_key


PH = PHBase()
_PATCHED = "__fx_already_patched"
_is_fx_tracing_flag = False
_wrapped_fns: dict[tuple[int, str], dict[str, Any]] = {}
_wrapped_methods: list[tuple[type, str]] = []


def is_fx_tracing() -> bool:
    """Return whether a module is being traced."""
    return _is_fx_tracing_flag


class ProxyableClassMeta(type):
    """Make the construction of a class a node when an argument is a proxy.

    Example:
        >>> import torch.fx
        >>> class Pair(metaclass=torch.fx.ProxyableClassMeta):
        ...     def __init__(self, left, right):
        ...         self.left, self.right = left, right
        >>> Pair(1, 2).right
        2
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        instance = cls.__new__(cls)  # type: ignore[call-overload]
        if not is_fx_tracing():
            instance.__init__(*args, **kwargs)
            return instance
        found = _proxies_in((args, kwargs))
        if found:
            return found[0].tracer.create_proxy("call_function", cls, args, kwargs)
        instance.__init__(*args, **kwargs)
        return instance


def _proxies_in(value: Any) -> list[Proxy]:
    if isinstance(value, Proxy):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [proxy for item in value for proxy in _proxies_in(item)]
    return []


def _recording(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that becomes a node if an argument is a proxy."""

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        found = _proxies_in((args, kwargs))
        if not found:
            return original(*args, **kwargs)
        made = found[0].tracer.create_proxy("call_function", original, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    setattr(wrapped, _PATCHED, True)
    return wrapped


def _recording_method(cls: type, name: str) -> Callable[..., Any]:
    original = getattr(cls, name)

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        found = _proxies_in((args, kwargs))
        if not found:
            return original(*args, **kwargs)
        return found[0].tracer.create_proxy("call_method", name, args, kwargs)

    return wrapped


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """Record calls of a function as one node instead of tracing into it.

    Call it where the function is defined, at the level of the module; it is also a decorator.

    Args:
        fn_or_name: The function, or the name of a function that is a global or a builtin.

    Raises:
        RuntimeError: If it is neither, or if it is called inside a function.

    Example:
        >>> import torch.fx
        >>> torch.fx.wrap("len")
        'len'
        >>> [node.name for node in torch.fx.symbolic_trace(lambda x: x * len(x)).graph.nodes]
        ['x', 'len_1', 'mul', 'output']
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(
            "Unsupported type for global function! Must be either a callable or string name"
        )
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = inspect.currentframe()
    caller = frame.f_back if frame is not None else None
    if caller is None or caller.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_fns[(id(caller.f_globals), name)] = caller.f_globals
    return fn_or_name


class _Patcher:
    """Replaces attributes and globals, and restores them at the end of a block."""

    def __init__(self) -> None:
        self.restore: list[Callable[[], None]] = []
        self.visited: set[int] = set()

    def patch(self, frame: dict[str, Any], name: str, new: Callable[..., Any]) -> None:
        """Replace a global."""
        setattr(new, _PATCHED, True)
        if name in frame:
            old = frame[name]
            self.restore.append(lambda: frame.__setitem__(name, old))
        else:
            self.restore.append(lambda: frame.__delitem__(name))
        frame[name] = new

    def patch_method(
        self, cls: type, name: str, new: Callable[..., Any], deduplicate: bool = True
    ) -> None:
        """Replace a method, unless it was replaced with `deduplicate` before."""
        old = getattr(cls, name)
        if getattr(old, _PATCHED, False):
            return
        setattr(new, _PATCHED, deduplicate)
        self.restore.append(lambda: setattr(cls, name, old))
        setattr(cls, name, new)

    def visit_once(self, thing: Any) -> bool:
        """Return whether this is the first visit."""
        first = id(thing) not in self.visited
        self.visited.add(id(thing))
        return first

    def __enter__(self) -> _Patcher:
        return self

    def __exit__(self, *error: object) -> None:
        for undo in reversed(self.restore):
            undo()


def _patch_wrapped_functions(patcher: _Patcher) -> None:
    for (_, name), frame in dict(_wrapped_fns).items():
        original = frame[name] if name in frame else getattr(builtins, name)
        patcher.patch(frame, name, _recording(name, original))
    for cls, name in _wrapped_methods:
        patcher.patch_method(cls, name, _recording_method(cls, name))


def _autowrap_check(patcher: _Patcher, frame: dict[str, Any], function_ids: set[int]) -> None:
    """Record calls of certain functions in a namespace that the trace has reached."""
    if not patcher.visit_once(frame):
        return
    for name, value in list(frame.items()):
        if name.startswith("_") or not callable(value) or id(value) not in function_ids:
            continue
        if not getattr(value, _PATCHED, False):
            patcher.patch(frame, name, _recording(name, value))
