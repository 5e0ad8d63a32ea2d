"""Calls with nested tensors: Python expressions, whose outcomes both libraries return."""

from __future__ import annotations

import io
from typing import Any

import both

import torch
from torch import nn
from torch.nn import functional as F

# Expressions of both layouts.
COMMON = [
    "nt",
    "nt.unbind()",
    "nt.dim(), nt.numel(), nt.is_nested, nt.requires_grad",
    "nt.size(0), nt.size(-1)",
    "nt.is_contiguous()",
    "nt[0]",
    "nt[1, 2]",
    "nt.select(0, 1)",
    "nt.values()",
    "nt.to_padded_tensor(0.0)",
    "nt.to_padded_tensor(-1.0, (3, 6, 3))",
    "torch.nested.to_padded_tensor(nt, 2.0)",
    "nt.numpy()",
    "nt + 1",
    "1 + nt",
    "nt - 1",
    "nt * 2",
    "nt / 2",
    "-nt",
    "abs(nt)",
    "nt + nt",
    "nt - nt",
    "nt * nt",
    "nt == 1",
    "nt > 1",
    "nt >= 1",
    "nt + torch.tensor(2.0)",
    "nt.masked_fill(nt > 1, 0.0)",
    "nt.sin()",
    "nt.cos()",
    "nt.sqrt()",
    "nt.tanh()",
    "nt.neg()",
    "nt.abs()",
    "nt.sgn()",
    "nt.isnan()",
    "nt.logical_not()",
    "F.relu(nt)",
    "F.silu(nt)",
    "nt.clone().add_(1)",
    "nt.clone().mul_(2)",
    "nt.clone().neg_()",
    "nt.clone().relu_()",
    "nt.clone().fill_(3)",
    "nt.clone().zero_()",
    "nt.clone().copy_(nt * 2)",
    "F.linear(nt, W)",
    "F.linear(nt, W, bias)",
    "nt.transpose(1, 2) @ nt",
    "F.softmax(nt, -1)",
    "F.softmax(nt, 1)",
    "F.softmax(nt, 0)",
    "F.layer_norm(nt, (3,), ones, ones)",
    "F.dropout(nt, 0.5, False)",
    "F.dropout(nt, 1.0)",
    "nt.sum(-1, keepdim=True)",
    "nt.var()",
    "nt.sort()",
    "nt.transpose(1, 2)",
    "nt.transpose(0, 1)",
    "nt.transpose(1, 2).contiguous().unbind()",
    "nt.unsqueeze(-1).unbind()",
    "nt.unsqueeze(1).unbind()",
    "nt.unsqueeze(0)",
    "nt.unsqueeze(-1).squeeze(-1).unbind()",
    "nt.squeeze(0)",
    "nt.view(3, -1, 3, 1).unbind()",
    "nt.reshape(3, -1, 1, 3).unbind()",
    "nt.chunk(3, -1)",
    "nt.split_with_sizes([1, 2], -1)",
    "torch.cat([nt, nt], -1)",
    "nt.detach().unbind()",
    "nt.to(torch.float64).unbind()",
    "nt.double().dtype",
    "nt.int().unbind()",
    "torch.zeros_like(nt).unbind()",
    "torch.ones_like(nt).unbind()",
    "nt.addmm(nt, nt)",
    "torch.addcmul(nt, nt, nt)",
    "nt.roll(1)",
    "nt.flip(0)",
    "F.embedding(torch.nested.nested_tensor([[0, 1], [2]], layout=nt.layout), W).unbind()",
    "torch.nested.as_nested_tensor(nt, layout=nt.layout) is nt",
    "saved(nt).unbind()",
]
JAGGED = [
    "sdpa(nt)",
    "nt.size(1) == nt.shape[1], nt.shape[1] == 5, nt.size(1) >= 2",
    "nt.offsets(), nt.lengths()",
    "len(nt)",
    "1 - nt",
    "2 / nt",
    "nt ** 2",
    "nt % 2",
    "nt + ones",
    "nt * torch.ones(1, 1, 3)",
    "nt + torch.ones(3, 1, 3)",
    "nt * torch.arange(9.0).reshape(3, 1, 3)",
    "nt + torch.ones(2, 3)",
    "nt + torch.ones(4, 1, 3)",
    "nt + torch.ones(1, 3, 1, 3)",
    "nt + other",
    "torch.maximum(nt, nt)",
    "torch.clamp(nt, 0, 1)",
    "torch.where(nt > 1, nt, -nt)",
    "nt.exp()",
    "nt.sigmoid()",
    "F.elu(nt)",
    "nt @ W.t()",
    "nt @ torch.ones(3, 3, 2)",
    "nt @ nt.transpose(1, 2)",
    "torch.bmm(nt, torch.ones(3, 3, 2))",
    "F.log_softmax(nt, -1)",
    "F.log_softmax(nt, 1)",
    "F.rms_norm(nt, (3,))",
    "nt.sum()",
    "nt.sum(1)",
    "nt.sum(-1)",
    "nt.sum(0)",
    "nt.sum((0, 1))",
    "nt.sum(1, keepdim=True)",
    "nt.sum((1, 2))",
    "nt.mean()",
    "nt.mean(1)",
    "nt.mean(-1)",
    "nt.mean(1, keepdim=True)",
    "nt.prod(1)",
    "nt.amax(1)",
    "nt.amin(1)",
    "nt.max()",
    "nt.max(-1)",
    "nt.argmax(1)",
    "(nt > 1).any(1)",
    "nt.permute(0, 2, 1)",
    "nt.permute(1, 0, 2)",
    "nt.flatten(1)",
    "nt.unflatten(-1, (3, 1)).flatten(-2, -1).unbind()",
    "nt.chunk(2, 0)",
    "nt.split(1, -1)",
    "nt.narrow(-1, 0, 2)",
    "nt.narrow(1, 0, 1)",
    "torch.cat([nt, nt], 0)",
    "torch.stack([nt, nt], -1)",
    "nt.expand(3, -1, 3).unbind()",
    "nt.half().dtype",
    "torch.full_like(nt, 2).unbind()",
    "torch.is_same_size(nt, other)",
    "nt.reshape(9, 2)",
    "nt.select(-1, 0)",
    "nt.mT",
    "torch.nested.nested_tensor_from_jagged(rows, torch.tensor([0, 1, 4])).unbind()",
    "torch.nested.nested_tensor_from_jagged(rows, lengths=torch.tensor([1, 3])).to_padded_tensor(0.0)",
    "holes.unbind()",
    "holes",
    "holes.sum(1)",
    "(holes * 2).unbind()",
    "holes.contiguous()",
    "holes.numel()",
    "torch.nested.nested_tensor_from_jagged(rows)",
    "torch.nested.nested_tensor_from_jagged(rows, torch.tensor([0, 4]), jagged_dim=0)",
    "torch.nested.narrow(rows, 1, 0, torch.tensor([1, 2, 3, 1]), layout=torch.jagged).unbind()",
    "torch.nested.narrow(rows, 0, 0, 1, layout=torch.jagged)",
    "torch.nested.masked_select(rows, rows > 2).unbind()",
    "torch.nested.masked_select(rows, rows > 2)",
    "torch.nested.as_nested_tensor(rows, layout=torch.jagged).unbind()",
]
STRIDED = [
    "F.scaled_dot_product_attention(nt.unsqueeze(1), nt.unsqueeze(1), nt.unsqueeze(1)).unbind()",
    "nt.size(1)",
    "nt.shape",
    "nt[..., 0]",
    "nt.to_padded_tensor(-1.0, (3, 6, 4))",
    "nt.to_padded_tensor(0.0, (3, 2, 3))",
    "nt + ones",
    "nt == nt",
    "nt < 1",
    "nt.exp()",
    "torch.cat([nt, nt], 0)",
    "nt.narrow(0, 0, 2)",
    "nt.split([1, 2], -1)",
    "nt.chunk(2, -1)",
    "nt.squeeze()",
    "torch.nested.nested_tensor([torch.ones(2, 3), torch.zeros(1, 2)]).transpose(1, 2)",
    "torch.nested.nested_tensor([torch.ones(2, 3), torch.zeros(1, 2)]).to_padded_tensor(5.0)",
    "torch.nested.nested_tensor([[1, 2], [3]])",
    "torch.nested.nested_tensor([])",
    "torch.nested.nested_tensor([rows, rows[0]])",
    "torch.nested.nested_tensor(3)",
    "torch.nested.as_nested_tensor(rows).unbind()",
    "torch.nested.as_nested_tensor(rows[0])",
    "torch.nested.as_nested_tensor(3)",
    "torch.nested.nested_tensor([rows], layout=torch.sparse_coo)",
    "torch.nested.narrow(rows, 0, 1, 2)",
    "torch.nested.nested_tensor([rows], requires_grad=True)",
]
GRADIENTS = [
    "x * x",
    "x.to_padded_tensor(0.0)",
    "F.linear(x, W)",
    "F.layer_norm(x, (3,), ones, ones)",
    "x.transpose(1, 2).contiguous()",
    "x.unbind()[1]",
    "x[1]",
    "x.sin()",
    "F.relu(x)",
    "x.unsqueeze(-1)",
    "x.reshape(3, -1, 3, 1)",
    "x.clone()",
    "x.double()",
    "x + x",
    "x.transpose(1, 2) @ x",
    "F.dropout(x, 0.0)",
    "x / 2",
    "x.masked_fill(x > 1, 0.0)",
]
LAYOUTS = {"jagged": torch.jagged, "strided": torch.strided}


