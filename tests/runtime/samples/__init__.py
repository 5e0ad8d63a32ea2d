"""The sample table: every operator of native_functions.yaml with its inputs, in one place."""

from __future__ import annotations

from . import (
    activations,
    arrangements,
    backward,
    convolution,
    creation,
    factorizations,
    indexing,
    layers,
    linear,
    losses,
    mathematics,
    normalization,
    optimizers,
    order_statistics,
    orthogonal,
    pointwise,
    pooling,
    quantization,
    reductions,
    resampling,
    sequences,
    shapes,
    special_functions,
    spectra,
    view_copies,
    volumes,
)
from .model import ALL, Operator, Refusal, Sample

TABLE: list[Operator] = [
    *pointwise.TABLE,
    *reductions.TABLE,
    *shapes.TABLE,
    *creation.TABLE,
    *indexing.TABLE,
    *linear.TABLE,
    *convolution.TABLE,
    *pooling.TABLE,
    *normalization.TABLE,
    *resampling.TABLE,
    *backward.TABLE,
    *activations.TABLE,
    *losses.TABLE,
    *sequences.TABLE,
    *optimizers.TABLE,
    *arrangements.TABLE,
    *order_statistics.TABLE,
    *orthogonal.TABLE,
    *mathematics.TABLE,
    *factorizations.TABLE,
    *special_functions.TABLE,
    *spectra.TABLE,
    *volumes.TABLE,
    *layers.TABLE,
    *view_copies.TABLE,
    *quantization.TABLE,
]

__all__ = ["ALL", "TABLE", "Operator", "Refusal", "Sample"]
