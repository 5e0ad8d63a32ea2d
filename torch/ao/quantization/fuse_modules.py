"""The fusion of layers of a model by their names."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from torch import nn
from torch.ao.quantization.fuser_method_mappings import get_fuser_method
from torch.nn.utils.parametrize import type_before_parametrizations

__all__ = ["fuse_known_modules", "fuse_modules", "fuse_modules_qat"]


def fuse_known_modules(
    mod_list: list[nn.Module], is_qat: bool, additional_fuser_method_mapping: Any = None
) -> list[nn.Module]:
    """Return the modules that replace a sequence of layers: one, and identities.

    Args:
        mod_list: The layers.
        is_qat: Whether the module is for training.
        additional_fuser_method_mapping: Functions that fuse, by tuples of classes.

    Raises:
        AssertionError: If the layers have no fused form.

    Example:
        >>> from torch.ao.quantization.fuse_modules import fuse_known_modules
        >>> fuse_known_modules([nn.Linear(1, 2), nn.ReLU()], False)[1]
        Identity()
    """
    kinds = tuple(map(type_before_parametrizations, mod_list))
    fused = get_fuser_method(kinds, additional_fuser_method_mapping)(is_qat, *mod_list)
    _move_hooks(mod_list[0]._forward_pre_hooks, fused.register_forward_pre_hook)
    _move_hooks(mod_list[-1]._forward_hooks, fused.register_forward_hook)
    rest: list[nn.Module] = [nn.Identity() for _ in mod_list[1:]]
    for each in rest:
        each.training = mod_list[0].training
    return [fused, *rest]


def _move_hooks(hooks: dict[int, Any], register: Callable[..., Any]) -> None:
    for hook in hooks.values():
        register(hook)
    hooks.clear()


def _fuse_in_place(
    model: nn.Module, names: list[str], is_qat: bool, fuser_func: Any, custom: Any
) -> None:
    layers = [model.get_submodule(name) for name in names]
    mapping = (custom or {}).get("additional_fuser_method_mapping", {})
    replacements = fuser_func(layers, is_qat, mapping)
    for name, replacement in zip(names, replacements, strict=True):
        parent, _, own = name.rpartition(".")
        setattr(model.get_submodule(parent), own, replacement)


def _fuse_modules(
    model: Any,
    modules_to_fuse: Any,
    is_qat: bool,
    inplace: bool = False,
    fuser_func: Any = fuse_known_modules,
    fuse_custom_config_dict: Any = None,
) -> Any:
    model = model if inplace else copy.deepcopy(model)
    groups = modules_to_fuse
    if all(isinstance(element, str) for element in modules_to_fuse):
        groups = [modules_to_fuse]
    for names in groups:
        _fuse_in_place(model, list(names), is_qat, fuser_func, fuse_custom_config_dict)
    return model


def fuse_modules(
    model: Any,
    modules_to_fuse: Any,
    inplace: bool = False,
    fuser_func: Any = fuse_known_modules,
    fuse_custom_config_dict: Any = None,
) -> Any:
    """Replace sequences of layers by one layer each, in evaluation mode.

    Args:
        model: The model.
        modules_to_fuse: The names of the layers of a sequence, or a list of such lists:
            convolution or linear layer, normalization, ReLU.
        inplace: Whether to change the model itself.
        fuser_func: A function that replaces `fuse_known_modules`.
        fuse_custom_config_dict: `additional_fuser_method_mapping` for `fuser_func`.

    Raises:
        AssertionError: If layers have no fused form, or are in training mode.

    Example:
        >>> model = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2), nn.ReLU()).eval()
        >>> torch.ao.quantization.fuse_modules(model, ["0", "1", "2"])[1]
        Identity()
    """
    return _fuse_modules(
        model, modules_to_fuse, False, inplace, fuser_func, fuse_custom_config_dict
    )


def fuse_modules_qat(
    model: Any,
    modules_to_fuse: Any,
    inplace: bool = False,
    fuser_func: Any = fuse_known_modules,
    fuse_custom_config_dict: Any = None,
) -> Any:
    """Group sequences of layers for training; see `fuse_modules` for the arguments.

    Raises:
        AssertionError: If layers have no fused form.

    Example:
        >>> model = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2), nn.ReLU())
        >>> type(torch.ao.quantization.fuse_modules_qat(model, ["0", "1", "2"])[0]).__name__
        'ConvBnReLU2d'
    """
    return _fuse_modules(model, modules_to_fuse, True, inplace, fuser_func, fuse_custom_config_dict)
