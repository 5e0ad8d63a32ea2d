"""Samples of padding, interpolation and dropout."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .model import FLOATS, Maker, Operator, Sample, sample

nn = torch._C._nn
aten = torch.ops.aten


def constant_pads(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 4), [1, 2])
    yield sample(make(3, 4), [1, 2, 0, 3], 2)
    yield sample(make(3, 4), [-1, 2, 1, -2], 1)
    yield sample(make(3, 4), [-1, -1])
    yield sample(make(2, 3, 4, 5).to(memory_format=torch.channels_last), [1, 1, 2, 2], 1)
    yield sample(make(3, 4).t(), [])
    yield sample(make(0, 4), [1, 1, 1, 1], 1)


def last(make: Maker, *shape: int) -> torch.Tensor:
    """Return a channels-last tensor."""
    n, c, h, w = shape
    return make(n, h, w, c).permute(0, 3, 1, 2)


def edge_pads(dims: int):
    def samples(make: Maker) -> Iterator[Sample]:
        if dims == 1:
            yield sample(make(2, 3, 5), [2, 1])
            yield sample(make(3, 20), [4, 4])
            yield sample(make(2, 5, 3).transpose(1, 2), [0, 3])
            yield sample(make(2, 3, 5), [-1, 2])
            yield sample(make(0, 3, 5), [1, 2])
        else:
            yield sample(make(2, 3, 4, 5), [2, 1, 1, 3])
            yield sample(make(3, 4, 20), [1, 1, 2, 2])
            yield sample(last(make, 2, 3, 4, 5), [1, 2, 3, 0])
            yield sample(make(2, 3, 4, 5), [-1, 2, 1, -2])

    return samples


def edge_pad_gradients(dims: int):
    def samples(make: Maker) -> Iterator[Sample]:
        if dims == 1:
            yield sample(make(2, 3, 8), make(2, 3, 5), [2, 1])
            yield sample(make(3, 6), make(3, 5), [-1, 2])
        else:
            yield sample(make(2, 3, 8, 8), make(2, 3, 4, 5), [2, 1, 1, 3])
            yield sample(make(3, 8, 22), make(3, 4, 20), [1, 1, 2, 2])
            yield sample(make(2, 8, 3, 8).transpose(1, 2), make(2, 3, 4, 5), [2, 1, 1, 3])

    return samples


def modes(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 4), [1, 2])
    yield sample(make(2, 3, 4), [1, 2, 0, 1], "constant", 2.0)
    if not (make.is_float or make.is_complex):
        return
    for mode in ("reflect", "replicate", "circular"):
        yield sample(make(2, 3, 4), [1, 2], mode)
        yield sample(make(2, 3, 4, 5), [1, 2, 3, 0], mode)
    yield sample(make(2, 3, 4), [-1, 2], "circular")


def numbered_modes(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 4), [1, 2], 3, 1.0)
    if make.is_float:
        for mode in (0, 1, 2):
            yield sample(make(2, 3, 4), [1, 2], mode)


def circular(make: Maker) -> Iterator[Sample]:
    yield sample(make(2, 3, 4), [1, 2])
    yield sample(make(2, 3, 4, 5), [1, 2, 3, 0])


def scaled_lines(mixes: bool):
    flags = ([False], [True]) if mixes else ([],)

    def samples(make: Maker) -> Iterator[Sample]:
        for flag in flags:
            yield sample(make(2, 3, 5), [10], *flag)
            yield sample(make(2, 3, 5), [3], *flag)
            yield sample(make(2, 3, 7), [7], *flag)
            yield sample(make(2, 3, 5), [12], *flag, 2.5)
            yield sample(make(5, 3, 2).permute(2, 1, 0), [1], *flag)
            yield sample(make(0, 3, 5), [4], *flag)

    return samples


def scaled_images(mixes: bool):
    flags = ([False], [True]) if mixes else ([],)

    def samples(make: Maker) -> Iterator[Sample]:
        if mixes and make.dtype == "uint8":  # PyTorch rounds bytes after each dimension
            return
        for flag in flags:
            yield sample(make(2, 3, 4, 5), [8, 10], *flag)
            yield sample(make(2, 3, 9, 7), [4, 3], *flag)
            yield sample(make(2, 3, 4, 5), [4, 13], *flag)
            yield sample(make(2, 3, 4, 5), [7, 12], *flag, 1.9, 2.5)
            yield sample(make(2, 3, 5, 4).mT, [1, 1], *flag)
            yield sample(make(0, 3, 4, 5), [8, 10], *flag)
            yield sample(last(make, 2, 3, 4, 5), [8, 9], *flag)

    return samples


def by_factor(dims: int, mixes: bool):
    flag = [False] if mixes else []

    def samples(make: Maker) -> Iterator[Sample]:
        if mixes and dims > 1 and make.dtype == "uint8":
            return
        image = make(2, 3, *(5, 7)[:dims])
        yield sample(image, [9, 8][:dims], *flag, None)
        yield sample(image, None, *flag, [2.0, 1.7][:dims])
        yield sample(image, None, *flag, [0.5, 0.4][:dims])

    return samples


def scaled_gradients(dims: int, mixes: bool):
    flags = ([False], [True]) if mixes else ([],)

    def samples(make: Maker) -> Iterator[Sample]:
        for flag in flags:
            for into in ([8, 10], [3, 2], [4, 5]):
                grad = make(2, 3, *into[:dims])
                yield sample(grad, into[:dims], [2, 3, *(4, 5)[:dims]], *flag)
            factors = [1.9, 2.5][:dims]
            yield sample(
                make(2, 3, *(7, 12)[:dims]), [7, 12][:dims], [2, 3, *(4, 5)[:dims]], *flag, *factors
            )

    return samples


def kept(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 4, 2), 0.0, True)
    yield sample(make(3, 4, 2), 0.4, False)
    yield sample(make(3, 4, 2), 1.0, True)
    yield sample(make(0, 4), 0.4, True)


def dropped(make: Maker) -> Iterator[Sample]:
    yield from kept(make)
    if make.is_float:
        yield sample(make(3, 4, 20), 0.4, True)
        yield sample(make(5, 3, 4).permute(1, 2, 0), 0.7, True)


def seeded(call):
    """Return a function that seeds the generator before the call."""

    def function(*args: object) -> object:
        torch.manual_seed(11)
        return call(*args)

    return function


def masks(make: Maker) -> Iterator[Sample]:
    yield sample(make(3, 4), make(3, 4, dtype="bool"), 2.0)


LOOSE = (1e-4, 1e-4)
ROUGH = (5e-2, 5e-2)


def operator(name: str, samples: object, call: object, **rest: object) -> Operator:
    return Operator(
        name, samples, FLOATS, call=call, method=False, tolerance=LOOSE, low_tolerance=ROUGH, **rest
    )


def with_gradients(name: str, dims: int, mixes: bool) -> Iterator[Operator]:
    forward = scaled_lines(mixes) if dims == 1 else scaled_images(mixes)
    packet = getattr(aten, name)
    backward = f"{name}_backward"
    yield operator(name, forward, packet.default)
    yield operator(name, by_factor(dims, mixes), packet.vec, variant="vec")
    yield operator(backward, scaled_gradients(dims, mixes), getattr(aten, backward))


def dropouts(name: str) -> Operator:
    return operator(name, dropped, seeded(getattr(torch, name)), meta=False)


TABLE = [
    Operator("constant_pad_nd", constant_pads, FLOATS, method=False),
    *(
        operator(f"{mode}_pad{dims}d", edge_pads(dims), getattr(nn, f"{mode}_pad{dims}d"), out=True)
        for mode in ("reflection", "replication")
        for dims in (1, 2)
    ),
    *(
        operator(
            f"{mode}_pad{dims}d_backward",
            edge_pad_gradients(dims),
            getattr(aten, f"{mode}_pad{dims}d_backward"),
        )
        for mode in ("reflection", "replication")
        for dims in (1, 2)
    ),
    operator("pad", modes, nn.pad),
    operator("_pad_enum", numbered_modes, nn._pad_enum),
    operator("_pad_circular", circular, nn._pad_circular),
    *with_gradients("upsample_nearest1d", 1, False),
    *with_gradients("_upsample_nearest_exact1d", 1, False),
    *with_gradients("upsample_nearest2d", 2, False),
    *with_gradients("_upsample_nearest_exact2d", 2, False),
    *with_gradients("upsample_linear1d", 1, True),
    *with_gradients("upsample_bilinear2d", 2, True),
    dropouts("dropout"),
    dropouts("feature_dropout"),
    dropouts("alpha_dropout"),
    dropouts("feature_alpha_dropout"),
    operator("native_dropout", dropped, seeded(torch.native_dropout), meta=False),
    operator("native_dropout_backward", masks, aten.native_dropout_backward),
]
