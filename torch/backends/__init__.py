"""What the CPU and its libraries offer."""

from torch.backends import cpu, openmp

__all__ = ["cpu", "openmp"]
