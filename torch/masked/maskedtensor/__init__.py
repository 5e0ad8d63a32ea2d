"""Tensors with a mask that says which elements are given."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.masked.maskedtensor import _rules
from torch.masked.maskedtensor.core import MaskedTensor, is_masked_tensor
from torch.masked.maskedtensor.creation import as_masked_tensor, masked_tensor

__all__ = ["MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"]

__getattr__ = _import_at_use(__name__)
