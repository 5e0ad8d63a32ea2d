"""The __torch_function__ protocol for functions written in Python."""

from torch import _C


def has_torch_function(relevant_args):
    """Whether one of the arguments takes calls over."""
    return _C._has_torch_function(tuple(relevant_args))


def has_torch_function_unary(argument):
    """has_torch_function for one argument."""
    return _C._has_torch_function((argument,))


def has_torch_function_variadic(*arguments):
    """has_torch_function for positional arguments."""
    return _C._has_torch_function(arguments)


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Calls the __torch_function__ of the first argument that does not decline."""
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
