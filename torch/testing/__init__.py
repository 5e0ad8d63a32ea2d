"""Assertions for tests of programs that use tensors, and random tensors for them."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.testing._comparison import assert_allclose, assert_close
from torch.testing._creation import make_tensor

__all__ = ["FileCheck", "assert_allclose", "assert_close", "make_tensor"]

__getattr__ = _import_at_use(__name__, homes={"FileCheck": "_file_check"})
