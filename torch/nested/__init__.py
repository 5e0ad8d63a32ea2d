"""Nested tensors: batches of tensors whose sizes may differ.

Two layouts exist. In torch.strided, components may differ in all dimensions. In torch.jagged they differ
in one, the ragged dimension, so that packed values and offsets describe them; most functions have a form
for these. The size of the ragged dimension is a symbol, such as j1, equal for tensors that share offsets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._dynamo.decorators import _DimRange
from torch._module_signatures import bind as _bind
from torch.nested import _constructors, _routing
from torch.nested._base import is_nested as _is_nested
from torch.nested._internal.nested_tensor import NestedTensor as _NestedTensor
from torch.nested._internal.nested_tensor import _rebuild_njt

__all__ = [
    "as_nested_tensor",
    "masked_select",
    "narrow",
    "nested_tensor",
    "nested_tensor_from_jagged",
    "to_padded_tensor",
]

torch.serialization.add_safe_globals([_NestedTensor, _rebuild_njt, _DimRange])
Tensor = torch.Tensor


def nested_tensor(
    tensor_list: Sequence[Any],
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Create a nested tensor without history of a copy of components.

    Args:
        tensor_list: The components: tensors, or what torch.tensor takes, with equally many dimensions.
        dtype: The dtype; that of the first component if None.
        layout: torch.strided, the default, or torch.jagged.
        device: The device; that of the first component if None.
        requires_grad: Whether to record operations for gradients.
        pin_memory: Whether to use pinned memory.

    Raises:
        TypeError: If `tensor_list` is no list or tuple.
        RuntimeError: If the components do not fit together in the layout.

    Example:
        >>> torch.nested.nested_tensor([torch.arange(2), torch.arange(3)])
        nested_tensor([
          tensor([0, 1]),
          tensor([0, 1, 2])
        ])
    """
    if not isinstance(tensor_list, (list, tuple)):
        raise TypeError(
            "Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor"
        )
    parts = [each if isinstance(each, Tensor) else torch.as_tensor(each) for each in tensor_list]
    with torch.no_grad():
        if layout == torch.jagged:
            found = _constructors.jagged_from_list(parts, dtype, device)
        else:
            _require_strided(layout, "nested tensors")
            found = _constructors.strided_from_list(parts, dtype, device)
    found = found.pin_memory() if pin_memory else found
    return found.requires_grad_(requires_grad)  # type: ignore[no-any-return]


def as_nested_tensor(
    ts: Tensor | Sequence[Tensor],
    dtype: torch.dtype | None = None,
    device: Any = None,
    layout: torch.layout | None = None,
) -> Tensor:
    """Create a nested tensor of components or of the rows of a tensor; gradients flow to these.

    Args:
        ts: A list or tuple of tensors, a tensor with at least 2 dimensions, or a nested tensor.
        dtype: The dtype; that of the first component if None.
        device: The device; that of the first component if None.
        layout: torch.strided, the default, or torch.jagged.

    Raises:
        TypeError: If `ts` is neither a tensor nor a list of tensors.
        RuntimeError: If the components do not fit together in the layout.

    Example:
        >>> a = torch.ones(2, requires_grad=True)
        >>> nested = torch.nested.as_nested_tensor([a, torch.ones(3)], layout=torch.jagged)
        >>> nested.sum().backward()
        >>> a.grad
        tensor([1., 1.])
    """
    is_list = isinstance(ts, (list, tuple)) and all(isinstance(each, Tensor) for each in ts)
    if not isinstance(ts, Tensor) and not is_list:
        raise TypeError(
            "as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of tensors "
        )
    if isinstance(ts, Tensor) and ts.dim() < 2:
        raise RuntimeError("as_nested_tensor(): Expected tensor argument to have dim() > 1")
    if isinstance(ts, Tensor) and _is_nested(ts):
        if layout != ts.layout:
            raise RuntimeError(
                "as_nested_tensor(): Converting between nested tensor layouts is not supported"
            )
        return ts.to(device=device, dtype=dtype)
    if layout == torch.jagged:
        if isinstance(ts, Tensor):
            return _constructors.jagged_from_tensor(ts, dtype, device)  # type: ignore[no-any-return]
        return _constructors.jagged_from_list(ts, dtype, device)  # type: ignore[no-any-return]
    _require_strided(layout, "nested tensors")
    if isinstance(ts, Tensor):
        return _constructors.strided_from_tensor(ts, dtype, device)  # type: ignore[no-any-return]
    return _constructors.strided_from_list(ts, dtype, device)  # type: ignore[no-any-return]