def sdpa(nt: Any) -> Any:
    """Attend with one head of size 3, (B, 1, *, 3)."""
    heads = nt.unsqueeze(2).transpose(1, 2)
    return F.scaled_dot_product_attention(heads, heads, heads).transpose(1, 2).unbind()


def saved(nt: Any) -> Any:
    """Save and load."""
    file = io.BytesIO()
    torch.save(nt, file)
    file.seek(0)
    return torch.load(file)


def _components() -> list[torch.Tensor]:
    rows = torch.arange(12.0).reshape(4, 3)
    return [rows[:2], rows - 5, rows[:1]]


def _names(layout: torch.layout) -> dict[str, Any]:
    rows = torch.arange(12.0).reshape(4, 3)
    found = {
        **globals(),
        "rows": rows,
        "ones": torch.ones(3),
        "bias": torch.ones(2),
        "W": torch.arange(6.0).reshape(2, 3) / 5,
        "nt": torch.nested.nested_tensor(_components(), layout=layout),
        "other": torch.nested.nested_tensor(_components(), layout=layout),
    }
    if layout == torch.jagged:
        offsets, lengths = torch.tensor([0, 2, 4]), torch.tensor([1, 2])
        found["holes"] = torch.nested.nested_tensor_from_jagged(rows, offsets, lengths)
    return found


