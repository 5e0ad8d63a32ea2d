"""Samples of grid sampling, blocks of images, bags of embeddings, sequence and margin losses."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .model import FLOATS, LOW_FLOATS, Maker, Operator, Sample, sample

nn = torch._C._nn
aten = torch.ops.aten
ANY_FLOAT = FLOATS + LOW_FLOATS


def blocks(make: Maker) -> Iterator[Sample]:
    yield sample(make(1, 2, 3, 4), [2, 2], [1, 1], [0, 0], [1, 1])
    yield sample(make(2, 5, 6), [2, 3], [2, 1], [1, 2], [2, 1])
    yield sample(make(2, 3, 7, 5).mT, [3, 2], [1, 2], [2, 1], [3, 2])
    yield sample(make(0, 3, 4, 4), [2, 2], [1, 1], [0, 0], [1, 1])


def sums_of_blocks(make: Maker) -> Iterator[Sample]:
    yield sample(make(1, 8, 6), [3, 4], [2, 2], [1, 1], [0, 0], [1, 1])
    yield sample(make(12, 30), [5, 6], [2, 3], [2, 1], [1, 1], [1, 1])
    yield sample(make(2, 6, 6).mT.contiguous().mT, [4, 4], [1, 2], [1, 1], [0, 1], [2, 2])
    yield sample(make(2, 4, 4), [4, 4], [2, 2], [1, 1], [0, 0], [2, 2])


def points(make: Maker, *shape: int) -> torch.Tensor:
    """Return points inside and outside, of a floating dtype whatever the samples have."""
    return make(*shape, low=-2, high=2)


def grids(dims: int):
    image, grid = ((1, 2, 3, 4), (1, 2, 3, 2)) if dims == 2 else ((1, 2, 2, 3, 2), (1, 1, 2, 2, 3))

    def samples(make: Maker) -> Iterator[Sample]:
        for mode in (0, 1, 2) if dims == 2 else (0, 1):
            for padding in (0, 1, 2):
                for corners in (False, True):
                    yield sample(make(*image), points(make, *grid), mode, padding, corners)
        yield sample(make(2, 0, *image[2:]), points(make, 2, *grid[1:]), 0, 0, False)

    return samples


def grids_of_all(make: Maker) -> Iterator[Sample]:
    yield from grids(2)(make)
    yield from grids(3)(make)


def affine_grids(make: Maker) -> Iterator[Sample]:
    for corners in (False, True):
        yield sample(make(2, 2, 3), [2, 1, 3, 4], corners)
        yield sample(make(1, 3, 4), [1, 2, 2, 3, 1], corners)


def bags(mode: int):
    def samples(make: Maker) -> Iterator[Sample]:
        table, rows = make(5, 3), torch.tensor([0, 4, 2, 2, 1, 3])
        starts = torch.tensor([0, 2, 2, 5])
        yield sample(table, rows, starts, False, mode)
        yield sample(table, rows.int(), starts.int(), False, mode)
        yield sample(table, rows, torch.tensor([0, 3, 6]), False, mode, False, None, True)
        yield sample(table, rows, starts, False, mode, False, None, False, 2)
        if mode == 0:
            yield sample(table, rows, starts, False, mode, False, make(6))
        yield sample(make(5, 0), rows, starts, False, mode)

    return samples


def all_bags(make: Maker) -> Iterator[Sample]:
    for mode in (0, 1, 2):
        yield from bags(mode)(make)


def results_of(call):
    """Return the first result only: the others serve the backward pass, and may differ."""

    def function(*args: object) -> object:
        return call(*args)[0]

    return function


def bag_gradients(make: Maker) -> Iterator[Sample]:
    rows, bag_of = torch.tensor([0, 4, 2, 2]), torch.tensor([0, 0, 2, 2])
    sizes = torch.tensor([2, 0, 2])
    for mode in (0, 1):
        yield sample(make(3, 2), rows, bag_of, sizes, sizes, 5, False, mode, None)
    yield sample(make(3, 2), rows, bag_of, sizes, sizes, 5, False, 0, make(4), 2)


def weight_gradients(make: Maker) -> Iterator[Sample]:
    rows, bag_of = torch.tensor([0, 4, 2, 2]), torch.tensor([0, 0, 2, 2])
    starts = torch.tensor([0, 2, 2])
    yield sample(make(3, 2), make(5, 2), rows, starts, bag_of, 0)
    yield sample(make(3, 2), make(5, 2), rows, starts, bag_of, 0, 2)


def probabilities(make: Maker, *shape: int) -> torch.Tensor:
    tensor = make(*shape)
    return tensor.log_softmax(-1) if make.is_float else tensor


def alignments(make: Maker) -> Iterator[Sample]:
    scores = probabilities(make, 5, 2, 4)
    yield sample(scores, torch.tensor([[1, 2], [3, 3]]), [5, 4], [2, 2], 0, False)
    yield sample(scores, torch.tensor([1, 2, 3]), [5, 5], [2, 1], 0, True)
    yield sample(scores, torch.tensor([[1, 2], [3, 3]]), [5, 1], [2, 0], 0, False)
    yield sample(scores, torch.tensor([[1, 2, 1], [3, 3, 3]]), [5, 3], [3, 3], 0, True)


def losses(*reductions: int):
    def samples(make: Maker) -> Iterator[Sample]:
        scores = make(4, 2, 3)
        for reduction in reductions:
            yield sample(scores, torch.tensor([[1, 2], [2, 2]]), [4, 3], [2, 1], 0, reduction)
        targets = torch.tensor([1, 1, 2])
        yield sample(make(4, 3), targets, [4], [3], 0, 1, False)
        yield sample(make(2, 1, 3), targets, [2], [3], 0, 1, True)
        lengths = torch.tensor([4, 4]), torch.tensor([1, 2])
        yield sample(scores, targets, *lengths)

    return samples


def of_scores(scores: torch.Tensor, *args: object) -> torch.Tensor:
    return torch.ctc_loss(scores.log_softmax(-1), *args)


def alignment_gradients(make: Maker) -> Iterator[Sample]:
    if make.dtype not in FLOATS:
        return
    for zero in (False, True):
        scores, targets = probabilities(make, 5, 2, 4), torch.tensor([[1, 2], [3, 3]])
        loss, alpha = aten._ctc_loss(scores, targets, [5, 4], [2, 2], 0, zero)
        yield sample(make(2), scores, targets, [5, 4], [2, 2], loss, alpha, 0, zero)


def margin_loss(input, target, p=1, margin=1, weight=None, reduction=1):
    """Compute the loss with a weight from numbers: PyTorch refuses to differentiate it."""
    fixed = None if weight is None else torch.tensor(weight, dtype=input.dtype, device=input.device)
    return nn.multi_margin_loss(input, target, p, margin, fixed, reduction)


def margins(make: Maker) -> Iterator[Sample]:
    for reduction in (0, 1, 2):
        yield sample(make(3, 4), torch.tensor([1, 3, 0]), 1, 1.0, None, reduction)
        yield sample(make(3, 4), torch.tensor([1, 3, 0]), 2, 0.5, [0.5, 1.0, 2.0, 3.0], reduction)
    yield sample(make(4), torch.tensor(2))
    yield sample(make(0, 4), torch.tensor([], dtype=torch.int64), 1, 1.0, None, 0)


def label_margins(make: Maker) -> Iterator[Sample]:
    for reduction in (0, 1, 2):
        yield sample(make(2, 4), torch.tensor([[1, 3, -1, 2], [0, -1, 1, 1]]), reduction)
    yield sample(make(4), torch.tensor([3, 1, 0, -1]))


def slopes(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 4))
    yield sample(make(3, 4), 0.2, 0.4, True)
    yield sample(make(0), 0.2, 0.4, True)


def seeded(call):
    """Return a function that seeds the generator before the call."""

    def function(*args: object) -> object:
        torch.manual_seed(11)
        return call(*args)

    return function


def channels(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 6, 2), 3)
    yield sample(make(1, 4, 3, 2), 2)
    yield sample(make(2, 3, 3, 6).permute(0, 3, 1, 2), 2)


def products(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3), make(2, 4), make(2, 3, 4), make(2))
    yield sample(make(2, 1, 3), make(2, 1, 2), make(2, 3, 2))
    yield sample(make(3), make(2), make(2, 3, 2), make(2))


def steps(make: Maker) -> Iterator[Sample]:
    yield sample(make(4, 2, 3), make(2, 3, 2), make(2))
    yield sample(make(4, 2, 3), make(3, 3, 2), make(2), 1)


def rows(make: Maker) -> Iterator[Sample]:
    for p in (2.0, 1.0, 0.0, 3.0, float("inf")):
        yield sample(make(4, 3), p)
    yield sample(make(1, 3))
    yield sample(make(3, 0))


LOOSE = (1e-4, 1e-4)
ROUGH = (5e-2, 5e-2)


def operator(name: str, samples: object, call: object, **rest: object) -> Operator:
    return Operator(
        name, samples, FLOATS, call=call, method=False, tolerance=LOOSE, low_tolerance=ROUGH, **rest
    )


def of_floats(samples):
    """PyTorch computes 16-bit coordinates in 16 bits, and checks dtypes last for other tensors."""

    def only(make: Maker) -> Iterator[Sample]:
        return samples(make) if make.dtype in FLOATS else iter(())

    return only


TABLE = [
    operator("im2col", of_floats(blocks), nn.im2col),
    operator("col2im", sums_of_blocks, nn.col2im),
    operator("grid_sampler", of_floats(grids_of_all), torch.grid_sampler),
    operator(
        "grid_sampler_2d",
        of_floats(grids(2)),
        torch.grid_sampler_2d,
        covers=("grid_sampler_2d_backward",),
    ),
    operator(
        "grid_sampler_3d",
        of_floats(grids(3)),
        torch.grid_sampler_3d,
        covers=("grid_sampler_3d_backward",),
    ),
    operator("affine_grid_generator", of_floats(affine_grids), torch.affine_grid_generator),
    operator("embedding_bag", all_bags, results_of(torch.embedding_bag)),
    operator("_embedding_bag", all_bags, results_of(torch._embedding_bag)),
    operator(
        "_embedding_bag_forward_only", all_bags, results_of(torch._embedding_bag_forward_only)
    ),
    operator(
        "_embedding_bag_dense_backward",
        of_floats(bag_gradients),
        aten._embedding_bag_dense_backward,
        covers=("_embedding_bag_backward",),
    ),
    operator(
        "_embedding_bag_per_sample_weights_backward",
        weight_gradients,
        aten._embedding_bag_per_sample_weights_backward,
    ),
    operator("_ctc_loss", of_floats(alignments), results_of(aten._ctc_loss), meta=False),
    operator("_ctc_loss_backward", alignment_gradients, aten._ctc_loss_backward),
    operator("ctc_loss", of_floats(losses(0, 1, 2)), of_scores, meta=False),
    operator("multi_margin_loss", of_floats(margins), margin_loss),
    operator("multilabel_margin_loss", of_floats(label_margins), nn.multilabel_margin_loss),
    operator("rrelu", slopes, seeded(torch.rrelu), meta=False),
    operator("channel_shuffle", channels, torch.channel_shuffle),
    operator("native_channel_shuffle", channels, torch.native_channel_shuffle),
    operator("bilinear", products, torch.bilinear),
    operator("conv_tbc", steps, torch.conv_tbc),
    operator("pdist", of_floats(rows), torch.pdist),
]
