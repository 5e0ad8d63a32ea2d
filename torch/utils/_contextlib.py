"""Context managers that also decorate functions and generators."""

import warnings

TYPE_CHECKING = False  # `import torch` does not pay for typing
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self, TypeVar, overload

    _Function = TypeVar("_Function", bound=Callable[..., Any])

_GENERATOR = 0x20  # inspect.CO_GENERATOR; importing inspect costs more than this file


def _is_generator_function(function):
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & _GENERATOR)


def _wrap_generator(make_context, function):
    """Wrap a generator function so that its body runs inside the context, but not its caller."""
    from functools import wraps

    @wraps(function)
    def generator(*args, **kwargs):
        inner = function(*args, **kwargs)
        resume, argument = inner.send, None
        while True:
            try:
                with make_context():
                    produced = resume(argument)
            except StopIteration as stop:
                return stop.value
            try:
                argument = yield produced
                resume = inner.send
            except GeneratorExit:
                with make_context():
                    inner.close()
                raise
            except BaseException as error:
                resume, argument = inner.throw, error

    return generator


def context_decorator(ctx, func):
    """Wrap a function so that each call, and each step of a generator, runs inside a context.

    Args:
        ctx: A context manager that can be entered again and again, or a function that makes one.
        func: The function, or generator function.

    Raises:
        AssertionError: If `ctx` is both a context manager and a function.
        RuntimeError: For a class.
    """
    is_manager = hasattr(ctx, "__enter__")
    if callable(ctx) and is_manager:
        raise AssertionError(
            f"Passed in {ctx} is both callable and also a valid context manager (has __enter__), "
            "making it ambiguous which interface to use.  If you intended to pass a context manager "
            "factory, rewrite your call as context_decorator(lambda: ctx()); if you intended to pass "
            "a context manager directly, rewrite your call as context_decorator(lambda: ctx)"
        )
    make_context = ctx if callable(ctx) else lambda: ctx
    if isinstance(func, type):
        raise RuntimeError(
            "Cannot decorate classes; it is ambiguous whether or not only the constructor or all "
            "methods should have the context manager applied; additionally, decorating a class at "
            "definition-site will prevent use of the identifier as a conventional type.  To specify "
            "which methods to decorate, decorate each of them individually."
        )
    if _is_generator_function(func):
        return _wrap_generator(make_context, func)

    from functools import wraps

    @wraps(func)
    def decorated(*args, **kwargs):
        with make_context():
            return func(*args, **kwargs)

    return decorated


class _DecoratorContextManager:
    """A context manager that is also a decorator; each call of the function enters a clone."""

    def __call__(self, orig_func: "_Function") -> "_Function":
        """Decorate a function or a generator function."""
        if isinstance(orig_func, type):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You "
                "should only decorate functions or methods. To preserve the current behavior of "
                "class decoration, you can directly decorate the `__init__` method and nothing "
                "else.",
                FutureWarning,
                stacklevel=2,
            )
            return context_decorator(self.clone, lambda *args, **kwargs: orig_func(*args, **kwargs))
        return context_decorator(self.clone, orig_func)

    def clone(self):
        """Return a new context manager like this one."""
        return type(self)()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """A context manager without parameters, which decorates with or without parentheses."""

    if TYPE_CHECKING:

        @overload
        def __new__(cls, orig_func: _Function) -> _Function: ...  # type: ignore[misc]
        @overload
        def __new__(cls, orig_func: None = None) -> Self: ...

    def __new__(cls, orig_func=None):
        """Create a context manager, or decorate `orig_func`."""
        self = super().__new__(cls)
        return self if orig_func is None else self(orig_func)
