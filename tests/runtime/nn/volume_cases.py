"""Layers of volumes, samples, bags and sequences, as module_cases.py has the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import both
from module_cases import IMAGE, ROW, classes, run, values

import torch
from torch import nn

CASES: dict[str, Callable[[], Any]] = {}


def case(
    name: str,
    make: Callable[[], nn.Module],
    *shapes: tuple[int, ...],
    inputs: Callable[[], tuple[Any, ...]] | None = None,
    train: bool = True,
    calls: int = 1,
) -> None:
    made = inputs or (lambda: tuple(values(*shape) for shape in shapes))
    CASES[name] = lambda: run(make, made, train, calls, {})


VOLUME = (2, 4, 5, 6, 7)


def pooled(pool: nn.Module, *shape: int) -> Callable[[], tuple[Any, ...]]:
    """Return maxima of drawn numbers and their indices, as inputs of an unpooling."""
    return lambda: tuple(each.detach() for each in pool(values(*shape)))


for mode in ("zeros", "reflect", "replicate", "circular"):
    case(f"Conv3d {mode}", lambda m=mode: nn.Conv3d(4, 6, 3, padding=1, padding_mode=m), VOLUME)
case("Conv3d strided", lambda: nn.Conv3d(4, 6, (1, 2, 3), 2, 1, groups=2, bias=False), VOLUME)
case("ConvTranspose3d", lambda: nn.ConvTranspose3d(4, 6, 3, 2, 1, 1, 2, dilation=2), VOLUME)
case("ConvTranspose3d one volume", lambda: nn.ConvTranspose3d(4, 3, (1, 2, 3), 2), (4, 2, 3, 3))
case("BatchNorm3d", lambda: nn.BatchNorm3d(4), VOLUME, calls=2)
case("InstanceNorm3d", lambda: nn.InstanceNorm3d(4, affine=True), VOLUME)
case("MaxPool3d", lambda: nn.MaxPool3d(3, 2, 1), VOLUME)
case("MaxPool3d indices", lambda: nn.MaxPool3d(2, return_indices=True), VOLUME)
case("AvgPool3d", lambda: nn.AvgPool3d(3, 2, 1, True, False), VOLUME)
case("LPPool3d", lambda: nn.LPPool3d(3, 2), VOLUME)
case("AdaptiveAvgPool3d", lambda: nn.AdaptiveAvgPool3d((2, None, 3)), VOLUME)
case("AdaptiveMaxPool3d", lambda: nn.AdaptiveMaxPool3d(2, return_indices=True), VOLUME)
case("AdaptiveMaxPool1d", lambda: nn.AdaptiveMaxPool1d(3), ROW)
case("AdaptiveMaxPool1d indices", lambda: nn.AdaptiveMaxPool1d(3, True), ROW)
case("FractionalMaxPool2d", lambda: nn.FractionalMaxPool2d(2, output_ratio=(0.5, 0.6)), IMAGE)
case("FractionalMaxPool3d", lambda: nn.FractionalMaxPool3d(2, output_size=(2, 3, 4)), VOLUME)
case(
    "MaxUnpool1d",
    lambda: nn.MaxUnpool1d(2),
    inputs=pooled(nn.MaxPool1d(2, return_indices=True), 2, 4, 8),
)
case(
    "MaxUnpool2d",
    lambda: nn.MaxUnpool2d(3, 2),
    inputs=pooled(nn.MaxPool2d(3, 2, return_indices=True), 2, 4, 9, 9),
)
case(
    "MaxUnpool3d",
    lambda: nn.MaxUnpool3d(2),
    inputs=pooled(nn.MaxPool3d(2, return_indices=True), 1, 2, 4, 4, 6),
)
case("ReflectionPad3d", lambda: nn.ReflectionPad3d((1, 2, 0, 1, 2, 1)), VOLUME)
case("ReplicationPad3d", lambda: nn.ReplicationPad3d(2), VOLUME)
case("Fold", lambda: nn.Fold((4, 5), (2, 3), padding=1), (2, 6, 25))
case("Unfold", lambda: nn.Unfold((2, 3), dilation=2, padding=1, stride=2), IMAGE)
case("ChannelShuffle", lambda: nn.ChannelShuffle(2), IMAGE)
case("Hardshrink", lambda: nn.Hardshrink(), ROW)
case("Softshrink", lambda: nn.Softshrink(0.3), ROW)
for train in (True, False):
    case(f"RReLU {'train' if train else 'eval'}", lambda: nn.RReLU(), ROW, train=train)
for bag in ("sum", "mean", "max"):
    case(
        f"EmbeddingBag {bag}",
        lambda m=bag: nn.EmbeddingBag(7, 5, mode=m, padding_idx=2),
        inputs=lambda: (classes(7, 9), torch.tensor([0, 4, 4])),
    )
case("EmbeddingBag rows", lambda: nn.EmbeddingBag(7, 5), inputs=lambda: (classes(7, 3, 4),))
case(
    "AdaptiveLogSoftmaxWithLoss",
    lambda: nn.AdaptiveLogSoftmaxWithLoss(16, 30, [5, 12]),
    inputs=lambda: (values(8, 16), classes(30, 8)),
)
for mean in ("mean", "sum", "none"):
    case(
        f"CTCLoss {mean}",
        lambda m=mean: nn.CTCLoss(reduction=m),
        inputs=lambda: (values(7, 2, 5), torch.tensor([[1, 2, 2], [3, 4, 4]]), (7, 6), (3, 2)),
    )
    case(
        f"MultiMarginLoss {mean}",
        lambda m=mean: nn.MultiMarginLoss(2, 0.5, reduction=m),
        inputs=lambda: (values(4, 5), classes(5, 4)),
    )
    case(
        f"MultiLabelMarginLoss {mean}",
        lambda m=mean: nn.MultiLabelMarginLoss(reduction=m),
        inputs=lambda: (values(2, 4), torch.tensor([[3, 0, -1, 1], [1, -1, 2, 2]])),
    )
    case(
        f"MultiLabelSoftMarginLoss {mean}",
        lambda m=mean: nn.MultiLabelSoftMarginLoss(torch.tensor([1.0, 2.0, 0.5]), reduction=m),
        inputs=lambda: (values(2, 3), classes(2, 2, 3)),
    )
case(
    "TripletMarginWithDistanceLoss",
    lambda: nn.TripletMarginWithDistanceLoss(swap=True),
    *[(3, 4)] * 3,
)


def lazy() -> Any:
    """Return what lazy layers print and compute before and after their first call."""
    found = []
    for kind in ("Conv", "ConvTranspose"):
        for d, shape in ((1, (2, 4, 9)), (2, (2, 4, 7, 9)), (3, VOLUME)):
            found.append((getattr(nn, f"Lazy{kind}{d}d")(3, 2), shape))
    for kind in ("Batch", "Instance"):
        for d, shape in ((1, (2, 4, 9)), (2, (2, 4, 7, 9)), (3, VOLUME)):
            found.append((getattr(nn, f"Lazy{kind}Norm{d}d")(), shape))
    found.append((nn.LazyLinear(3), (2, 5)))
    results = []
    for layer, shape in found:
        torch.manual_seed(3)
        before = repr(layer), layer.has_uninitialized_params(), list(layer.state_dict())
        results.append((before, layer(values(*shape)), repr(layer), layer.state_dict()))
    return results


CASES["lazy layers"] = lazy


def pruned() -> Any:
    """Return the state of a layer after several prunings."""
    from torch.nn.utils import prune

    torch.manual_seed(4)
    layer, other = nn.Linear(6, 5), nn.Conv2d(2, 3, 2)
    prune.random_unstructured(layer, "weight", 7)
    prune.l1_unstructured(layer, "weight", 0.3)
    prune.ln_structured(layer, "weight", 1, n=2, dim=0)
    prune.random_structured(other, "weight", 1, dim=1)
    prune.global_unstructured([(layer, "bias"), (other, "bias")], prune.L1Unstructured, amount=3)
    result = layer(values(2, 6)), layer.state_dict(), other.state_dict(), prune.is_pruned(layer)
    prune.remove(layer, "weight")
    return result, layer.weight, list(layer.state_dict())


CASES["pruned layers"] = pruned


def sampled() -> Any:
    """Return images at points of affine grids."""
    torch.manual_seed(5)
    theta, image = values(2, 2, 3), values(2, 3, 5, 6)
    F, results = nn.functional, []
    for mode in ("bilinear", "nearest", "bicubic"):
        for padding in ("zeros", "border", "reflection"):
            grid = F.affine_grid(theta, (2, 3, 4, 4), align_corners=False)
            results.append(F.grid_sample(image, grid, mode, padding, align_corners=False))
    for mode in ("bilinear", "bicubic"):
        results.append(F.interpolate(image, (3, 9), mode=mode, antialias=True))
        results.append(F.interpolate(image, scale_factor=1.7, mode=mode))
    results.append(F.interpolate(values(1, 2, 3, 4, 5), (4, 3, 6), mode="trilinear"))
    results.append(F.interpolate(values(1, 2, 3, 4, 5), (4, 3, 6), mode="area"))
    return results


CASES["sampled images"] = sampled

if __name__ == "__main__":
    both.record(CASES)
