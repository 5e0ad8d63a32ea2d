"""DistributedDataParallel, which needs torch.distributed and can only be named here."""

from __future__ import annotations

from typing import Any

from torch.nn.modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Raise an error: this wrapper needs torch.distributed.

    Raises:
        RuntimeError: Always.

    Example:
        >>> isinstance(nn.Linear(1, 1), nn.parallel.DistributedDataParallel)
        False
    """

    _absent = True

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            "DistributedDataParallel needs a build with USE_DISTRIBUTED, which does not exist yet; "
            "torch.distributed.is_available() is False"
        )
