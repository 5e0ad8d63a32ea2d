"""Gradient clipping."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TypeAlias

import torch
from torch import Tensor

_Tensors: TypeAlias = Tensor | Iterable[Tensor]


def _gradients(parameters: _Tensors) -> list[Tensor]:
    tensors = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    if not tensors and not isinstance(parameters, Tensor):
        warnings.warn(
            "`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3
        )
    return [tensor.grad for tensor in tensors if tensor.grad is not None]


@torch.no_grad()
def get_total_norm(
    tensors: _Tensors,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the norm of several tensors taken together as one vector.

    Args:
        tensors: A tensor or tensors of any shapes.
        norm_type: Order p of the p-norm; may be ``inf``.
        error_if_nonfinite: If True, raise an error if the norm is infinite or NaN.
        foreach: Accepted for compatibility; has no effect.

    Returns:
        The norm, a scalar tensor.

    Raises:
        RuntimeError: If the norm is not finite and `error_if_nonfinite` is set.

    Example:
        >>> nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([0.0, 4.0])])
        tensor(5.)
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return torch.tensor(0.0)
    norms = [torch.linalg.vector_norm(tensor, norm_type) for tensor in tensors]
    total = torch.linalg.vector_norm(torch.stack(norms), norm_type)
    if error_if_nonfinite and not total.isfinite():
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so "
            "it cannot be clipped. To disable this error and scale the gradients by the non-finite "
            "norm anyway, set `error_if_nonfinite=False`"
        )
    return total


@torch.no_grad()
def clip_grads_with_norm_(
    parameters: _Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale gradients by max_norm / total_norm, unless that factor is above 1.

    Args:
        parameters: A parameter or parameters. Those without a gradient are skipped.
        max_norm: Largest norm to allow.
        total_norm: Current norm of all gradients; see get_total_norm().
        foreach: Accepted for compatibility; has no effect.

    Example:
        >>> weight = torch.zeros(2, requires_grad=True)
        >>> weight.grad = torch.tensor([3.0, 4.0])
        >>> nn.utils.clip_grads_with_norm_(weight, 1.0, torch.tensor(5.0))
        >>> weight.grad
        tensor([0.6000, 0.8000])
    """
    scale = torch.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
    for gradient in _gradients(parameters):
        gradient.mul_(scale.to(gradient.device))


@torch.no_grad()
def clip_grad_norm_(
    parameters: _Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients together so that their norm is at most max_norm.

    The norm is that of all gradients taken together as one vector.

    Args:
        parameters: A parameter or parameters. Those without a gradient are skipped.
        max_norm: Largest norm to allow.
        norm_type: Order p of the p-norm; may be ``inf``.
        error_if_nonfinite: If True, raise an error if the norm is infinite or NaN.
        foreach: Accepted for compatibility; has no effect.

    Returns:
        The norm before scaling, a scalar tensor.

    Raises:
        RuntimeError: If the norm is not finite and `error_if_nonfinite` is set.

    Example:
        >>> weight = torch.zeros(2, requires_grad=True)
        >>> weight.grad = torch.tensor([3.0, 4.0])
        >>> nn.utils.clip_grad_norm_(weight, max_norm=1.0)
        tensor(5.)
        >>> weight.grad
        tensor([0.6000, 0.8000])
    """
    tensors = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    total = get_total_norm(_gradients(tensors), norm_type, error_if_nonfinite, foreach)
    if tensors:
        clip_grads_with_norm_(tensors, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: _Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Call clip_grad_norm_ and warn that this name is deprecated.

    Args:
        parameters: See clip_grad_norm_().
        max_norm: See clip_grad_norm_().
        norm_type: See clip_grad_norm_().
        error_if_nonfinite: See clip_grad_norm_().
        foreach: See clip_grad_norm_().

    Returns:
        The norm before scaling, a scalar tensor.

    Example:
        >>> import warnings
        >>> weight = torch.zeros(2, requires_grad=True)
        >>> weight.grad = torch.tensor([3.0, 4.0])
        >>> with warnings.catch_warnings(action="ignore"):
        ...     nn.utils.clip_grad_norm(weight, max_norm=1.0)
        tensor(5.)
    """
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
        "`torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@torch.no_grad()
def clip_grad_value_(parameters: _Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Clamp every element of the gradients to the range from -clip_value to clip_value.

    Args:
        parameters: A parameter or parameters. Those without a gradient are skipped.
        clip_value: Largest absolute value to allow.
        foreach: Accepted for compatibility; has no effect.

    Example:
        >>> weight = torch.zeros(2, requires_grad=True)
        >>> weight.grad = torch.tensor([-3.0, 0.5])
        >>> nn.utils.clip_grad_value_(weight, 1.0)
        >>> weight.grad
        tensor([-1.0000,  0.5000])
    """
    clip_value = float(clip_value)
    for gradient in _gradients(parameters):
        gradient.clamp_(min=-clip_value, max=clip_value)
