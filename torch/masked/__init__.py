"""Reductions and normalizations that leave out the elements which a mask excludes.

A mask is a boolean tensor that broadcasts to the input: True keeps an element. Results of which all
elements are left out are the identity of the reduction, or nan if it has none.
"""

from __future__ import annotations

from typing import Any

from torch._absent import absent_class, refusing
from torch.masked._normalizations import (
    cumprod,
    cumsum,
    log_softmax,
    logaddexp,
    normalize,
    softmax,
    softmin,
)
from torch.masked._reductions import (
    amax,
    amin,
    argmax,
    argmin,
    logsumexp,
    mean,
    median,
    norm,
    prod,
    std,
    sum,
    var,
)

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

_MESSAGE = (
    "torch.masked.{name}: this build has no masked tensors; pass `mask` to torch.masked's functions"
)
MaskedTensor = absent_class(__name__, "MaskedTensor", _MESSAGE.format(name="MaskedTensor"))
_refused = refusing(__name__, ("as_masked_tensor", "masked_tensor"), NotImplementedError, _MESSAGE)
as_masked_tensor, masked_tensor = _refused["as_masked_tensor"], _refused["masked_tensor"]


def is_masked_tensor(obj: Any, /) -> bool:
    """Return whether an object is a MaskedTensor, of which this build makes no instances.

    Example:
        >>> import torch.masked
        >>> torch.masked.is_masked_tensor(torch.ones(2))
        False
    """
    return isinstance(obj, MaskedTensor)
