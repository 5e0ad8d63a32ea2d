"""Modules as functions of their parameters, as functorch had them before torch.func.

New programs use torch.func.functional_call and torch.func.stack_module_state.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn


def warn_deprecated(old: str, new: str) -> None:
    """Warn the caller's caller that a function of functorch has a successor."""
    warnings.warn(
        "We've integrated functorch into PyTorch. As the final step of the integration, "
        f"`functorch.{old}` is deprecated as of PyTorch 2.0 and will be deleted in a future version "
        f"of PyTorch >= 2.3. Please use `{new}` instead; see the PyTorch 2.0 release notes and/or "
        "the `torch.func` migration guide for more details "
        "https://pytorch.org/docs/main/func.migrating.html",
        FutureWarning,
        stacklevel=3,
    )


def _stateless(model: nn.Module) -> nn.Module:
    """Return a copy of a model whose parameters and buffers hold no memory."""
    state = [*model.parameters(), *model.buffers()]
    memo = {id(tensor): _on_meta(tensor) for tensor in state}
    return copy.deepcopy(model, memo)


def _on_meta(tensor: Tensor) -> Tensor:
    made = torch.empty_like(tensor, device="meta")
    return nn.Parameter(made, tensor.requires_grad) if isinstance(tensor, nn.Parameter) else made


def _state(tensors: dict[str, Tensor], disable_autograd_tracking: bool) -> tuple[Tensor, ...]:
    if not disable_autograd_tracking:
        return tuple(tensors.values())
    return tuple(tensor.detach() for tensor in tensors.values())


class FunctionalModuleWithBuffers(nn.Module):
    """A module without state: its call gets the parameters and the buffers first."""

    def __init__(
        self,
        stateless_model: nn.Module,
        param_names: tuple[str, ...],
        buffer_names: tuple[str, ...] = (),
        param_names_map: dict[str, list[str]] | None = None,
        buffer_names_map: dict[str, list[str]] | None = None,
    ) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names
        self.buffer_names = buffer_names

    @classmethod
    def _create_from(
        cls, model: nn.Module, disable_autograd_tracking: bool = False
    ) -> tuple[FunctionalModuleWithBuffers, tuple[Tensor, ...], tuple[Tensor, ...]]:
        parameters, buffers = dict(model.named_parameters()), dict(model.named_buffers())
        made = cls(_stateless(model), tuple(parameters), tuple(buffers))
        return made, _state(parameters, disable_autograd_tracking), tuple(buffers.values())

    def forward(
        self, params: Iterable[Tensor], buffers: Iterable[Tensor], *args: Any, **kwargs: Any
    ) -> Any:
        """Call the model with these parameters and buffers."""
        state = dict(zip(self.param_names, params, strict=True))
        state.update(zip(self.buffer_names, buffers, strict=True))
        return torch.func.functional_call(self.stateless_model, state, args, kwargs)


class FunctionalModule(nn.Module):
    """A module without parameters, which are the first arguments of its call."""

    def __init__(
        self,
        stateless_model: nn.Module,
        param_names: tuple[str, ...],
        names_map: dict[str, list[str]] | None = None,
    ) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names

    @classmethod
    def _create_from(
        cls, model: nn.Module, disable_autograd_tracking: bool = False
    ) -> tuple[FunctionalModule, tuple[Tensor, ...]]:
        parameters = dict(model.named_parameters())
        made = cls(_stateless(model), tuple(parameters))
        return made, _state(parameters, disable_autograd_tracking)

    def forward(self, params: Iterable[Tensor], *args: Any, **kwargs: Any) -> Any:
        """Call the model with these parameters."""
        state = dict(zip(self.param_names, params, strict=True))
        return torch.func.functional_call(self.stateless_model, state, args, kwargs)


def make_functional(model: nn.Module, disable_autograd_tracking: bool = False) -> Any:
    """Return a function of the parameters and the input, and the parameters.

    Args:
        model: A module without buffers.
        disable_autograd_tracking: Whether to return parameters that need no gradients.

    Raises:
        ValueError: If the module has buffers.
    """
    warn_deprecated("make_functional", "torch.func.functional_call")
    if next(model.buffers(), None) is not None:
        raise ValueError(
            "make_functional(model): `model` has buffers. Please use "
            "make_functional_with_buffers(model) instead."
        )
    return FunctionalModule._create_from(model, disable_autograd_tracking)


def make_functional_with_buffers(model: nn.Module, disable_autograd_tracking: bool = False) -> Any:
    """Return a function of the parameters, the buffers and the input; the parameters; the buffers.

    Args:
        model: A module.
        disable_autograd_tracking: Whether to return parameters that need no gradients.
    """
    warn_deprecated("make_functional_with_buffers", "torch.func.functional_call")
    return FunctionalModuleWithBuffers._create_from(model, disable_autograd_tracking)


def combine_state_for_ensemble(models: list[nn.Module]) -> Any:
    """Return a function for one of several equal models, with their stacked parameters and buffers.

    Args:
        models: Modules of one structure, all in the same mode.

    Raises:
        RuntimeError: Without models, or for models of different classes or modes.
    """
    warn_deprecated("combine_state_for_ensemble", "torch.func.stack_module_state")
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError(
            "combine_state_for_ensemble: Expected all models to have the same training/eval mode."
        )
    if len({type(model) for model in models}) > 1:
        raise RuntimeError(
            "combine_state_for_ensemble: Expected all models to be of the same class."
        )
    made = [FunctionalModuleWithBuffers._create_from(model) for model in models]
    parameters = tuple(torch.stack(t).detach() for t in zip(*(m[1] for m in made), strict=True))
    for tensor in parameters:
        tensor.requires_grad_()
    buffers = tuple(torch.stack(t) for t in zip(*(m[2] for m in made), strict=True))
    return made[0][0], parameters, buffers
