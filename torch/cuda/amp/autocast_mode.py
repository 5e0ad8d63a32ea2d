"""The earlier name of torch.amp.autocast for this device type."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch

__all__ = ["autocast", "custom_bwd", "custom_fwd"]


class autocast(torch.amp.autocast_mode.autocast):
    """A region of torch.amp.autocast("cuda"). Deprecated.

    Example:
        >>> with torch.cuda.amp.autocast(enabled=False):  # doctest: +SKIP
        ...     torch.is_autocast_enabled("cuda")
        False
    """

    def __init__(
        self,
        enabled: bool = True,
        dtype: torch.dtype = torch.float16,
        cache_enabled: bool = True,
    ) -> None:
        warnings.warn(
            "`torch.cuda.amp.autocast(args...)` is deprecated. Please use "
            "`torch.amp.autocast('cuda', args...)` instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__("cuda", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


def _warn(name: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use "
        f"`torch.amp.{name}(args..., device_type='cuda')` instead.",
        FutureWarning,
        stacklevel=3,
    )


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, cast_inputs: torch.dtype | None = None
) -> Callable[..., Any]:
    """Decorate a forward pass with torch.amp.custom_fwd for CUDA devices. Deprecated.

    Example:
        >>> torch.cuda.amp.custom_fwd(lambda ctx, x: x)  # doctest: +SKIP
    """
    _warn("custom_fwd")
    return torch.amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a backward pass with torch.amp.custom_bwd for CUDA devices. Deprecated.

    Example:
        >>> torch.cuda.amp.custom_bwd(lambda ctx, grad: grad)  # doctest: +SKIP
    """
    _warn("custom_bwd")
    return torch.amp.custom_bwd(bwd, device_type="cuda")
