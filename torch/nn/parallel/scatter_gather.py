"""Split arguments among devices and collect results. On one device there is nothing to split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor
from torch.utils._pytree import tree_map_only

__all__ = ["gather", "scatter", "scatter_kwargs"]


def _check(devices: Sequence[Any], what: str) -> None:
    if len(devices) != 1:
        raise RuntimeError(f"{what} over {len(devices)} devices needs several accelerators")


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> list[Any]:
    """Return a list with the inputs on the one target device.

    Raises:
        RuntimeError: For several devices.

    Example:
        >>> from torch.nn.parallel.scatter_gather import scatter
        >>> scatter(torch.ones(2), ["cpu"])  # doctest: +SKIP
        [tensor([1., 1.])]
    """
    _check(target_gpus, "scatter")
    return [tree_map_only(Tensor, lambda tensor: tensor.to(target_gpus[0]), inputs)]


def scatter_kwargs(
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    target_gpus: Sequence[Any],
    dim: int = 0,
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """Return the arguments and the keyword arguments of the one target device.

    Example:
        >>> from torch.nn.parallel.scatter_gather import scatter_kwargs
        >>> scatter_kwargs((1,), {}, ["cpu"])  # doctest: +SKIP
        (((1,),), ({},))
    """
    return tuple(scatter(inputs, target_gpus, dim)), tuple(scatter(kwargs or {}, target_gpus, dim))


def gather(outputs: Sequence[Any], target_device: Any, dim: int = 0) -> Any:
    """Return the one output on the target device.

    Raises:
        RuntimeError: For several outputs.

    Example:
        >>> from torch.nn.parallel.scatter_gather import gather
        >>> gather([torch.ones(2)], "cpu")  # doctest: +SKIP
        tensor([1., 1.])
    """
    _check(outputs, "gather")
    return tree_map_only(Tensor, lambda tensor: tensor.to(target_device), outputs[0])