def nested_tensor_from_jagged(
    values: Tensor,
    offsets: Tensor | None = None,
    lengths: Tensor | None = None,
    jagged_dim: int | None = None,
    min_seqlen: int | None = None,
    max_seqlen: int | None = None,
) -> Tensor:
    """Create a jagged nested tensor of packed values; gradients flow to these.

    Args:
        values: The components one after the other, (sum of lengths, ...).
        offsets: Where each component begins, and where the last ends, (B + 1).
        lengths: The lengths of the components, (B); with `offsets`, holes may follow the components.
        jagged_dim: The ragged dimension of the result, which is 1 if None.
        min_seqlen: The shortest length, if it is known.
        max_seqlen: The longest length, if it is known, to which `to_padded_tensor` pads.

    Raises:
        RuntimeError: If neither `offsets` nor `lengths` is given.
        ValueError: If `jagged_dim` is less than 1.

    Example:
        >>> nt = torch.nested.nested_tensor_from_jagged(torch.arange(5), torch.tensor([0, 2, 5]))
        >>> nt.unbind()
        (tensor([0, 1]), tensor([2, 3, 4]))
    """
    if offsets is None:
        if lengths is None:
            raise RuntimeError(
                "nested_tensor_from_jagged(): At least one of offsets or lengths is required."
            )
        offsets, lengths = _offsets(lengths), None
    if jagged_dim is not None and jagged_dim < 1:
        raise ValueError(f"Expected jagged_dim >=1, but got {jagged_dim}.")
    return _constructors.jagged(  # type: ignore[no-any-return]
        values, offsets, lengths, jagged_dim or 1, min_seqlen, max_seqlen
    )


def narrow(
    tensor: Tensor,
    dim: int,
    start: int | Tensor,
    length: int | Tensor,
    layout: torch.layout = torch.strided,
) -> Tensor:
    """Create a nested tensor of a part of each row of a tensor.

    Args:
        tensor: The rows, (B, ...).
        dim: The dimension to narrow; 1 for torch.jagged.
        start: Where the parts begin: a number, or for torch.jagged one for each row, (B).
        length: How long the parts are: a number, or for torch.jagged one for each row, (B).
        layout: torch.strided makes a copy, torch.jagged a view of the tensor.

    Raises:
        RuntimeError: If the arguments do not fit the layout.

    Example:
        >>> rows = torch.arange(6).reshape(2, 3)
        >>> lengths = torch.tensor([1, 2])
        >>> torch.nested.narrow(rows, 1, 0, lengths, layout=torch.jagged).unbind()
        (tensor([0]), tensor([3, 4]))
    """
    for name, value in (("start", start), ("length", length)):
        if not isinstance(value, (int, Tensor)):
            raise RuntimeError(f"{name} must be an integer or a tensor")
    if layout == torch.jagged:
        if dim != 1:
            raise RuntimeError("jagged layout only supports dim=1")
        starts, lengths = (
            torch.tensor([each], device=tensor.device) if isinstance(each, int) else each
            for each in (start, length)
        )
        return _constructors.jagged_narrow(tensor, starts, lengths)  # type: ignore[no-any-return]
    _require_strided(layout, "nested narrow")
    if isinstance(start, Tensor) or isinstance(length, Tensor):
        raise RuntimeError("start and length must be integers for the strided layout NT impl")
    return as_nested_tensor(tensor.unbind()).narrow(dim, start, length)


def masked_select(tensor: Tensor, mask: Tensor) -> Tensor:
    """Create a jagged nested tensor of the elements of each row that a mask keeps.

    Args:
        tensor: The rows; the last dimension becomes the ragged one.
        mask: True for elements to keep; a boolean tensor that broadcasts to the tensor.

    Raises:
        RuntimeError: If one of them is not strided.

    Example:
        >>> mask = torch.tensor([[True, False], [True, True]])
        >>> torch.nested.masked_select(torch.arange(4).reshape(2, 2), mask).unbind()
        (tensor([0]), tensor([2, 3]))
    """
    if tensor.layout != torch.strided:
        raise RuntimeError(
            f"torch.nested.masked_select requires a strided tensor, given {tensor.layout}"
        )
    if mask.layout != torch.strided:
        raise RuntimeError(
            f"torch.nested.masked_select requires a strided mask, given: {mask.layout}"
        )
    lengths = mask.expand(tensor.shape).sum(-1).view(-1)
    return _constructors.jagged(  # type: ignore[no-any-return]
        tensor.masked_select(mask), _offsets(lengths)
    )


def to_padded_tensor(
    input: Tensor,
    padding: float,
    output_size: Sequence[int] | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return a plain tensor in which a value fills what the components do not.

    Args:
        input: A nested tensor.
        padding: The value.
        output_size: The size of the result; the largest sizes of the components if None.
        out: The tensor to write the result to.

    Raises:
        RuntimeError: If `output_size` is too small.

    Example:
        >>> nt = torch.nested.nested_tensor([torch.tensor([1.0]), torch.tensor([2.0, 3.0])])
        >>> torch.nested.to_padded_tensor(nt, 0.0)
        tensor([[1., 0.],
                [2., 3.]])
    """
    return input.to_padded_tensor(padding, output_size, out)


def _require_strided(layout: torch.layout | None, what: str) -> None:
    if layout not in (None, torch.strided):
        raise RuntimeError(f"Specified layout is unsupported for {what}: {layout}")


def _offsets(lengths: Tensor) -> Tensor:
    return torch.cat([lengths.new_zeros(1, dtype=torch.int64), lengths.cumsum(0)])


globals().update(_bind("nested", globals()))
