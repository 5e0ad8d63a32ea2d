"""Helpers of several distributions: broadcasting of parameters, probabilities and logits."""

from __future__ import annotations

from functools import update_wrapper
from numbers import Number
from typing import Any

import torch
import torch.nn.functional as F
from torch._torch_function import is_tensor_like

__all__ = ["broadcast_all"]

euler_constant = 0.57721566490153286060
_Number = (Number, torch.Tensor)


def broadcast_all(*values: Any) -> tuple[torch.Tensor, ...]:
    """Expand numbers and tensors to their common shape.

    Raises:
        ValueError: If a value is neither.

    Example:
        >>> from torch.distributions.utils import broadcast_all
        >>> broadcast_all(1.0, torch.zeros(2))
        (tensor([1., 1.]), tensor([0., 0.]))
    """
    if not all(is_tensor_like(value) or isinstance(value, Number) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
            "__torch_function__."
        )
    if all(is_tensor_like(value) for value in values):
        return tuple(torch.broadcast_tensors(*values))
    options: dict[str, Any] = {"dtype": torch.get_default_dtype()}
    for value in values:
        if isinstance(value, torch.Tensor):
            options = {"dtype": value.dtype, "device": value.device}
            break
    converted = [
        value if is_tensor_like(value) else torch.tensor(value, **options) for value in values
    ]
    return tuple(torch.broadcast_tensors(*converted))


def _standard_normal(shape: Any, dtype: Any, device: Any) -> torch.Tensor:
    return torch.randn(shape, dtype=dtype, device=device)


def _all_true(answers: torch.Tensor) -> bool:
    """Return whether all answers to a check are true; inside vmap, those of all elements."""
    if type(answers) is not torch.Tensor and not torch.overrides.has_torch_function((answers,)):
        answers = torch.func.debug_unwrap(answers)
    return bool(answers.all())


def _sum_rightmost(value: torch.Tensor, dim: int) -> torch.Tensor:
    if dim == 0:
        return value
    return value.reshape((*value.shape[:-dim], -1)).sum(-1)


def logits_to_probs(logits: torch.Tensor, is_binary: bool = False) -> torch.Tensor:
    """Convert logits to probabilities."""
    return torch.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def clamp_probs(probs: torch.Tensor) -> torch.Tensor:
    """Keep probabilities away from 0 and 1."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: torch.Tensor, is_binary: bool = False) -> torch.Tensor:
    """Convert probabilities to logits."""
    clamped = clamp_probs(probs)
    if is_binary:
        return torch.log(clamped) - torch.log1p(-clamped)
    return torch.log(clamped)


class lazy_property:
    """A property that is computed once and then stored on the object."""

    def __init__(self, wrapped: Any):
        self.wrapped = wrapped
        update_wrapper(self, wrapped)

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        if instance is None:
            return _lazy_property_and_property(self.wrapped)
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _lazy_property_and_property(lazy_property, property):
    """The value of a lazy property on the class itself."""

    def __init__(self, wrapped: Any):
        property.__init__(self, wrapped)


def tril_matrix_to_vec(mat: torch.Tensor, diag: int = 0) -> torch.Tensor:
    """Return the elements of the lower triangle, row by row."""
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    arange = torch.arange(n, device=mat.device)
    return mat[..., arange < arange.view(-1, 1) + (diag + 1)]


def vec_to_tril_matrix(vec: torch.Tensor, diag: int = 0) -> torch.Tensor:
    """Return the matrix whose lower triangle has the elements, row by row."""
    n = (
        -(1 + 2 * diag)
        + ((1 + 2 * diag) ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5
    )
    n = n / 2
    eps = 1e-6
    if not round(n) - n <= eps:
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    n = round(n)
    mat = vec.new_zeros((*vec.shape[:-1], n, n))
    arange = torch.arange(n, device=vec.device)
    mat[..., arange < arange.view(-1, 1) + (diag + 1)] = vec
    return mat
