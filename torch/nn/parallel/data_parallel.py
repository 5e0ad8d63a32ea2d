"""DataParallel on the one device that this build has: it calls the module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


def _check(device_ids: Sequence[Any] | None) -> None:
    if device_ids is not None and len(device_ids) > 1 and torch.accelerator.device_count() < 2:
        raise RuntimeError(
            f"DataParallel over the devices {list(device_ids)} needs several accelerators; this "
            f"process has {torch.accelerator.device_count()}"
        )


class DataParallel(Module):
    """Call a module with the whole batch, as DataParallel does with one device.

    Args:
        module: The module.
        device_ids: At most one device, or None.
        output_device: Accepted for compatibility.
        dim: Accepted for compatibility.

    Raises:
        RuntimeError: If `device_ids` names several devices.

    Example:
        >>> parallel = nn.DataParallel(nn.Linear(2, 1))
        >>> parallel(torch.ones(4, 2)).shape
        torch.Size([4, 1])
        >>> list(parallel.state_dict())
        ['module.weight', 'module.bias']
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        _check(device_ids)
        self.module = module
        self.dim = dim
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the module."""
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[Any] | None = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """Call a module with the whole batch; see `DataParallel`.

    Example:
        >>> from torch.nn.parallel import data_parallel
        >>> data_parallel(nn.Linear(2, 1), torch.ones(4, 2)).shape  # doctest: +SKIP
        torch.Size([4, 1])
    """
    _check(device_ids)
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*inputs, **(module_kwargs or {}))
