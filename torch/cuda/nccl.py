"""NCCL, which this build does not have: collectives over several devices of one process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["all_gather", "all_reduce", "broadcast", "is_available", "reduce", "reduce_scatter"]

SUM = 0


def is_available(tensors: Sequence[Any]) -> bool:
    """Return False, as this build does not have NCCL.

    Args:
        tensors: The tensors that a collective would get.

    Example:
        >>> torch.cuda.nccl.is_available([torch.ones(1)])
        False
    """
    return False


def _absent(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("PyTorch was not built with NCCL support")


def version() -> tuple[int, ...]:
    """Raise an error, as there is no NCCL with a version.

    Example:
        >>> torch.cuda.nccl.version()  # doctest: +SKIP
    """
    return _absent()


def all_reduce(*args: Any, **kwargs: Any) -> None:
    """Raise an error, as this build does not have NCCL.

    Example:
        >>> torch.cuda.nccl.all_reduce(tensors)  # doctest: +SKIP
    """
    _absent()


def reduce(*args: Any, **kwargs: Any) -> None:
    """Raise an error, as this build does not have NCCL.

    Example:
        >>> torch.cuda.nccl.reduce(tensors)  # doctest: +SKIP
    """
    _absent()


def broadcast(*args: Any, **kwargs: Any) -> None:
    """Raise an error, as this build does not have NCCL.

    Example:
        >>> torch.cuda.nccl.broadcast(tensors)  # doctest: +SKIP
    """
    _absent()


def all_gather(*args: Any, **kwargs: Any) -> None:
    """Raise an error, as this build does not have NCCL.

    Example:
        >>> torch.cuda.nccl.all_gather(inputs, outputs)  # doctest: +SKIP
    """
    _absent()


def reduce_scatter(*args: Any, **kwargs: Any) -> None:
    """Raise an error, as this build does not have NCCL.

    Example:
        >>> torch.cuda.nccl.reduce_scatter(inputs, outputs)  # doctest: +SKIP
    """
    _absent()
