"""The earlier name of torch.amp.autocast for this device type."""

from __future__ import annotations

import warnings

import torch

__all__ = ["autocast"]


class autocast(torch.amp.autocast_mode.autocast):
    """A region of torch.amp.autocast("cpu"). Deprecated.

    Example:
        >>> with torch.cpu.amp.autocast(enabled=False):  # doctest: +SKIP
        ...     torch.is_autocast_enabled("cpu")
        False
    """

    def __init__(
        self,
        enabled: bool = True,
        dtype: torch.dtype = torch.bfloat16,
        cache_enabled: bool = True,
    ) -> None:
        warnings.warn(
            "`torch.cpu.amp.autocast(args...)` is deprecated. Please use "
            "`torch.amp.autocast('cpu', args...)` instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__("cpu", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)
