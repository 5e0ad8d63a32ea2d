"""Functions that optimizers outside this package import from torch.optim.optimizer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


def _use_grad_for_differentiable(step: Callable[..., Any]) -> Callable[..., Any]:
    """Let an optimizer's step record gradients only if its default `differentiable` is True."""

    @functools.wraps(step)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        with torch.set_grad_enabled(self.defaults["differentiable"]):
            return step(self, *args, **kwargs)

    return wrapped


def _get_value(x: Any) -> Any:
    """Return the number of a one-element tensor; other values as they are."""
    return x.item() if isinstance(x, Tensor) else x


def _stack_if_compiling(x: Any) -> Any:
    """Return the list itself: nothing is compiled here."""
    return x


def _view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Replace complex parameters, and the tensors at their places in the other lists, by real views."""
    for i, parameter in enumerate(params):
        if torch.is_complex(parameter):
            for tensors in (params, *state_and_grads):
                tensors[i] = torch.view_as_real(tensors[i])


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Return the types of devices on which updating many tensors at once is faster."""
    return ["cuda", "xpu", torch._C._get_privateuse1_backend_name()]


def _get_fused_kernels_supported_devices() -> list[str]:
    """Return the types of devices that have kernels for a whole step."""
    return ["cpu", *_get_foreach_kernels_supported_devices()]


def _default_to_fused_or_foreach(
    params: Sequence[Tensor], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Return whether to use a fused kernel, and whether to update many tensors at once."""
    if differentiable or not all(type(p) in (Tensor, torch.nn.Parameter) for p in params):
        return False, False
    floating = all(torch.is_floating_point(p) for p in params)
    types = {p.device.type for p in params}
    fused = use_fused and floating and types <= set(_get_fused_kernels_supported_devices())
    return fused, not fused and types <= set(_get_foreach_kernels_supported_devices())


def _disable_dynamo_if_unsupported(
    single_tensor_fn: Callable[..., Any] | None = None,
) -> Callable[[Any], Any]:
    """Return a decorator that changes nothing: nothing is compiled here."""
    return lambda function: function
