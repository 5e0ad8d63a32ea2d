"""The repr of masked tensors."""

from __future__ import annotations

import textwrap

import torch

Tensor = torch.Tensor


def masked_text(data: Tensor, mask: Tensor) -> str:
    """Return the repr of a masked tensor."""
    if data.layout != torch.strided:
        data, mask = data.to_dense(), mask.to_dense()
    if not data.dim():
        shown = _element(data.item()) if mask.item() else "--"
        return f"MaskedTensor({shown}, {mask.item()})"
    return f"MaskedTensor(\n{textwrap.indent(_block(data, mask), '  ')}\n)"


def _block(data: Tensor, mask: Tensor) -> str:
    if data.dim() == 1:
        return f"[{_row(data, mask)}]"
    parts = (_block(d, m) for d, m in zip(data, mask, strict=True))
    return "[\n" + ",\n".join(textwrap.indent(part, "  ") for part in parts) + "\n]"


def _row(data: Tensor, mask: Tensor) -> str:
    elements = [_element(value) for value in data.tolist()]
    kept = mask.tolist()
    width = max((len(e) if k else 8 for e, k in zip(elements, kept, strict=True)), default=0)
    return ", ".join(e if k else "--".rjust(width) for e, k in zip(elements, kept, strict=True))


def _element(value: float) -> str:
    return f"{value:8.4f}" if isinstance(value, float) else str(value)
