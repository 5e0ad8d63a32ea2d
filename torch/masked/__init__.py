"""Masked tensors, and functions that leave out the elements which a mask excludes.

A mask is a boolean tensor that broadcasts to the input: True keeps an element. Results of which all
elements are left out are the identity of the reduction, or nan if it has none.
"""

from __future__ import annotations

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.masked._normalizations import (
    cumprod,
    cumsum,
    log_softmax,
    logaddexp,
    normalize,
    softmax,
    softmin,
)
from torch.masked._reductions import amax, amin, argmax, argmin, logsumexp, norm, prod, sum
from torch.masked._statistics import mean, median, std, var
from torch.masked.maskedtensor.core import MaskedTensor, is_masked_tensor
from torch.masked.maskedtensor.creation import as_masked_tensor, masked_tensor

__all__ = [
    "MaskedTensor",
    "amax",
    "amin",
    "argmax",
    "argmin",
    "as_masked_tensor",
    "cumprod",
    "cumsum",
    "is_masked_tensor",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "masked_tensor",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]

__getattr__ = _import_at_use(__name__)
