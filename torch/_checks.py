"""torch._check and its relatives: raise an error unless a condition holds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch

Message = Callable[[], Any] | None


def alert_not_deterministic(name: str) -> None:
    """Raise an error, or warn, if the program asks for deterministic algorithms and there is none."""
    if not torch.are_deterministic_algorithms_enabled():
        return
    text = f"{name} does not have a deterministic implementation, but you set "
    if torch.is_deterministic_algorithms_warn_only_enabled():
        warnings.warn(
            f"{text}'torch.use_deterministic_algorithms(True, warn_only=True)'.", stacklevel=3
        )
        return
    raise RuntimeError(
        f"{text}'torch.use_deterministic_algorithms(True)'. You can turn off determinism just for this "
        "operation, or you can use the 'warn_only=True' option, if that's acceptable for your "
        "application."
    )


def refuse_overlap(written: torch.Tensor, *read: Any) -> None:
    """Raise an error if a tensor that is written shares elements with one that is read."""
    for other in read:
        if isinstance(other, torch.Tensor) and _overlap(written, other):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to tensor "
                "refer to a single memory location. Please clone() the tensor before performing the "
                "operation."
            )


def _overlap(a: torch.Tensor, b: torch.Tensor) -> bool:
    if type(a) is not torch.Tensor or type(b) is not torch.Tensor or not (a.numel() and b.numel()):
        return False
    if a is b:
        return True
    if a.untyped_storage() != b.untyped_storage():
        return False
    if not (_is_dense(a) and _is_dense(b)):
        return False
    starts = [each.storage_offset() * each.itemsize for each in (a, b)]
    ends = [start + each.nbytes for start, each in zip(starts, (a, b), strict=True)]
    return starts[0] < ends[1] and starts[1] < ends[0]


def _is_dense(tensor: torch.Tensor) -> bool:
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    return sum((size - 1) * stride for size, stride in steps) + 1 == tensor.numel()


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
