"""Functions of PyTorch's graph capture that libraries import."""

from torch.compiler import is_compiling

__all__ = ["is_compiling"]
