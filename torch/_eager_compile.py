"""torch.compile without a compiler: it checks its arguments and runs functions eagerly."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from torch.nn.modules.module import Module

# The back ends of PyTorch, which run eagerly here, after one note.
_KNOWN_BACKENDS = frozenset(
    (
        "aot_eager",
        "aot_eager_decomp_partition",
        "aot_ts",
        "cudagraphs",
        "eager_noexcept",
        "inductor",
        "onnxrt",
        "openxla",
        "tensorrt",
        "tvm",
    )
)
_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
_noted = False


class InvalidBackend(RuntimeError):
    """The name of a back end of torch.compile that does not exist."""


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    **further: Any,
) -> Any:
    """Return a function that runs another one eagerly, or a module that wraps another one.

    This build has no compiler: "eager" is its only back end. With another one, or by default, the
    first call of a process gives a warning.

    Args:
        model: The function or module; None makes a decorator.
        fullgraph: Accepted for compatibility.
        dynamic: Accepted for compatibility.
        backend: The name of a back end of PyTorch, or a function.
        mode: "default", "reduce-overhead", "max-autotune", or with "-no-cudagraphs".
        options: Settings of the back end.
        name: Accepted for compatibility.
        disable: Whether to return `model` itself.
        **further: Accepted for compatibility.

    Raises:
        RuntimeError: For an unknown back end or mode, or for both a mode and options.

    Example:
        >>> @torch.compile(backend="eager")
        ... def double(x):
        ...     return 2 * x
        >>> double(torch.ones(2))
        tensor([2., 2.])
    """
    if model is None:
        return functools.partial(
            compile,
            fullgraph=fullgraph,
            dynamic=dynamic,
            backend=backend,
            mode=mode,
            options=options,
            name=name,
            disable=disable,
            **further,
        )
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    chosen = backend or get_default_backend()
    _check(chosen, mode)
    if disable:
        return model
    if chosen != "eager":
        _note(chosen)
    if isinstance(model, type):
        return model
    return OptimizedModule(model) if isinstance(model, Module) else _wrap(model)


def _check(backend: Any, mode: str | None) -> None:
    if isinstance(backend, str) and backend != "eager" and backend not in _KNOWN_BACKENDS:
        raise InvalidBackend(
            f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available "
            "backends."
        )
    if backend == "inductor" and mode is not None and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")


def _note(backend: Any) -> None:
    global _noted
    if not _noted:
        _noted = True
        name = repr(backend) if isinstance(backend, str) else getattr(backend, "__name__", backend)
        warnings.warn(
            f"torch.compile: this build has no compiler, so the back end {name} is not used and "
            'functions run eagerly. Pass backend="eager" to silence this note.',
            stacklevel=3,
        )


def _wrap(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def run_eagerly(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    run_eagerly._torchdynamo_orig_callable = function
    return run_eagerly


class OptimizedModule(Module):
    """The result of torch.compile for a module: it calls the module, and shows its attributes.

    Example:
        >>> compiled = torch.compile(nn.Linear(2, 1), backend="eager")
        >>> list(compiled.state_dict())
        ['_orig_mod.weight', '_orig_mod.bias']
        >>> compiled.out_features
        1
    """

    def __init__(self, mod: Module, dynamo_ctx: Any = None) -> None:
        super().__init__()
        self._orig_mod = mod
        self.__dict__["training"] = mod.training

    def __getattr__(self, name: str) -> Any:
        modules = self.__dict__.get("_modules", {})
        return modules[name] if name in modules else getattr(modules["_orig_mod"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_orig_mod", "_forward_hooks") or "_orig_mod" not in self._modules:
            super().__setattr__(name, value)
        elif name == "training":
            self.__dict__[name] = value
        else:
            setattr(self._orig_mod, name, value)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module."""
        return self._orig_mod(*args, **kwargs)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._orig_mod)})


_default_backend: Any = None


def get_default_backend() -> Any:
    """Return the back end that torch.compile uses by default.

    Example:
        >>> torch.compiler.get_default_backend()
        'inductor'
    """
    return _default_backend or "inductor"


def set_default_backend(backend: Any) -> None:
    """Set the back end that torch.compile uses by default.

    Args:
        backend: The name of a back end, a function, or None for PyTorch's default.

    Example:
        >>> torch.compiler.set_default_backend("eager")
        >>> torch.compiler.get_default_backend()
        'eager'
        >>> torch.compiler.set_default_backend(None)
    """
    global _default_backend
    _default_backend = backend