def _shown(value: Any) -> Any:
    """Return what both libraries can pickle: a nested tensor by its components and its kind."""
    if isinstance(value, torch.Tensor) and value.is_nested:
        parts = [part.detach().clone() for part in value.unbind()]
        return [str(value.layout), str(value.dtype), value.is_contiguous(), parts]
    if isinstance(value, (list, tuple)):
        return [_shown(each) for each in value]
    return str(value) if isinstance(value, (torch.dtype, torch.layout)) else value


def _value(expression: str, layout: torch.layout) -> Any:
    torch.manual_seed(0)
    return _shown(eval(expression, _names(layout)))


def _total(result: Any) -> torch.Tensor:
    parts = result.unbind() if result.is_nested else [result]
    return sum((at + 1) * part.double().sum() for at, part in enumerate(parts))  # type: ignore


def _gradient(expression: str, layout: torch.layout) -> Any:
    names = _names(layout)
    leaf = torch.nested.nested_tensor(_components(), layout=layout, requires_grad=True)
    _total(eval(expression, {**names, "x": leaf})).backward()
    parts = [each.clone().requires_grad_() for each in _components()]
    nested = torch.nested.as_nested_tensor(parts, layout=layout)
    _total(eval(expression, {**names, "x": nested})).backward()
    return [_shown(leaf.grad)[3], [part.grad for part in parts]]


def _encoder(**options: Any) -> Any:
    torch.manual_seed(3)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **options)
    encoder = nn.TransformerEncoder(layer, 2).eval()
    for at, parameter in enumerate(encoder.parameters()):
        count = parameter.numel()
        values = torch.arange(count).remainder(7 + at % 3).sub(3).div(10)
        parameter.data.copy_(values.reshape(parameter.shape))
    return encoder


def _padded_encoder(padding: list[list[int]], **options: Any) -> Any:
    source = torch.arange(80.0).remainder(11).sub(5).reshape(2, 5, 8)
    with torch.no_grad():
        mask = torch.tensor(padding, dtype=torch.bool)
        return _encoder(**options)(source, src_key_padding_mask=mask)


def _nested_attention(layout: torch.layout, training: bool = False) -> Any:
    attention = _encoder().layers[0].self_attn.train(training)
    source = torch.arange(40.0).remainder(11).sub(5).reshape(5, 8)
    nested = torch.nested.nested_tensor([source[:2], source[2:]], layout=layout)
    with torch.no_grad():
        result, weights = attention(nested, nested, nested, need_weights=False)
    return [weights is None, _shown(result)[3]]


_LEFT, _HOLES = [[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]], [[0, 1, 0, 1, 1], [0, 0, 0, 0, 0]]
CASES = {
    **{
        f"{name}: {each}": lambda each=each, layout=layout: _value(each, layout)
        for name, layout in LAYOUTS.items()
        for each in (*COMMON, *(JAGGED if name == "jagged" else STRIDED))
    },
    **{
        f"{name}: gradient of {each}": lambda each=each, layout=layout: _gradient(each, layout)
        for name, layout in LAYOUTS.items()
        for each in GRADIENTS
    },
    "encoder drops padding": lambda: _padded_encoder(_LEFT),
    "encoder keeps padding between": lambda: _padded_encoder(_HOLES),
    "encoder with gelu drops padding": lambda: _padded_encoder(_LEFT, activation="gelu"),
    "nested attention": lambda: _nested_attention(torch.strided),
    "nested attention in training": lambda: _nested_attention(torch.strided, training=True),
}
if __name__ == "__main__":
    both.record(CASES)
