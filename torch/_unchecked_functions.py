"""Functions of this package without their question whether `__torch_function__` handles the call."""

import functools
import types


def _never(*args):
    return False


@functools.cache
def without_checks(function):
    """Return a function of this package without its question who handles the call."""
    names = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")
    namespace = {**function.__globals__, **dict.fromkeys(names, _never)}
    made = types.FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made
