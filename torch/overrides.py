"""The __torch_function__ protocol for functions written in Python."""

from torch import _C


def has_torch_function(relevant_args):
    """Return whether one of several arguments overrides operators.

    Args:
        relevant_args: The arguments that may have a method `__torch_function__`.

    Example:
        >>> class Logged(torch.Tensor):
        ...     pass
        >>> x = torch.ones(1)
        >>> torch.overrides.has_torch_function((x, x.as_subclass(Logged)))
        True
    """
    return _C._has_torch_function(tuple(relevant_args))


def has_torch_function_unary(argument):
    """Return whether an argument overrides operators; see `has_torch_function`.

    Example:
        >>> torch.overrides.has_torch_function_unary(torch.ones(1))
        False
    """
    return _C._has_torch_function((argument,))


def has_torch_function_variadic(*arguments):
    """Return whether one of the arguments overrides operators; see `has_torch_function`.

    Example:
        >>> torch.overrides.has_torch_function_variadic(torch.ones(1), 2)
        False
    """
    return _C._has_torch_function(arguments)


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Call the `__torch_function__` of the arguments until one does not decline.

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
        TypeError: If all arguments decline.

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
    overloaded = []
    for argument in relevant_args:
        kind = type(argument)
        if not _C._has_torch_function((argument,)) or kind in map(type, overloaded):
            continue
        position = next(
            (i for i, other in enumerate(overloaded) if issubclass(kind, type(other))),
            len(overloaded),
        )
        overloaded.insert(position, argument)
    types = tuple(map(type, overloaded))
    for argument in overloaded:
        result = argument.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(
        f"no implementation found for {public_api!r} on types that implement __torch_function__: "
        f"{list(types)}"
    )
