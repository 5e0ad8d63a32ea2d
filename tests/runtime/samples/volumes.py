"""Samples of pooling, padding and interpolation of volumes, and of filters for images."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .model import FLOATS, LOW_FLOATS, Maker, Operator, Sample, sample

nn = torch._C._nn
aten = torch.ops.aten
ANY_FLOAT = FLOATS + LOW_FLOATS


def last(make: Maker, *shape: int) -> torch.Tensor:
    """Return a tensor whose channels are the innermost dimension."""
    n, c, *spatial = shape
    axes = range(1, len(spatial) + 1)
    return make(n, *spatial, c).permute(0, len(spatial) + 1, *axes)


def poolings(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 4, 5, 6), 2)
    yield sample(make(1, 2, 4, 5, 6), 3, 2, 1)
    yield sample(make(2, 5, 4, 6), [2, 3, 2], [1, 2, 1], [1, 1, 0], [1, 1, 2])
    yield sample(make(1, 2, 4, 5, 6), 3, 2, 1, 1, True)
    yield sample(last(make, 2, 3, 4, 4, 4), 2)
    yield sample(make(0, 3, 4, 4, 4), 2)
    if make.is_float:
        tensor = make(1, 1, 2, 4, 4)
        tensor[0, 0, 0, 1, 1] = float("nan")
        yield sample(tensor, 2)


def averages(make: Maker) -> Iterator[Sample]:
    yield sample(make(1, 2, 2, 3, 3), 2)
    yield sample(make(1, 2, 4, 5, 6), 3, 2, 1)
    yield sample(make(2, 5, 4, 6), [2, 3, 2], [1, 2, 1], [1, 1, 0], True, False)
    yield sample(make(1, 2, 4, 5, 6), 3, 2, 1, True, True)
    yield sample(make(1, 2, 4, 5, 6), 2, [], 0, False, True, 5)
    yield sample(last(make, 2, 3, 4, 4, 4), 2)


def adaptive(make: Maker) -> Iterator[Sample]:
    yield sample(make(1, 2, 3, 3, 2), [2, 2, 1])
    yield sample(make(2, 3, 4, 5, 6), [2, 3, 4])
    yield sample(make(3, 5, 4, 2), [3, 4, 4])
    yield sample(last(make, 2, 3, 4, 4, 4), [2, 2, 2])
    yield sample(make(0, 3, 4, 4, 4), [2, 2, 2])


def adaptive_and_single(make: Maker) -> Iterator[Sample]:
    yield from adaptive(make)
    if make.is_float:
        yield sample(make(2, 3, 4, 4, 4), [1, 1, 1])


def average_gradients(make: Maker) -> Iterator[Sample]:
    if not make.is_float:
        return
    rest = (False, True, None)
    yield sample(make(1, 2, 1, 1, 2), make(1, 2, 2, 2, 4), [2, 2, 2], [2, 2, 2], [0, 0, 0], *rest)
    yield sample(make(2, 3, 3, 4), make(2, 4, 5, 6), [3], [2], [1], True, False, None)


def adaptive_gradients(make: Maker) -> Iterator[Sample]:
    yield sample(make(1, 2, 2, 1, 2), make(1, 2, 3, 2, 3))
    yield sample(make(3, 3, 4, 2), make(3, 7, 5, 2))


def max_gradients(make: Maker) -> Iterator[Sample]:
    rest = ([2], [2], [0], [1], False)
    places = make.indices(1, 2, 1, 2, 2, high=32)
    yield sample(make(1, 2, 1, 2, 2), make(1, 2, 2, 4, 4), *rest, places)


def adaptive_max_gradients(make: Maker) -> Iterator[Sample]:
    places = make.indices(1, 2, 1, 2, 2, high=32)
    yield sample(make(1, 2, 1, 2, 2), make(1, 2, 2, 4, 4), places)


def fractions(dims: int):
    def samples(make: Maker) -> Iterator[Sample]:
        size = (6, 7, 5)[:dims]
        for batch in ((2, 3), (3,)):
            points = make((batch[0] if len(batch) == 2 else 1), 3, dims, low=0, high=1)
            yield sample(make(*batch, *size), [2, 3, 2][:dims], [3, 2, 2][:dims], points)
        yield sample(make(1, 1, *(3, 3, 3)[:dims]), [2] * dims, [1] * dims, make(1, 1, dims))

    return samples


def fraction_gradients(dims: int):
    def samples(make: Maker) -> Iterator[Sample]:
        image, pooled = (4, 3, 3)[:dims], (2, 2, 2)[:dims]
        places = make.indices(1, 1, *pooled, high=9)
        yield sample(make(1, 1, *pooled), make(1, 1, *image), [2] * dims, [2] * dims, places)

    return samples


def flat_unpoolings(make: Maker) -> Iterator[Sample]:
    places = torch.tensor([0, 3, 9, 14, 1, 7, 8, 15]).reshape(1, 2, 2, 2)
    yield sample(make(1, 2, 2, 2), places, [4, 4])
    yield sample(make(2, 2, 2), places[0], [4, 4])


def unpoolings(make: Maker) -> Iterator[Sample]:
    places = torch.tensor([0, 3, 9, 14, 17, 21, 30, 31]).reshape(1, 1, 2, 2, 2)
    yield sample(make(1, 1, 2, 2, 2), places, [2, 4, 4], [2, 2, 2], [0, 0, 0])
    yield sample(make(1, 2, 2, 2), places[0], [4, 4, 4], [2, 2, 2], [0, 0, 0])


def pads(make: Maker) -> Iterator[Sample]:
    yield sample(make(1, 2, 2, 3, 2), [1, 0, 1, 1, 1, 0])
    yield sample(make(2, 3, 4, 5), [2, 1, 1, 2, 0, 1])
    yield sample(last(make, 2, 3, 4, 4, 4), [1, 1, 1, 1, 1, 1])
    yield sample(make(2, 3, 4, 5), [-1, 2, 1, -1, 1, -1])


def pad_gradients(make: Maker) -> Iterator[Sample]:
    yield sample(make(1, 2, 3, 5, 3), make(1, 2, 2, 3, 2), [1, 0, 1, 1, 1, 0])


def sizes(dims: int, flags: list[list[bool]]):
    def samples(make: Maker) -> Iterator[Sample]:
        image = (3, 4, 5)[:dims]
        for flag in flags:
            yield sample(make(1, 2, *(2, 3, 2)[:dims]), [3, 2, 4][:dims], *flag)
            yield sample(make(2, 3, *image), [6, 8, 5][:dims], *flag)
            yield sample(make(2, 3, *(9, 7, 8)[:dims]), [4, 3, 5][:dims], *flag)
            yield sample(make(2, 3, *image), [4, 6, 9][:dims], *flag, *(1.5, 1.6, 1.9)[:dims])
            yield sample(last(make, 2, 3, *image), [6, 3, 5][:dims], *flag)
            yield sample(make(0, 3, *image), [6, 3, 5][:dims], *flag)

    return samples


def without_bytes(samples):
    """PyTorch rounds bytes after each dimension, or computes them with integers."""

    def others(make: Maker) -> Iterator[Sample]:
        return iter(()) if make.dtype == "uint8" else samples(make)

    return others


def factors(dims: int, flags: list[list[bool]]):
    def samples(make: Maker) -> Iterator[Sample]:
        image = make(2, 3, *(5, 7, 4)[:dims])
        for flag in flags:
            yield sample(image, [9, 8, 6][:dims], *flag, None)
            yield sample(image, None, *flag, [2.0, 1.7, 0.5][:dims])

    return samples


def size_gradients(dims: int, flags: list[list[bool]]):
    def samples(make: Maker) -> Iterator[Sample]:
        if not make.is_float:
            return
        for flag in flags:
            for into in ((3, 2, 3), (2, 3, 2)):
                grad = make(1, 2, *into[:dims])
                yield sample(grad, list(into[:dims]), [1, 2, *(2, 3, 2)[:dims]], *flag)

    return samples


LOOSE = (1e-4, 1e-4)
ROUGH = (5e-2, 5e-2)


def operator(name: str, samples: object, call: object, **rest: object) -> Operator:
    return Operator(
        name, samples, FLOATS, call=call, method=False, tolerance=LOOSE, low_tolerance=ROUGH, **rest
    )


def interpolation(name: str, dims: int, mixes: bool) -> Iterator[Operator]:
    flags = [[False], [True]] if mixes else [[]]
    packet, backward = getattr(aten, name), f"{name}_backward"
    kept = without_bytes if mixes else (lambda samples: samples)
    yield operator(name, kept(sizes(dims, flags)), packet.default)
    yield operator(name, kept(factors(dims, flags)), packet.vec, variant="vec")
    yield operator(backward, size_gradients(dims, flags), getattr(aten, backward))


TABLE = [
    operator("max_pool3d", poolings, torch.max_pool3d),
    operator("max_pool3d_with_indices", poolings, nn.max_pool3d_with_indices),
    operator(
        "max_pool3d_with_indices_backward", max_gradients, aten.max_pool3d_with_indices_backward
    ),
    operator("avg_pool3d", averages, nn.avg_pool3d),
    operator("avg_pool3d_backward", average_gradients, aten.avg_pool3d_backward),
    operator("adaptive_max_pool3d", adaptive, nn.adaptive_max_pool3d),
    operator(
        "adaptive_max_pool3d_backward", adaptive_max_gradients, aten.adaptive_max_pool3d_backward
    ),
    operator("adaptive_avg_pool3d", adaptive_and_single, nn.adaptive_avg_pool3d),
    operator("_adaptive_avg_pool3d", adaptive, aten._adaptive_avg_pool3d),
    operator(
        "_adaptive_avg_pool3d_backward", adaptive_gradients, aten._adaptive_avg_pool3d_backward
    ),
    *(
        operator(f"fractional_max_pool{dims}d", fractions(dims), getattr(nn, name))
        for dims, name in ((2, "fractional_max_pool2d"), (3, "fractional_max_pool3d"))
    ),
    *(
        operator(
            f"fractional_max_pool{dims}d_backward",
            fraction_gradients(dims),
            getattr(aten, f"fractional_max_pool{dims}d_backward"),
        )
        for dims in (2, 3)
    ),
    operator("max_unpool2d", flat_unpoolings, nn.max_unpool2d),
    operator("max_unpool3d", unpoolings, nn.max_unpool3d),
    *(
        operator(f"{mode}_pad3d", pads, getattr(nn, f"{mode}_pad3d"))
        for mode in ("reflection", "replication")
    ),
    *(
        operator(f"{mode}_pad3d_backward", pad_gradients, getattr(aten, f"{mode}_pad3d_backward"))
        for mode in ("reflection", "replication")
    ),
    *interpolation("upsample_nearest3d", 3, False),
    *interpolation("_upsample_nearest_exact3d", 3, False),
    *interpolation("upsample_trilinear3d", 3, True),
    *interpolation("upsample_bicubic2d", 2, True),
    *interpolation("_upsample_bilinear2d_aa", 2, True),
    *interpolation("_upsample_bicubic2d_aa", 2, True),
    *interpolation("_upsample_lanczos2d_aa", 2, True),
]
