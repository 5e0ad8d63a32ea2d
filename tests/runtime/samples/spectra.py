"""Samples of Fourier transforms."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .model import COMPLEX, FLOATS, Maker, Operator, Sample, sample

LOOSE = (1e-5, 1e-5)
# Passes of each radix, long lines, and a prime that needs a convolution.
LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 30, 37, 64, 77, 101, 128, 210, 256)


def complex_axes(make: Maker) -> Iterator[Sample]:
    for length in LENGTHS:
        yield sample(make(3, length), [1], 0, True)
    for forward in (True, False):
        for normalization in (0, 1, 2):
            yield sample(make(20, 6), [0], normalization, forward)
        yield sample(make(3, 4, 5), [0, 1, 2], 1, forward)
        yield sample(make(3, 4, 5).transpose(0, 2), [0, 1], 0, forward)
        yield sample(make(17, 8, 3)[:, ::2], [1], 0, forward)
        yield sample(make(4, 5, 6), [1], 2, forward)
    yield sample(make(4, 5), [], 0, True)


def real_axes(make: Maker) -> Iterator[Sample]:
    for length in LENGTHS:
        yield sample(make(3, length), [1], 0, True)
    for onesided in (True, False):
        yield sample(make(20, 6), [0], 1, onesided)
        yield sample(make(3, 4, 5), [0, 2], 2, onesided)
        yield sample(make(4, 5, 6).transpose(0, 2), [1, 0], 0, onesided)
        yield sample(make(19, 9)[:, ::2], [1], 0, onesided)


def half_spectra(make: Maker) -> Iterator[Sample]:
    for length in LENGTHS[1:]:
        yield sample(make(3, length // 2 + 1), [1], 0, length)
    yield sample(make(20, 6), [0], 1, 38)
    yield sample(make(20, 6), [0], 2, 39)
    yield sample(make(3, 4, 5), [0, 2], 2, 8)
    yield sample(make(3, 4, 5), [0, 1], 0, 7)
    yield sample(make(4, 5, 6).transpose(0, 2), [1, 0], 0, 10)


def transforms(name: str, samples, dtypes, tolerance=LOOSE) -> Operator:
    call = getattr(torch.ops.aten, name)
    return Operator(name, samples, dtypes, call, method=False, tolerance=tolerance)


TABLE = [
    transforms("_fft_c2c", complex_axes, COMPLEX),
    transforms("_fft_r2c", real_axes, FLOATS),
    transforms("_fft_c2r", half_spectra, COMPLEX, (1e-5, 3e-5)),  # sums of 210 numbers up to 7
]
