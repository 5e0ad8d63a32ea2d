"""The functions of torch.nn.utils.prune."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.nn.modules.module import Module
from torch.nn.utils import _pruning_methods as methods


def identity(module: Module, name: str) -> Module:
    """Make the mask of a parameter without pruning anything.

    Args:
        module: The module.
        name: The name of the parameter.

    Returns:
        The module.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.identity(nn.Linear(2, 1), "bias").bias_mask
        tensor([1.])
    """
    methods.Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prune random entries of a parameter.

    Args:
        module: The module.
        name: The name of the parameter.
        amount: How many entries to prune: a number, or a fraction of all.

    Returns:
        The module.

    Example:
        >>> from torch.nn.utils import prune
        >>> int(prune.random_unstructured(nn.Linear(2, 3), "weight", 4).weight_mask.sum())
        2
    """
    methods.RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: Module, name: str, amount: float, importance_scores: Tensor | None = None
) -> Module:
    """Prune the entries of a parameter with the smallest absolute values.

    Args:
        module: The module.
        name: The name of the parameter.
        amount: How many entries to prune: a number, or a fraction of all.
        importance_scores: The values to compare instead of the parameter's.

    Returns:
        The module.

    Example:
        >>> from torch.nn.utils import prune
        >>> layer = nn.Linear(2, 1, bias=False)
        >>> layer.weight.data = torch.tensor([[3.0, -0.5]])
        >>> prune.l1_unstructured(layer, "weight", 0.5).weight_mask
        tensor([[1., 0.]])
    """
    methods.L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Prune random slices of a dimension of a parameter.

    Args:
        module: The module.
        name: The name of the parameter.
        amount: How many slices to prune: a number, or a fraction of all.
        dim: The dimension.

    Returns:
        The module.

    Example:
        >>> from torch.nn.utils import prune
        >>> int(prune.random_structured(nn.Linear(2, 3), "weight", 1, dim=0).weight_mask.sum())
        4
    """
    methods.RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module,
    name: str,
    amount: float,
    n: float | str,
    dim: int,
    importance_scores: Tensor | None = None,
) -> Module:
    """Prune the slices of a dimension of a parameter with the smallest norms.

    Args:
        module: The module.
        name: The name of the parameter.
        amount: How many slices to prune: a number, or a fraction of all.
        n: The order of the norm.
        dim: The dimension.
        importance_scores: The values to compare instead of the parameter's.

    Returns:
        The module.

    Example:
        >>> from torch.nn.utils import prune
        >>> layer = nn.Linear(1, 2, bias=False)
        >>> layer.weight.data = torch.tensor([[3.0], [-0.5]])
        >>> prune.ln_structured(layer, "weight", 1, n=2, dim=0).weight_mask
        tensor([[1.],
                [0.]])
    """
    methods.LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune the entries of a parameter where a mask is zero.

    Args:
        module: The module.
        name: The name of the parameter.
        mask: The mask.

    Returns:
        The module.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.custom_from_mask(nn.Linear(2, 1), "bias", torch.tensor([0])).bias_mask
        tensor([0.])
    """
    methods.CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type,
    importance_scores: dict[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prune several parameters as if they were one tensor.

    Args:
        parameters: The modules and the names of their parameters.
        pruning_method: An unstructured pruning method.
        importance_scores: The values to compare instead of the parameters'.
        **kwargs: The arguments of the method, as the amount.

    Raises:
        TypeError: If the arguments are not of these types, or the method is structured.

    Example:
        >>> from torch.nn.utils import prune
        >>> a, b = nn.Linear(2, 2), nn.Linear(3, 2)
        >>> pairs = [(a, "weight"), (b, "weight")]
        >>> prune.global_unstructured(pairs, prune.L1Unstructured, amount=4)
        >>> int((a.weight == 0).sum() + (b.weight == 0).sum())
        4
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores should be of type dict")
    pairs = list(parameters)
    tensors = [scores.get((module, name), getattr(module, name)) for module, name in pairs]
    masks = [
        getattr(module, f"{name}_mask", torch.ones_like(getattr(module, name)))
        for module, name in pairs
    ]
    container = methods.PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
    mask = container.compute_mask(flat, torch.cat([each.reshape(-1) for each in masks]))
    start = 0
    for module, name in pairs:
        parameter = getattr(module, name)
        end = start + parameter.numel()
        custom_from_mask(module, name, mask[start:end].view_as(parameter))
        start = end


def remove(module: Module, name: str) -> Module:
    """Make a pruned parameter an ordinary one again; the zeros stay.

    Args:
        module: The module.
        name: The name of the parameter.

    Returns:
        The module.

    Raises:
        ValueError: If the parameter is not pruned.

    Example:
        >>> from torch.nn.utils import prune
        >>> layer = prune.random_unstructured(nn.Linear(2, 1), "weight", 1)
        >>> sorted(prune.remove(layer, "weight").state_dict())
        ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, methods.BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module: Module) -> bool:
    """Return whether a module or one of its submodules has a pruned parameter.

    Args:
        module: The module.

    Returns:
        Whether there is one.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.is_pruned(nn.Linear(2, 1))
        False
    """
    return any(
        isinstance(hook, methods.BasePruningMethod)
        for _, each in module.named_modules()
        for hook in each._forward_pre_hooks.values()
    )
