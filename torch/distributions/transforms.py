"""Invertible functions of random values, with the determinants of their derivatives."""

from __future__ import annotations

from torch.distributions._transform import (
    ComposeTransform,
    Transform,
)
from torch.distributions._transform import _InverseTransform as _InverseTransform
from torch.distributions._transform import identity_transform as identity_transform
from torch.distributions._transforms_of_events import (
    CatTransform,
    IndependentTransform,
    ReshapeTransform,
    StackTransform,
)
from torch.distributions._transforms_of_numbers import (
    AbsTransform,
    AffineTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
)
from torch.distributions._transforms_of_numbers import clipped_sigmoid as _clipped_sigmoid  # noqa: F401
from torch.distributions._transforms_of_vectors import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
]

# Pickles name this module.
for _name in (*__all__, "_InverseTransform"):
    globals()[_name].__module__ = __name__
