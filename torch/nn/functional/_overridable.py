"""Dispatch to __torch_function__ for functions with many arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

from torch._torch_function import handle_torch_function, has_torch_function

F = TypeVar("F", bound=Callable)


def overridable(function: F) -> F:
    """Pass calls with tensor-like arguments to their __torch_function__."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        given = (*args, *kwargs.values()) if kwargs else args
        if has_torch_function(given):
            return handle_torch_function(call, given, *args, **kwargs)
        return function(*args, **kwargs)

    return call
