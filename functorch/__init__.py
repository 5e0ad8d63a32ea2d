"""The names of function transforms from before they were in torch.func; programs still import them."""

import torch
from torch._functorch.make_functional import (
    FunctionalModule,
    FunctionalModuleWithBuffers,
    combine_state_for_ensemble,
    make_functional,
    make_functional_with_buffers,
)
from torch.func import (
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    vjp,
    vmap,
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


def __getattr__(name: str) -> object:
    if name == "make_fx":
        from torch.fx.experimental.proxy_tensor import make_fx

        return make_fx
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
