"""Layers: their text, state, results and gradients, all from the same seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import both

import torch
from torch import Tensor, nn

CASES: dict[str, Callable[[], Any]] = {}


def values(*shape: int) -> Tensor:
    """Draw the same normal numbers in both libraries, from the global stream."""
    return torch.randn(*shape)


def classes(count: int, *shape: int) -> Tensor:
    return torch.randint(0, count, shape)


def run(
    make: Callable[[], nn.Module],
    inputs: Callable[[], tuple[Any, ...]],
    train: bool,
    calls: int,
    options: dict[str, Any],
) -> Any:
    torch.manual_seed(0)
    module = make().train(train)
    before = dict(module.state_dict())
    before = {name: value.clone() for name, value in before.items()}
    arguments = [
        item.requires_grad_() if isinstance(item, Tensor) and item.is_floating_point() else item
        for item in inputs()
    ]
    for _ in range(calls):
        torch.manual_seed(1)
        result = module(*arguments, **options)
    tensors = [item for item in _flat(result) if item.requires_grad]
    if tensors:
        sum(
            (tensor * torch.arange(tensor.numel()).reshape(tensor.shape)).sum()
            for tensor in tensors
        ).backward()
    gradients = [p.grad for p in module.parameters()]
    own = [a.grad for a in arguments if isinstance(a, Tensor) and a.requires_grad]
    return {
        "repr": repr(module),
        "before": before,
        "result": result,
        "parameter gradients": gradients,
        "input gradients": own,
        "after": module.state_dict(),
    }


def _flat(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in _flat(item)]
    return []


def case(
    name: str,
    make: Callable[[], nn.Module],
    *shapes: tuple[int, ...],
    inputs: Callable[[], tuple[Any, ...]] | None = None,
    train: bool = True,
    calls: int = 1,
    **options: Any,
) -> None:
    made = inputs or (lambda: tuple(values(*shape) for shape in shapes))
    CASES[name] = lambda: run(make, made, train, calls, options)


IMAGE, ROW, SEQUENCE = (2, 4, 9, 9), (2, 4, 9), (5, 2, 8)

case("Linear", lambda: nn.Linear(9, 3), ROW)
case("Linear without bias", lambda: nn.Linear(9, 3, bias=False), (9,))
case("Bilinear", lambda: nn.Bilinear(3, 4, 5), (2, 3), (2, 4))
case("Identity", lambda: nn.Identity(1, a=2), ROW)

for mode in ("zeros", "reflect", "replicate", "circular"):
    case(f"Conv2d {mode}", lambda m=mode: nn.Conv2d(4, 6, 3, padding=1, padding_mode=m), IMAGE)
    case(f"Conv1d {mode}", lambda m=mode: nn.Conv1d(4, 6, 3, 2, 1, groups=2, padding_mode=m), ROW)
case("Conv2d same", lambda: nn.Conv2d(4, 6, 4, padding="same", dilation=2), IMAGE)
case(
    "Conv2d same reflect", lambda: nn.Conv2d(4, 6, 4, padding="same", padding_mode="reflect"), IMAGE
)
case("Conv2d depthwise", lambda: nn.Conv2d(4, 8, 3, groups=4, bias=False), IMAGE)
case("Conv2d one image", lambda: nn.Conv2d(4, 6, (3, 2), (2, 1)), (4, 9, 9))
case("ConvTranspose2d", lambda: nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, 2, dilation=2), IMAGE)
case(
    "ConvTranspose2d to a size", lambda: nn.ConvTranspose2d(4, 6, 3, 2), IMAGE, output_size=[20, 20]
)
case("ConvTranspose1d", lambda: nn.ConvTranspose1d(4, 6, 3, 2), ROW)

for train in (True, False):
    mode = "train" if train else "eval"
    case(f"BatchNorm2d {mode}", lambda: nn.BatchNorm2d(4), IMAGE, train=train, calls=2)
    case(f"BatchNorm1d {mode}", lambda: nn.BatchNorm1d(4, momentum=None), ROW, train=train, calls=2)
    case(
        f"BatchNorm1d plain {mode}",
        lambda: nn.BatchNorm1d(4, affine=False, track_running_stats=False),
        (6, 4),
        train=train,
    )
    case(
        f"InstanceNorm2d {mode}",
        lambda: nn.InstanceNorm2d(4, affine=True, track_running_stats=True),
        IMAGE,
        train=train,
    )
    for kind in ("Dropout", "Dropout2d", "AlphaDropout", "FeatureAlphaDropout"):
        case(f"{kind} {mode}", lambda k=kind: getattr(nn, k)(0.3), IMAGE, train=train)
    case(f"Dropout1d {mode}", lambda: nn.Dropout1d(0.3), ROW, train=train)
case("LayerNorm", lambda: nn.LayerNorm(9), ROW)
case("LayerNorm over two", lambda: nn.LayerNorm([4, 9], bias=False), ROW)
case("RMSNorm", lambda: nn.RMSNorm(9), ROW)
case("GroupNorm", lambda: nn.GroupNorm(2, 4), IMAGE)
case("LocalResponseNorm", lambda: nn.LocalResponseNorm(3), IMAGE)

_PLAIN = (
    "ReLU SiLU Mish SELU Hardswish Hardsigmoid Hardtanh ReLU6 ELU CELU LeakyReLU PReLU Sigmoid Tanh "
    "LogSigmoid Softsign Tanhshrink GELU Softplus"
)
for kind in _PLAIN.split():
    case(kind, lambda k=kind: getattr(nn, k)(), IMAGE)
for kind in ("Softmax", "LogSoftmax", "Softmin", "GLU"):
    case(kind, lambda k=kind: getattr(nn, k)(dim=1), IMAGE)
case("Softmax2d", nn.Softmax2d, IMAGE)
case("Threshold", lambda: nn.Threshold(0.1, 20), IMAGE)
case("GELU tanh", lambda: nn.GELU("tanh"), IMAGE)

case("MaxPool2d", lambda: nn.MaxPool2d(3, 2, 1), IMAGE)
case("MaxPool2d indices", lambda: nn.MaxPool2d(3, 2, 1, return_indices=True, ceil_mode=True), IMAGE)
case("MaxPool1d", lambda: nn.MaxPool1d(2), ROW)
case("AvgPool2d", lambda: nn.AvgPool2d(3, 2, 1, count_include_pad=False), IMAGE)
case("AvgPool1d", lambda: nn.AvgPool1d(3, 2, 1), ROW)
case("LPPool2d", lambda: nn.LPPool2d(2, 3, 2), IMAGE)
case("AdaptiveAvgPool2d", lambda: nn.AdaptiveAvgPool2d((3, None)), IMAGE)
case("AdaptiveAvgPool1d", lambda: nn.AdaptiveAvgPool1d(3), ROW)
case("AdaptiveMaxPool2d", lambda: nn.AdaptiveMaxPool2d(3, True), IMAGE)

for reduction in ("none", "mean", "sum"):
    for kind in ("L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss", "PoissonNLLLoss"):
        case(
            f"{kind} {reduction}",
            lambda k=kind, r=reduction: getattr(nn, k)(reduction=r),
            IMAGE,
            IMAGE,
        )
    case(
        f"KLDivLoss {reduction}",
        lambda r=reduction: nn.KLDivLoss(reduction=r),
        inputs=lambda: (values(*ROW).log_softmax(1), values(*ROW).softmax(1)),
    )
    case(
        f"BCEWithLogitsLoss {reduction}",
        lambda r=reduction: nn.BCEWithLogitsLoss(
            reduction=r, pos_weight=torch.tensor([1.0, 2.0, 0.5])
        ),
        inputs=lambda: (values(4, 3), classes(2, 4, 3).float()),
    )
    case(
        f"BCELoss {reduction}",
        lambda r=reduction: nn.BCELoss(reduction=r),
        inputs=lambda: (values(4, 3).sigmoid().detach(), classes(2, 4, 3).float().clone()),
    )
    case(
        f"HingeEmbeddingLoss {reduction}",
        lambda r=reduction: nn.HingeEmbeddingLoss(reduction=r),
        inputs=lambda: (values(4, 3), classes(2, 4, 3) * 2 - 1),
    )
    case(
        f"CrossEntropyLoss {reduction}",
        lambda r=reduction: nn.CrossEntropyLoss(
            torch.tensor([0.2, 1.0, 0.5, 2.0]), label_smoothing=0.1, ignore_index=1, reduction=r
        ),
        inputs=lambda: (values(*ROW), classes(4, 2, 9)),
    )
    case(
        f"NLLLoss {reduction}",
        lambda r=reduction: nn.NLLLoss(reduction=r),
        inputs=lambda: (values(5, 4), classes(4, 5)),
    )
    case(
        f"CosineEmbeddingLoss {reduction}",
        lambda r=reduction: nn.CosineEmbeddingLoss(0.1, reduction=r),
        inputs=lambda: (values(5, 3), values(5, 3), classes(2, 5) * 2 - 1),
    )
    case(
        f"TripletMarginLoss {reduction}",
        lambda r=reduction: nn.TripletMarginLoss(swap=True, reduction=r),
        (5, 3),
        (5, 3),
        (5, 3),
    )
case(
    "CrossEntropyLoss of probabilities",
    lambda: nn.CrossEntropyLoss(),
    inputs=lambda: (values(5, 4), values(5, 4).softmax(1).detach()),
)
case("CosineSimilarity", nn.CosineSimilarity, IMAGE, IMAGE)
case("PairwiseDistance", lambda: nn.PairwiseDistance(keepdim=True), (5, 3), (5, 3))

case(
    "Embedding of bounded norm",
    lambda: nn.Embedding(10, 4, max_norm=1.0),
    inputs=lambda: (classes(10, 3, 5),),
)
case("Embedding", lambda: nn.Embedding(10, 4, padding_idx=-1), inputs=lambda: (classes(10, 3, 5),))
case("ConstantPad2d", lambda: nn.ConstantPad2d(2, 1.5), IMAGE)
for kind, shape in (
    ("ZeroPad2d", IMAGE),
    ("ReflectionPad1d", ROW),
    ("ReflectionPad2d", IMAGE),
    ("ReplicationPad1d", ROW),
    ("ReplicationPad2d", IMAGE),
    ("CircularPad2d", IMAGE),
):
    case(kind, lambda k=kind: getattr(nn, k)(2), shape)
for mode in ("nearest", "bilinear"):
    case(f"Upsample {mode}", lambda m=mode: nn.Upsample(scale_factor=1.7, mode=m), IMAGE)
case("UpsamplingBilinear2d", lambda: nn.UpsamplingBilinear2d(20), IMAGE)
case("PixelShuffle", lambda: nn.PixelShuffle(2), IMAGE)
case("Flatten", lambda: nn.Sequential(nn.Flatten(), nn.Unflatten(1, (4, 81))), IMAGE)

for kind in ("LSTM", "GRU", "RNN"):
    case(kind, lambda k=kind: getattr(nn, k)(8, 6, 2, bidirectional=True, dropout=0.2), SEQUENCE)
    case(f"{kind} batch first", lambda k=kind: getattr(nn, k)(8, 6, batch_first=True), SEQUENCE)
    case(f"{kind} unbatched", lambda k=kind: getattr(nn, k)(8, 6, bias=False), (5, 8))
    case(f"{kind}Cell", lambda k=kind: getattr(nn, f"{k}Cell")(8, 6), (2, 8))
case("RNN relu", lambda: nn.RNN(8, 6, nonlinearity="relu"), SEQUENCE)


def packed() -> Any:
    """A packed batch through an LSTM and back."""
    torch.manual_seed(0)
    module, batch = nn.LSTM(8, 6, bidirectional=True), values(*SEQUENCE).requires_grad_()
    sequence = nn.utils.rnn.pack_padded_sequence(batch, [3, 5], enforce_sorted=False)
    output, states = module(sequence)
    padded, lengths = nn.utils.rnn.pad_packed_sequence(output)
    padded.sum().backward()
    return (
        tuple(sequence),
        padded,
        lengths,
        states,
        batch.grad,
        [p.grad for p in module.parameters()],
    )


CASES["LSTM packed"] = packed

case("MultiheadAttention", lambda: nn.MultiheadAttention(8, 2), SEQUENCE, SEQUENCE, SEQUENCE)
case(
    "MultiheadAttention of other widths",
    lambda: nn.MultiheadAttention(
        8, 2, kdim=4, vdim=5, add_bias_kv=True, add_zero_attn=True, batch_first=True
    ),
    (2, 5, 8),
    (2, 6, 4),
    (2, 6, 5),
)
case(
    "MultiheadAttention fused",
    lambda: nn.MultiheadAttention(8, 2, batch_first=True),
    (2, 5, 8),
    (2, 6, 8),
    (2, 6, 8),
    need_weights=False,
    attn_mask=torch.zeros(5, 6),
)
case(
    "TransformerEncoder",
    lambda: nn.TransformerEncoder(
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.2), 2
    ),
    (2, 5, 8),
)
case(
    "TransformerEncoderLayer norm first",
    lambda: nn.TransformerEncoderLayer(8, 2, 16, norm_first=True, activation="gelu"),
    SEQUENCE,
    src_mask=nn.Transformer.generate_square_subsequent_mask(5),
    is_causal=True,
)
case("Transformer", lambda: nn.Transformer(8, 2, 1, 1, 16), SEQUENCE, (3, 2, 8))


def prints() -> Any:
    """Return the text of containers."""
    return [
        repr(nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU(True)])),
        repr(nn.ModuleDict({"a": nn.Linear(2, 2, bias=False)})),
        repr(nn.ParameterList([torch.zeros(2), torch.zeros(3, 3)])),
        repr(nn.ParameterDict({"x": torch.zeros(2)})),
        repr(nn.ModuleList()),
        repr(nn.Sequential()),
        repr(nn.LSTM(3, 4, 2, batch_first=True)),
        repr(nn.Embedding(3, 4, padding_idx=0, max_norm=2.0)),
    ]


CASES["containers print"] = prints

if __name__ == "__main__":
    both.record(CASES)
