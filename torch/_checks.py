"""torch._check and its relatives: raise an error unless a condition holds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch

Message = Callable[[], Any] | None


def _text(message: Message) -> str:
    if message is None:
        return (
            "Expected cond to be True, but got False. (Could this error message be improved? If so, "
            "please report an enhancement request to PyTorch.)"
        )
    if not callable(message):
        raise TypeError("message must be a callable")
    return str(message())


def _check_with(error_type: type[Exception], cond: Any, message: Message) -> None:
    """Raise an error of a type unless a boolean is True.

    Args:
        error_type: The class of the error.
        cond: A bool.
        message: A function that returns the message, or None.
    """
    if not isinstance(cond, bool):
        if isinstance(cond, torch.Tensor):
            raise TypeError(
                "cond must be a bool, but got a Tensor. For tensor conditions, use "
                "torch._check_tensor_all() to assert that all elements are true."
            )
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if not cond:
        raise error_type(_text(message))


def _check(cond: Any, message: Message = None) -> None:
    """Raise RuntimeError unless a boolean is True."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond: Any, message: Message = None) -> None:
    """Raise IndexError unless a boolean is True."""
    _check_with(IndexError, cond, message)


def _check_value(cond: Any, message: Message = None) -> None:
    """Raise ValueError unless a boolean is True."""
    _check_with(ValueError, cond, message)


def _check_type(cond: Any, message: Message = None) -> None:
    """Raise TypeError unless a boolean is True."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: Any, message: Message = None) -> None:
    """Raise NotImplementedError unless a boolean is True."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i: int, message: Message = None, *, max: int | None = None) -> None:
    """Raise RuntimeError unless an integer can be a size."""
    warnings.warn(
        "_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious. "
        "    Use _check(i >= 0) instead.",
        FutureWarning,
        stacklevel=2,
    )
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_tensor_all_with(error_type: type[Exception], cond: Any, message: Message = None) -> None:
    """Raise an error of a type unless all elements of a boolean tensor are True."""
    if not isinstance(cond, torch.Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype != torch.bool:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(cond.all()), message)


def _check_tensor_all(cond: Any, message: Message = None) -> None:
    """Raise RuntimeError unless all elements of a boolean tensor are True."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _assert_async(input: Any, assert_msg: str | None = None) -> None:
    """Raise RuntimeError if the only element of a tensor is zero; on the CPU, at once."""
    if input.numel() != 1:
        raise RuntimeError(
            "Boolean value of Tensor with "
            f"{'no values' if input.numel() == 0 else 'more than one value'} is ambiguous"
        )
    if not input.is_meta and not input.item():
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")
