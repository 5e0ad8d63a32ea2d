"""Controls of torch.compile. Functions run eagerly in this build, so most of them change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch import _eager_compile
from torch._absent import answering as _answering
from torch._eager_compile import get_default_backend as get_default_backend
from torch._eager_compile import set_default_backend as set_default_backend
from torch.compiler import config

if TYPE_CHECKING:  # these names are made below, or at their first use
    from torch._C._late_compiler import *  # noqa: F403

_MODULE = "torch.compiler"


def compile(*args: Any, **kwargs: Any) -> Any:
    """Call `torch.compile`.

    Example:
        >>> torch.compiler.compile(torch.neg, backend="eager")(torch.ones(1))
        tensor([-1.])
    """
    return _eager_compile.compile(*args, **kwargs)


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Return a function unchanged, since none is compiled; without one, return a decorator.

    Example:
        >>> @torch.compiler.disable
        ... def double(x):
        ...     return 2 * x
        >>> double(torch.ones(1))
        tensor([2.])
    """
    return Decorator() if fn is None else fn


class Decorator:
    """A decorator and context manager that changes nothing.

    Example:
        >>> with torch.compiler.disable():  # doctest: +SKIP
        ...     pass
    """

    def __call__(self, fn: Any) -> Any:
        """Return the function unchanged."""
        return fn

    def __enter__(self) -> Decorator:
        return self

    def __exit__(self, *error: Any) -> None:
        pass


def _unchanged(name: str, text: str) -> Any:
    def mark(fn: Any, *args: Any, **kwargs: Any) -> Any:
        return fn

    mark.__name__ = mark.__qualname__ = name
    mark.__doc__ = (
        f"{text}\n\nExample:\n    >>> torch.compiler.{name}(len)([1, 2])  # doctest: +SKIP\n    2\n"
    )
    return mark


allow_in_graph = _unchanged("allow_in_graph", "Return a function as it is.")
assume_constant_result = _unchanged("assume_constant_result", "Return a function as it is.")
wrap_numpy = _unchanged("wrap_numpy", "Return a function of NumPy arrays as it is.")


def nested_compile_region(fn: Any = None, **options: Any) -> Any:
    """Return a function unchanged; without one, return a decorator.

    Example:
        >>> @torch.compiler.nested_compile_region
        ... def block(x):
        ...     return 2 * x
    """
    return Decorator() if fn is None else fn


def substitute_in_graph(original_fn: Any, **options: Any) -> Any:
    """Return a decorator that does not change a function, since no graph is made.

    Example:
        >>> @torch.compiler.substitute_in_graph(len, skip_signature_check=True)  # doctest: +SKIP
        ... def count(items):
        ...     return sum(1 for _ in items)
    """
    return lambda fn: fn


class set_stance(Decorator):
    """Function, decorator and context manager that says what to compile; nothing is.

    Args:
        stance: Such as "default" or "force_eager".

    Example:
        >>> with torch.compiler.set_stance("force_eager"):
        ...     pass
    """

    def __init__(self, stance: str = "default", **options: Any) -> None:
        self.stance = stance


def skip_all_guards_unsafe(guard_entries: Any) -> list[bool]:
    """Return False for each guard: a filter for torch.compile that keeps none.

    Example:
        >>> torch.compiler.skip_all_guards_unsafe([object()])
        [False]
    """
    return [False for _ in guard_entries]


def skip_guard_on_globals_unsafe(guard_entries: Any) -> list[bool]:
    """Return for each guard whether it is not about a global variable.

    Example:
        >>> from types import SimpleNamespace as Guard
        >>> torch.compiler.skip_guard_on_globals_unsafe([Guard(is_global=True)])
        [False]
    """
    return [not entry.is_global for entry in guard_entries]


_PORTABLE_GUARDS = ("GLOBAL_STATE", "SHAPE_ENV", "TENSOR_MATCH")


def keep_portable_guards_unsafe(guard_entries: Any) -> list[bool]:
    """Return for each guard whether it is about tensors, sizes or global settings.

    Example:
        >>> from types import SimpleNamespace as Guard
        >>> torch.compiler.keep_portable_guards_unsafe([Guard(guard_type="SHAPE_ENV")])
        [True]
    """
    return [entry.guard_type in _PORTABLE_GUARDS for entry in guard_entries]


def keep_tensor_guards_unsafe(guard_entries: Any, keep_parameters: bool = False) -> list[bool]:
    """Return for each guard whether it is about a tensor.

    Args:
        guard_entries: The guards.
        keep_parameters: Whether to count parameters as tensors.

    Example:
        >>> from types import SimpleNamespace as Guard
        >>> guards = [Guard(guard_type="TENSOR_MATCH", value=torch.ones(1))]
        >>> torch.compiler.keep_tensor_guards_unsafe(guards)
        [True]
    """
    from torch.nn.parameter import Parameter

    return [
        entry.guard_type == "TENSOR_MATCH"
        and (keep_parameters or not isinstance(entry.value, Parameter))
        for entry in guard_entries
    ]


def skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries: Any) -> list[bool]:
    """Return for each guard whether it is about anything but a module of torch.nn.

    Example:
        >>> torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe([])
        []
    """
    return [
        not entry.orig_guard.source.is_unspecialized_builtin_nn_module() for entry in guard_entries
    ]


def skip_guard_on_all_nn_modules_unsafe(guard_entries: Any) -> list[bool]:
    """Return for each guard whether it is about anything but a module.

    Example:
        >>> torch.compiler.skip_guard_on_all_nn_modules_unsafe([])
        []
    """
    return [not entry.orig_guard.source.is_unspecialized_nn_module() for entry in guard_entries]


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """Return the names of the back ends that torch.compile uses.

    Example:
        >>> torch.compiler.list_backends()  # doctest: +SKIP
        ['eager']
    """
    return ["eager"]


globals().update(
    _answering(
        _MODULE,
        {
            "cudagraph_mark_step_begin": None,
            "is_compiling": False,
            "is_dynamo_compiling": False,
            "is_exporting": False,
            "load_cache_artifacts": None,
            "reset": None,
            "save_cache_artifacts": None,
            "set_enable_guard_collectives": False,
        },
        "compiler",
    )
)
