"""Dual tensors of forward-mode differentiation: a primal value and its tangent."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import _C
from torch._transforms.levels import (
    Level,
    LevelTensor,
    map_tensors,
    tensors_in,
    without_graph,
    wrapper_of,
)

Tensor = torch.Tensor


class DualTensor(LevelTensor):
    """A tensor of a dual level; a tangent of None is zero."""

    _primal: Tensor
    _tangent: Tensor | None
    _origin: tuple[DualTensor, Any] | None = None
    """The base of a view without tangent, and the function that makes the view from a tangent."""

    @staticmethod
    def make(level: DualLevel, primal: Tensor, tangent: Tensor | None) -> DualTensor:
        """Pair a primal value with its tangent."""
        dual: DualTensor = wrapper_of(level.wrapper, primal, primal.size(), primal.stride())
        if tangent is not None:
            if _pending(tangent) != _pending(primal):
                tangent = _with_pending(tangent, *_pending(primal))
            if tangent.stride() != primal.stride():
                tangent = _with_strides(tangent, primal)
        dual._level, dual._primal, dual._tangent = level, primal, tangent
        return dual

    def _inner(self) -> Tensor:
        return self._primal

    def _shallow_copy(self) -> Tensor:
        """Return a tensor of the same values and tangents; nodes save their results by this."""
        return without_graph(self)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        """Show the values and the tangent."""
        text = repr(self._primal)
        if self._tangent is None or not self._level.alive:
            return text
        return f"{text[:-1]}, tangent={self._tangent!r})"

    def numpy(self, **options: Any) -> Any:
        """Return the primal value as an array."""
        return self._primal.detach().numpy(**options)

    def tolist(self) -> Any:
        """Return the primal value as nested lists."""
        return self._primal.tolist()

    def data_ptr(self) -> int:
        """Return the address of the primal value."""
        return self._primal.data_ptr()

    def untyped_storage(self) -> Any:
        """Return the memory of the primal value."""
        return self._primal.untyped_storage()

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        """Copy the primal value."""
        return self._primal.detach().__deepcopy__(memo)  # type: ignore[no-any-return]

    def __reduce_ex__(self, proto: Any) -> Any:
        """Pickle the primal value."""
        return self._primal.__reduce_ex__(proto)


def _pending(tensor: Tensor) -> tuple[bool, bool]:
    return tensor.is_conj(), tensor.is_neg()


def _with_pending(tensor: Tensor, conjugate: bool, negate: bool) -> Tensor:
    """Copy a tensor so that a conjugation, a negation, both or nothing is pending for the copy.

    A view of a dual tensor is the same view of both of its tensors.
    """
    stored = tensor.resolve_conj().resolve_neg()
    if conjugate:
        stored = stored.conj_physical()._conj()
    return stored.neg()._neg_view() if negate else stored


def _with_strides(tangent: Tensor, primal: Tensor) -> Tensor:
    """Copy a tangent to the strides of its primal value, so that the same views exist of both.

    A primal value whose elements share memory leaves the tangent as it is.
    """
    last = 0
    for stride, size in sorted(zip(primal.stride(), primal.size(), strict=True)):
        if size == 0:
            return tangent
        if size > 1:
            if stride <= last:
                return tangent
            last += stride * (size - 1)
    if tangent.numel() < 2:
        return tangent
    return tangent.new_empty_strided(primal.size(), primal.stride()).copy_(tangent)


class DualLevel(Level):
    """A running forward-mode differentiation."""

    has_tangents = True
    wrapper: type[DualTensor] = DualTensor
    """The class of the level's tensors."""

    def lift(self, tensor: Tensor) -> Tensor:
        """Pair a tensor with a tangent of zero."""
        return DualTensor.make(self, tensor, None)

    def owns(self, value: Any) -> bool:
        """Return whether the value is a tensor of this level."""
        return isinstance(value, DualTensor) and value._level is self

    def split(self, value: Any) -> tuple[Any, Any]:
        """Return the primal values in an argument, and its tangents in the same structure."""
        if isinstance(value, Tensor):
            if self.owns(value):
                return value._primal, tangent_of(value)
            return value, None
        if isinstance(value, (list, tuple)) and any(True for _ in tensors_in(value)):
            pairs = [self.split(item) for item in value]
            tangents = [t for _, t in pairs]
            return [p for p, _ in pairs], tangents if any(
                has_tangent(t) for t in tangents
            ) else None
        return value, None

    def join(self, primals: Any, tangents: Any) -> Any:
        """Pair results with their tangents."""
        if isinstance(primals, Tensor):
            return DualTensor.make(self, primals, tangents)
        if isinstance(primals, (list, tuple)):
            missing = [None] * len(primals)
            pairs = zip(primals, missing if tangents is None else tangents, strict=True)
            items = [self.join(p, t) for p, t in pairs]
            return items if isinstance(primals, list) else tuple(items)
        return primals


