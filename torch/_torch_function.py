"""Calls of `__torch_function__`, and modes; `torch.overrides` has what users call of it.

Every module with functions that can be overridden imports this one, so it knows none of them.
"""

from torch import _C

has_torch_function = _C._has_torch_function
has_torch_function_unary = _C._has_torch_function_unary
has_torch_function_variadic = _C._has_torch_function_variadic


def implementing_name(func):
    """Return the name of the function that computes `func`: `sigmoid` for torch.special.expit."""
    return getattr(getattr(func, "__wrapped__", func), "__name__", "")


def _declined(name, handler, modes, types):
    lines = [f"  - mode object {mode!r}" for mode in modes[-1:]]
    lines += [f"  - tensor subclass {kind!r}" for kind in types]
    return (
        f"Multiple dispatch failed for '{name}'; all {handler} handlers returned NotImplemented:"
        + "\n\n"
        + "\n".join(lines)
        + "\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


def _function_modes():
    return [_C._get_function_stack_at(i) for i in range(_C._len_torch_function_stack())]


def _describe_declined_function(function, types):
    """Return the message for a function written in C++ that no `__torch_function__` computes."""
    name, owner = function.__name__, getattr(function, "__self__", None)
    if owner is None and hasattr(function, "__objclass__"):
        place = "torch.Tensor"
    elif hasattr(owner, "__objclass__"):  # a property's __get__
        place = f"torch.Tensor.{owner.__name__}"
    else:
        module = getattr(function, "__module__", None) or ""
        place = "torch." + module[10:] if module.startswith("torch._C._") else "torch"
    return _declined(f"{place}.{name}", "__torch_function__", _function_modes(), types)


def _describe_declined_python_function(function, types):
    """Return the message for a function written in Python that no `__torch_function__` computes."""
    name = f"{function.__module__}.{getattr(function, '__name__', function)}"
    modes = "".join(f" nor in mode {mode!r}" for mode in _function_modes()[-1:])
    return (
        f"no implementation found for '{name}' on types that implement __torch_function__: "
        f"{list(types)}{modes}"
    )


def _describe_declined_operator(operator, types):
    """Return the message for an operator that no `__torch_dispatch__` computes."""
    modes = [_C._get_dispatch_stack_at(i) for i in range(_C._len_torch_dispatch_stack())]
    return _declined(f"torch._ops.{operator}", "__torch_dispatch__", modes, types)


def redispatch_function(func, types, args, kwargs):
    """Run a function itself, while the calls that it makes are still overridden.

    A `__torch_function__` that gets a function written in Python can so see what it does.

    Args:
        func: The function that `__torch_function__` got.
        types: The types that it got.
        args: The positional arguments.
        kwargs: The keyword arguments, or None.

    Example:
        >>> class Logged(torch.Tensor):
        ...     @classmethod
        ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
        ...         print(torch.overrides.resolve_name(func))
        ...         return torch.overrides.redispatch_function(func, types, args, kwargs)
        >>> result = torch.nn.functional.relu(torch.ones(1).as_subclass(Logged))  # doctest: +SKIP
        torch.nn.functional.relu
        torch.relu
    """
    kwargs = kwargs or {}
    if hasattr(func, "__code__"):
        from torch._unchecked_functions import without_checks

        return without_checks(func)(*args, **kwargs)
    with _C.DisableTorchFunctionSubclass():
        return func(*args, **kwargs)


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Call the active mode, then the `__torch_function__` of the arguments, until one answers.

    An argument of a subclass precedes arguments of its base classes; otherwise the order is that
    of `relevant_args`.

    Args:
        public_api: The public function that was called.
        relevant_args: The arguments that may override it.
        *args: The positional arguments of the call.
        **kwargs: The keyword arguments of the call.

    Returns:
        The first result that is not NotImplemented.

    Raises:
        TypeError: If all decline.

    Example:
        >>> from torch.overrides import handle_torch_function, has_torch_function_unary
        >>> class Answer:
        ...     @classmethod
        ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
        ...         return f"{func.__name__} of an Answer"
        >>> def double(x):
        ...     if has_torch_function_unary(x):
        ...         return handle_torch_function(double, (x,), x)
        ...     return x * 2
        >>> double(Answer())
        'double of an Answer'
    """
    return _C._call_torch_function(public_api, relevant_args, args, kwargs)


def _get_overloaded_args(relevant_args, get_type_fn=None):
    """Return the arguments that override calls, in the order in which they are asked."""
    return _C._overloaded_args(relevant_args)


def wrap_torch_function(dispatcher):
    """Make a function respect the overrides of its arguments.

    Args:
        dispatcher: A function with the same parameters, which returns the arguments that may
            override the call.

    Returns:
        A decorator.

    Example:
        >>> @torch.overrides.wrap_torch_function(lambda x: (x,))
        ... def double(x):
        ...     return x * 2
        >>> double(torch.ones(1))
        tensor([2.])
    """
    import functools

    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def overridable_method(function):
    """Return a method of torch.Tensor that asks `__torch_function__`, then calls a function."""

    def method(*args, **kwargs):
        relevant = (*args, *kwargs.values())
        if has_torch_function(relevant):
            return handle_torch_function(method, relevant, *args, **kwargs)
        return function(*args, **kwargs)

    return like(method, function)


def like(wrapper, function):
    """Give a function the name and docs of the one that it calls, without importing functools."""
    wrapper.__name__, wrapper.__qualname__ = function.__name__, function.__qualname__
    wrapper.__module__, wrapper.__doc__ = function.__module__, function.__doc__
    wrapper.__wrapped__ = function
    return wrapper


def is_tensor_like(inp):
    """Return whether an object is a tensor or overrides torch's functions.

    Example:
        >>> torch.overrides.is_tensor_like(torch.ones(1)), torch.overrides.is_tensor_like(1)
        (True, False)
    """
    import torch

    return type(inp) is torch.Tensor or hasattr(inp, "__torch_function__")


def get_default_nowrap_functions():
    """Return the functions whose results the default `__torch_function__` does not convert.

    Example:
        >>> torch.Tensor.grad.__get__ in torch.overrides.get_default_nowrap_functions()
        True
    """
    import torch

    names = ("_base", "grad", "_grad")
    return {getattr(torch.Tensor, name).__get__ for name in names if hasattr(torch.Tensor, name)}


# ---- modes --------------------------------------------------------------------------------------


class TorchFunctionMode:
    """A context manager inside which a method handles every call of torch's functions.

    A subclass overrides `__torch_function__`. Inside it the mode is not active, so it may call the
    function itself; of several modes, the innermost is asked first.

    Example:
        >>> class Names(torch.overrides.TorchFunctionMode):
        ...     def __torch_function__(self, func, types, args=(), kwargs=None):
        ...         print(torch.overrides.resolve_name(func))
        ...         return func(*args, **(kwargs or {}))
        >>> x = torch.ones(2)
        >>> with Names():
        ...     y = torch.relu(x) + 1
        torch.relu
        torch.Tensor.add
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        """Handle a call; subclasses override this."""
        raise NotImplementedError

    def __enter__(self):
        _C._push_on_torch_function_stack(self)
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        _C._pop_torch_function_stack()

    @classmethod
    def push(cls, *args, **kwargs):
        """Create a mode; an old way to write `cls(...)`."""
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that calls every function unchanged.

    Example:
        >>> with torch.overrides.BaseTorchFunctionMode():
        ...     torch.ones(1) + 1
        tensor([2.])
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        """Call the function."""
        return func(*args, **(kwargs or {}))


def _get_current_function_mode():
    count = _C._len_torch_function_stack()
    return _C._get_function_stack_at(count - 1) if count else None


def _get_current_function_mode_stack():
    return [_C._get_function_stack_at(i) for i in range(_C._len_torch_function_stack())]


class _pop_mode_temporarily:
    """Leave the innermost mode for the length of a block."""

    def __enter__(self):
        self.mode = _C._pop_torch_function_stack()
        return self.mode

    def __exit__(self, *error):
        _C._push_on_torch_function_stack(self.mode)


class enable_reentrant_dispatch:
    """Let a `__torch_dispatch__` call operators through the keys above the one it runs at.

    Example:
        >>> from torch.utils._python_dispatch import TorchDispatchMode
        >>> class Doubled(TorchDispatchMode):
        ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        ...         with torch.overrides.enable_reentrant_dispatch():
        ...             return func(*args, **(kwargs or {})) * 2
        >>> x = torch.ones(1)
        >>> with Doubled():
        ...     y = x.neg()
        >>> y
        tensor([-2.])
    """

    def __enter__(self):
        self._guard = _C._DefaultDispatchKeys()
        self._guard.__enter__()

    def __exit__(self, *error):
        self._guard.__exit__(*error)
