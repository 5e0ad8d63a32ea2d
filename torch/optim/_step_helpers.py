"""Helpers that optimizers of other packages import from torch.optim.optimizer."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._foreach_utils import (
    _get_foreach_kernels_supported_devices,
    _get_fused_kernels_supported_devices,
)


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method `step` record a graph only if the setting `differentiable` is on."""

    @functools.wraps(func)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        with torch.set_grad_enabled(self.defaults["differentiable"]):  # type: ignore[no-untyped-call]
            return func(self, *args, **kwargs)

    return step


def _default_to_fused_or_foreach(
    params: list[Tensor], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Return whether an optimizer should be `fused`, or else `foreach`, if the user does not say."""
    if torch.jit.is_scripting() or differentiable:
        return False, False
    plain = [p for p in params if p is not None]
    devices = {p.device.type for p in plain}
    fused = (
        use_fused
        and devices <= set(_get_fused_kernels_supported_devices())
        and all(torch.is_floating_point(p) for p in plain)
    )
    foreach = devices <= set(_get_foreach_kernels_supported_devices()) and all(
        type(p) in (Tensor, torch.nn.Parameter) for p in plain
    )
    return fused, foreach and not fused


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    """Return the device types whose graphs can contain steps of optimizers."""
    devices = ["cuda", "xpu", "hpu", torch._C._get_privateuse1_backend_name()]
    return [*devices, "xla"] if supports_xla else devices


def _get_value(x: Any) -> Any:
    """Return the number in a tensor of one element; other values are unchanged."""
    return x.item() if isinstance(x, Tensor) else x


def _view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Replace complex tensors in lists by real views of them."""
    for index, param in enumerate(params):
        if torch.is_complex(param):
            params[index] = torch.view_as_real(param)
            for each in state_and_grads:
                each[index] = torch.view_as_real(each[index].resolve_conj())