def tangent_of(dual: DualTensor) -> Tensor | None:
    """Return the tangent, which a view may have got through what it is a view of."""
    if dual._tangent is None and dual._origin is not None:
        origin, view = dual._origin
        tangent = tangent_of(origin)
        if tangent is not None:
            dual._tangent = view(tangent)
    return dual._tangent


def materialized(dual: DualTensor, like: Tensor) -> Tensor:
    """Give a tensor, and what it is a view of, a tangent of zeros with the levels of `like`."""
    if dual._origin is not None:
        origin, view = dual._origin
        if tangent_of(origin) is None:
            materialized(origin, like)
        dual._tangent = view(origin._tangent)
    else:
        primal = dual._primal
        dual._tangent = like.new_empty_strided(primal.size(), primal.stride()).zero_()
    return dual._tangent


def become_dual(level: DualLevel, tensor: Tensor) -> None:
    """Turn a tensor of the program, and what it is a view of, into tensors of a level.

    Raises:
        RuntimeError: If further tensors share the memory, whose tangents would be missed.
    """
    base = tensor._base if tensor._is_view() else None
    root = tensor if base is None else base
    sharers = _C._storage_use_count(root)
    known = 1 + (base is not None) + getattr(root, "_sharers", 0)
    if isinstance(tensor, LevelTensor) or sharers > known:
        raise RuntimeError(
            "forward AD: an in-place operation cannot write a dual tensor into a tensor that is "
            "not one and shares its memory with others; create the destination from a dual tensor, "
            "e.g. with new_zeros()"
        )
    primal = without_graph(root)
    primal._sharers = sharers  # type: ignore[attr-defined]
    dual = _turned(level, root, primal)
    if base is None:
        return
    size, stride, offset = (
        tensor.size(),
        tensor.stride(),
        tensor.storage_offset() - base.storage_offset(),
    )

    def view(whole: Tensor) -> Tensor:
        return whole.as_strided(size, stride, whole.storage_offset() + offset)

    _turned(level, tensor, view(primal))._origin = dual, view


def _turned(level: DualLevel, tensor: Tensor, primal: Tensor) -> DualTensor:
    """Make a tensor of the program a dual one, without a tangent as yet."""
    _C._set_python_dispatch(tensor)
    tensor.__class__ = DualTensor
    dual = cast("DualTensor", tensor)
    dual._level, dual._primal, dual._tangent = level, primal, None
    return dual


def has_tangent(tangent: Any) -> bool:
    """Return whether a tangent, or one of several, is not zero."""
    if isinstance(tangent, list):
        return any(has_tangent(item) for item in tangent)
    return tangent is not None


def unpacked(value: Any, level: Level) -> tuple[Any, Any]:
    """Return the primal value of a tensor, and its tangent or None at a level."""
    if isinstance(value, DualTensor) and value._level is level and level.alive:
        return value._primal, tangent_of(value)
    return value, None


def without_level(value: Any, level: Level) -> Any:
    """Return the primal values in a result."""
    return map_tensors(lambda t: unpacked(t, level)[0], value)
