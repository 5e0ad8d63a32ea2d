"""What functions refuse and what they just still take, run on both libraries; see both.py."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import both

import torch
import torch.nn.functional as F

CASES: dict[str, Callable[[], Any]] = {}
X = torch.tensor([[0.5, -1.25, 2.0, 1.0], [-0.75, 0.0, 3.5, 2.0]])
INFINITE, NEGATIVE = torch.tensor([1.0, float("inf")]), torch.tensor([1.0, -1.0])
WEIGHTS: dict[str, dict[str, torch.Tensor]] = {
    "matrix of frequencies": {"fweights": torch.ones(2, 2).long()},
    "matrix of weights": {"aweights": torch.ones(2, 2)},
    "floating frequencies": {"fweights": torch.ones(4)},
    "integer weights": {"aweights": torch.ones(4).long()},
    "too few frequencies": {"fweights": torch.ones(3).long()},
    "too few weights": {"aweights": torch.ones(3)},
    "negative frequencies": {"fweights": -torch.ones(4).long()},
    "negative weights": {"aweights": -torch.ones(4)},
    "one frequency": {"fweights": torch.tensor(2)},
}
for _name, _weights in WEIGHTS.items():
    CASES[f"error: cov: {_name}"] = lambda weights=_weights: torch.cov(X, **weights)
CASES["error: cov: booleans"] = lambda: torch.cov(X > 0)
CASES["cov: one observation"] = lambda: torch.cov(X[:, 0], fweights=torch.tensor([2, 1]))
CASES["error: gradient: repeated dimension"] = lambda: torch.gradient(X, dim=(1, -1))
CASES["gradient: no spacing"] = lambda: [
    torch.gradient(X, spacing=None),
    torch.gradient(X, spacing=None, dim=0),
]
CASES["error: gradient: devices"] = lambda: torch.gradient(
    X, spacing=(torch.ones(4, device="meta"),), dim=1
)
CASES["error: masked_scatter: numbers as mask"] = lambda: torch.masked_scatter(
    X, torch.ones(2, 4), X
)
CASES["error: masked_scatter: bytes as mask"] = lambda: X.clone().masked_scatter_(X.byte(), X)
CASES["error: multinomial: negative"] = lambda: torch.multinomial(NEGATIVE, 1)
CASES["error: multinomial: infinite"] = lambda: torch.multinomial(INFINITE, 2)
CASES["error: multinomial: negative, replaced"] = lambda: torch.multinomial(
    NEGATIVE, 2, replacement=True
)
CASES["error: multinomial: infinite, replaced"] = lambda: torch.multinomial(
    INFINITE, 2, replacement=True
)
for _shape, _prefix in [
    *(((2, 1), ""), ((1, 4), ""), ((2,), ""), ((2, 4), "")),
    *(((4,), "error: "), ((1, 1), "error: "), ((2, 2), "error: ")),
]:
    CASES[f"{_prefix}gaussian_nll_loss: {_shape}"] = lambda shape=_shape: F.gaussian_nll_loss(
        X, X + 1, torch.full(shape, 2.0)
    )
CASES["gaussian_nll_loss: middle"] = lambda: F.gaussian_nll_loss(
    X[:, None], X[:, None] + 1, torch.ones(1, 1, 4)
)
CASES["error: linear_cross_entropy: bias"] = lambda: F.linear_cross_entropy(
    X, torch.ones(2, 4), torch.tensor([0, 1]), linear_bias=torch.ones(3)
)
CASES["error: linear_cross_entropy: no batch"] = lambda: F.linear_cross_entropy(
    torch.ones(3), torch.ones(2, 4, 3), torch.tensor([0, 1, 1, 0])
)
ROW, PLANE, BOX = torch.ones(1, 1, 4), torch.ones(1, 1, 4, 4), torch.ones(1, 1, 4, 4, 4)
SCORES, LABELS = torch.ones(3, 4), torch.tensor([0, 1, 2])
REFUSED: dict[str, Callable[[], Any]] = {
    "avg_pool1d: padding": lambda: F.avg_pool1d(ROW, 2, padding=-1),
    "avg_pool2d: padding": lambda: F.avg_pool2d(PLANE, 2, padding=(0, -1)),
    "avg_pool3d: padding": lambda: F.avg_pool3d(BOX, 2, padding=-1),
    "avg_pool3d: padding of an empty image": lambda: F.avg_pool3d(BOX[:, :0], 2, padding=2),
    "max_pool2d: padding": lambda: F.max_pool2d(PLANE, 2, padding=-1),
    "max_pool2d: no rows": lambda: F.max_pool2d(PLANE[:, :, :0], 2),
    "max_pool3d: small image": lambda: F.max_pool3d(BOX[:, :, :1], 2),
    "conv2d: dilation": lambda: F.conv2d(PLANE, PLANE[..., :2, :2], dilation=0),
    "conv2d: dimensions": lambda: F.conv2d(PLANE, ROW),
    "max_unpool2d: indices": lambda: F.max_unpool2d(PLANE, PLANE[..., :1].long(), 2),
    "multi_margin_loss: matrix": lambda: F.multi_margin_loss(SCORES, SCORES.long()),
    "multi_margin_loss: targets": lambda: F.multi_margin_loss(SCORES, LABELS[:2]),
    "multi_margin_loss: weight": lambda: F.multi_margin_loss(SCORES, LABELS, weight=SCORES[0, :3]),
    **{
        f"{name}: length": lambda name=name: getattr(torch.signal.windows, name)(-1)
        for name in ("blackman", "general_hamming", "hamming", "hann", "nuttall")
    },
}
CASES.update({f"error: {name}": case for name, case in REFUSED.items()})


def pickled_options() -> Any:
    """Return the state that is pickled, which the other library reads."""
    options = torch.nn.LinearCrossEntropyOptions(batch_chunk_size=2)
    again = pickle.loads(pickle.dumps(options))
    return [again == options, options.__reduce_ex__(2)[2]]


CASES["pickled options"] = pickled_options

# ---- pools
ONES = torch.arange(1.0, 3.0)[None, None]
for _window in ((2, 2, 1, 2), (2, 1, 1, 3)):
    for _count in (1, 2):
        if (_window, _count) == ((2, 1, 1, 3), 1):
            continue  # no window fits
        CASES[f"max_pool1d: windows in the padding: {_window} {_count}"] = (
            lambda window=_window, count=_count: F.max_pool1d(
                ONES[..., :count], *window, return_indices=True
            )
        )
CASES["max_pool2d: windows in the padding"] = lambda: [
    F.max_pool2d(torch.ones(1, rows, columns), 2, 2, 1, 2)
    for rows, columns in ((1, 1), (1, 3), (3, 1))
]
CASES["max_pool3d: windows in the padding"] = lambda: F.max_pool3d(
    torch.ones(1, 1, 3, 1), 2, 2, 1, 2
)
for _name in ("adaptive_avg_pool3d", "adaptive_max_pool3d"):
    CASES[f"error: {_name}: no channels"] = lambda name=_name: getattr(F, name)(
        torch.ones(2, 0, 5, 5, 5), 2
    )
CASES["fractional_max_pool: no output"] = lambda: [
    list(F.fractional_max_pool2d(torch.ones(1, 3, 5, 5), 2, output_size=0).shape),
    list(F.fractional_max_pool3d(torch.ones(1, 3, 5, 5, 5), 2, output_size=(3, 3, 0)).shape),
]
CASES["error: fractional_max_pool2d: too large"] = lambda: F.fractional_max_pool2d(
    torch.ones(1, 3, 5, 5), 2, output_size=9
)
CASES["error: fractional_max_pool2d: no channels"] = lambda: F.fractional_max_pool2d(
    torch.ones(1, 0, 5, 5), 2, output_size=3
)

for _hidden, _input in (((2, 1), (2, 4)), ((1, 3), (4,)), ((3,), (2, 4)), ((2, 1), (2, 5))):
    CASES[f"error: RNNCell: {_hidden} {_input}"] = lambda hidden=_hidden, given=_input: (
        torch.nn.RNNCell(4, 3)(torch.ones(given), torch.ones(hidden))
    )
CASES["error: Sequential: a list"] = lambda: torch.nn.Sequential().insert(0, [torch.nn.ReLU()])


def attend(length: int, **settings: Any) -> torch.Tensor:
    torch.manual_seed(0)
    layer = torch.nn.MultiheadAttention(2, 1)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(length)
    x = torch.arange(4.0).view(1, 2, 2)
    return layer(x, x, x, attn_mask=mask, is_causal=True, **settings)[0]


CASES["attention: hint with another mask"] = lambda: attend(2, need_weights=False)
CASES["error: attention: weights with another mask"] = lambda: attend(2)
for _which in ("k", "v"):
    CASES[f"error: attention: bias of static {_which}"] = lambda which=_which: (
        F.multi_head_attention_forward(
            *[torch.ones(1, 1, 2)] * 3,
            *(2, 1, torch.ones(6, 2), None, torch.ones(1, 1, 2), torch.ones(1, 1, 2), False, 0.0),
            *(torch.ones(2, 2), None),
            **{f"static_{which}": torch.ones(1, 1, 2)},
        )
    )
Z = X + 1j
for _name in ("heaviside", "fmax", "fmin"):
    CASES[f"error: {_name}: complex"] = lambda name=_name: getattr(torch, name)(Z, Z)
    CASES[f"error: {_name}: complex and real"] = lambda name=_name: getattr(torch, name)(X, Z)
CASES["error: heaviside: output of another dtype"] = lambda: torch.heaviside(X, X, out=X.double())
CASES["lcm: products that wrap"] = lambda: [
    torch.lcm(torch.tensor(a, dtype=dtype), torch.tensor(b, dtype=dtype))
    for a, b, dtype in (
        ([-32768, 32767, -6, 32767], [3, 2, 4, 32766], torch.int16),
        ([-128, 127, 100], [3, 126, 99], torch.int8),
        ([200, 255], [199, 254], torch.uint8),
        ([70000, -70001], [70001, 69999], torch.int32),
    )
]
CASES["pow: outputs of other dtypes"] = lambda: [
    torch.pow(base, torch.tensor([2, 3]).to(dtype), out=torch.zeros(2, dtype=kind))
    for base in (1, 2, 2.5)
    for dtype in (torch.uint8, torch.int64, torch.float64)
    for kind in (torch.float32, torch.complex64)
]
CASES["error: pow: integer output"] = lambda: torch.pow(2.5, X.long(), out=X.long())
for _name, _bounds in {
    "of another dtype": torch.arange(3.0).double(),
    "in rows": torch.ones(1, 2),
    "a number": torch.tensor(1.0).double(),
    "one": torch.ones(1),
    "none": torch.ones(0),
}.items():
    CASES[f"error: histogram: bounds: {_name}"] = lambda bounds=_bounds: torch.histogram(X, bounds)
    CASES[f"error: histogramdd: bounds: {_name}"] = lambda bounds=_bounds: torch.histogramdd(
        X[:, :2], [torch.arange(3.0), bounds]
    )
for _name in ("cumsum", "cumprod", "logcumsumexp", "sort"):

    def _overlapping(name: str = _name) -> Any:
        memory = torch.arange(6.0)
        written = memory[1:4]
        out = (written, torch.empty(3).long()) if name == "sort" else written
        return getattr(torch, name)(memory[:3], dim=0, out=out)

    CASES[f"error: {_name}: overlapping output"] = _overlapping

if __name__ == "__main__":
    both.record(CASES)
