"""Functions that call modules as functions of their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch._forward_transforms import jacfwd, jvp, linearize
from torch._func_modules import debug_unwrap, rearrange, replace_all_batch_norm_modules_
from torch._func_transforms import grad, grad_and_value, hessian, jacrev, vjp
from torch._functionalize import functionalize
from torch._published import publish_all
from torch._vmap import vmap
from torch.nn.modules.module import Module
from torch.nn.utils import stateless as _stateless

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "rearrange",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with some of its parameters and buffers replaced.

    Args:
        module: The module, which keeps its own tensors.
        parameter_and_buffer_dicts: The tensors by name, or several such dictionaries.
        args: The argument of the call, or a tuple of them.
        kwargs: The keyword arguments of the call.
        tie_weights: Whether tensors that the module holds under several names are replaced under
            all of them.
        strict: Whether all names must be given, and no others.

    Raises:
        ValueError: If several dictionaries, or tied tensors, have the same name.
        RuntimeError: If `strict` is true and the names differ.

    Example:
        >>> linear = nn.Linear(2, 1, bias=False)
        >>> weight = torch.tensor([[1.0, 2.0]], requires_grad=True)
        >>> torch.func.functional_call(linear, {"weight": weight}, torch.ones(1, 2)).backward()
        >>> weight.grad
        tensor([[1., 1.]])
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        tensors = parameter_and_buffer_dicts
    elif not isinstance(parameter_and_buffer_dicts, Sequence):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(parameter_and_buffer_dicts)}"
        )
    else:
        dictionaries = list(parameter_and_buffer_dicts)
        if not all(isinstance(dictionary, dict) for dictionary in dictionaries):
            raise ValueError(
                "Expected all elements of parameter_and_buffer_dicts to be dictionaries"
            )
        names = [name for dictionary in dictionaries for name in dictionary]
        repeated = list(dict.fromkeys(name for name in names if names.count(name) > 1))
        if repeated:
            raise ValueError(
                f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
            )
        tensors = {name: t for dictionary in dictionaries for name, t in dictionary.items()}
    return _stateless._functional_call(
        module, tensors, args, kwargs, tie_weights=tie_weights, strict=strict
    )


def stack_module_state(
    models: Sequence[Module] | torch.nn.ModuleList,
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Stack the parameters, and the buffers, of modules of the same class.

    Returns:
        Two dictionaries with the stacked parameters and buffers by name.

    Raises:
        RuntimeError: If there is no module, or they differ in class, mode or required gradients.

    Example:
        >>> parameters, buffers = torch.func.stack_module_state([nn.Linear(2, 3) for _ in range(4)])
        >>> parameters["weight"].shape
        torch.Size([4, 3, 2])
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    own = [dict(model.named_parameters()) for model in models]
    for name in own[0]:
        if len({parameters[name].requires_grad for parameters in own}) > 1:
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    parameters = {
        name: torch.stack([tensors[name].detach() for tensors in own]).requires_grad_(
            own[0][name].requires_grad
        )
        for name in own[0]
    }
    held = [dict(model.named_buffers()) for model in models]
    buffers = {name: torch.stack([tensors[name] for tensors in held]) for name in held[0]}
    return parameters, buffers


publish_all(globals(), __all__)
