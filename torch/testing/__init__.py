"""Assertions for tests of programs that use tensors, and random tensors for them."""

from torch.testing._comparison import assert_allclose, assert_close
from torch.testing._creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
