"""Assertions for tests of programs that use tensors."""

from torch.testing._comparison import assert_close

__all__ = ["assert_close"]
