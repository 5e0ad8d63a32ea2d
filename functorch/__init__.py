"""The names of function transforms from before they were in torch.func; programs still import them."""

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import func
from torch._functorch.make_functional import (
    FunctionalModule,
    FunctionalModuleWithBuffers,
    combine_state_for_ensemble,
    make_functional,
    make_functional_with_buffers,
    warn_deprecated,
)

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "combine_state_for_ensemble",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "make_functional",
    "make_functional_with_buffers",
    "make_fx",
    "vjp",
    "vmap",
]
__version__ = torch.__version__


def _deprecated(function: Callable[..., Any], new: str) -> Callable[..., Any]:
    """Return a function that warns and calls its successor."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        warn_deprecated(function.__name__, new)
        return function(*args, **kwargs)

    return wrapper


functionalize = _deprecated(func.functionalize, "torch.func.functionalize")
grad = _deprecated(func.grad, "torch.func.grad")
grad_and_value = _deprecated(func.grad_and_value, "torch.func.grad_and_value")
hessian = _deprecated(func.hessian, "torch.func.hessian")
jacfwd = _deprecated(func.jacfwd, "torch.func.jacfwd")
jacrev = _deprecated(func.jacrev, "torch.func.jacrev")
jvp = _deprecated(func.jvp, "torch.func.jvp")
vjp = _deprecated(func.vjp, "torch.func.vjp")
vmap = _deprecated(func.vmap, "torch.vmap")


def __getattr__(name: str) -> object:
    if name == "make_fx":
        from torch.fx.experimental.proxy_tensor import make_fx

        return make_fx
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
