"""Forward-mode automatic differentiation: dual tensors, which carry a tangent along."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch._transforms import levels
from torch._transforms.dual import DualLevel, DualTensor, unpacked
from torch._transforms.dual_backward import ProgramDual
from torch.autograd.grad_mode import _DecoratorContextManager

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]

Tensor = torch.Tensor

_entered: list[DualLevel] = []
_enabled = True
_current_level = -1
"""The number of the level that was entered last, or -1."""


class UnpackedDualTensor(NamedTuple):
    """The result of `unpack_dual`: the value, `primal`, and its `tangent` or None.

    Example:
        >>> import torch.autograd.forward_ad as fwAD
        >>> primal, tangent = fwAD.unpack_dual(torch.ones(1))
        >>> tangent is None
        True
    """

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Enter a level of forward-mode differentiation; return its number.

    Raises:
        RuntimeError: If one has been entered already.

    Example:
        >>> import torch.autograd.forward_ad as fwAD
        >>> fwAD.enter_dual_level()
        0
        >>> fwAD.exit_dual_level()
    """
    if _entered:
        raise RuntimeError(
            "Nested forward mode AD is not supported at the moment; use torch.func.jvp for it"
        )
    from torch._transforms.forward import RunningDual

    global _current_level
    level = RunningDual()
    level.is_transform = False
    level.wrapper = ProgramDual
    levels.push(level)
    _entered.append(level)
    _current_level = len(_entered) - 1
    return _current_level


def exit_dual_level(*, level: int | None = None) -> None:
    """Leave the level; its dual tensors lose their tangents.

    Args:
        level: The number of the level, which must be the last one entered.

    Raises:
        RuntimeError: If there is none, or another one was entered later.

    Example:
        >>> import torch.autograd.forward_ad as fwAD
        >>> level = fwAD.enter_dual_level()
        >>> fwAD.exit_dual_level(level=level)
    """
    global _current_level
    if level is None:
        level = _current_level
    if level != _current_level or level < 0:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. "
            "This is not supported."
        )
    levels.pop(_entered.pop())
    _current_level = len(_entered) - 1


def _level(level: int | None) -> DualLevel | None:
    number = _current_level if level is None else level
    return _entered[number] if 0 <= number < len(_entered) else None


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Create a dual tensor: a tensor with a tangent, which results computed from it get too.

    Args:
        tensor: The value.
        tangent: Its tangent, with the same shape, dtype and device.
        level: The level it belongs to; the last one entered by default.

    Returns:
        The dual tensor, which shares memory with `tensor`.

    Raises:
        RuntimeError: If no level has been entered, or the shapes differ.
        ValueError: If a tensor is neither floating point nor complex.

    Example:
        >>> import torch.autograd.forward_ad as fwAD
        >>> with fwAD.dual_level():
        ...     x = fwAD.make_dual(torch.tensor(3.0), torch.tensor(1.0))
        ...     fwAD.unpack_dual(x * x)
        UnpackedDualTensor(primal=tensor(9.), tangent=tensor(6.))
    """
    found = _level(level)
    if found is None:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    for name, value in (("primal", tensor), ("tangent", tangent)):
        if not (value.is_floating_point() or value.is_complex()):
            raise ValueError(
                f"Expected {name} to be floating point or complex, but got: {value.dtype}"
            )
    number = _current_level if level is None else level
    for value, what in (
        (tensor, "Making a dual Tensor based on a Tensor that already has"),
        (tangent, "Setting a forward grad that itself has"),
    ):
        if unpacked(value, found)[1] is not None:
            raise RuntimeError(
                f"{what} a forward gradient at the same level {number} is not supported."
            )
    return paired(found, tensor, tangent)


def paired(level: DualLevel, tensor: Tensor, tangent: Tensor) -> DualTensor:
    """Create a dual tensor of a level, after checking that the tangent fits."""
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original "
            f"Tensor, this is not supported. Tensor is of size {list(tensor.shape)} while the "
            f"given forward gradient is of size {list(tangent.shape)}."
        )
    if tensor.dtype != tangent.dtype or tensor.device != tangent.device:
        raise RuntimeError(
            "Expected the tangent to have the tensor's dtype and device, "
            f"{tensor.dtype} on {tensor.device}, but got {tangent.dtype} on {tangent.device}"
        )
    return DualTensor.make(level, tensor.view_as(tensor), tangent if _enabled else None)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return the value of a dual tensor, and its tangent.

    Args:
        tensor: Any tensor; one that is not dual has a tangent of None.
        level: The level of the tangent; the last one entered by default.

    Example:
        >>> import torch.autograd.forward_ad as fwAD
        >>> fwAD.unpack_dual(torch.tensor(3.0))
        UnpackedDualTensor(primal=tensor(3.), tangent=None)
    """
    found = _level(level)
    if found is None:
        return UnpackedDualTensor(
            tensor._inner() if isinstance(tensor, DualTensor) else tensor, None
        )
    return UnpackedDualTensor(*unpacked(tensor, found))


class dual_level(_DecoratorContextManager):
    """Enter a level of forward-mode differentiation for the length of a block.

    Example:
        >>> import torch.autograd.forward_ad as fwAD
        >>> x, v = torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.0])
        >>> with fwAD.dual_level():
        ...     y = fwAD.make_dual(x, v).sin()
        ...     fwAD.unpack_dual(y).tangent
        tensor([1., 0.])
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *error: Any) -> None:
        exit_dual_level()


def _is_fwd_grad_enabled() -> bool:
    return _enabled


class _set_fwd_grad_enabled(_DecoratorContextManager):
    """Switch forward mode on or off, until the end of a block if used as a context manager."""

    def __init__(self, mode: bool) -> None:
        global _enabled
        self.previous = _enabled
        _enabled = mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        global _enabled
        _enabled = self.previous
