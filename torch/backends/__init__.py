"""What the CPU and its libraries offer."""

from torch.backends import cpu, cuda, openmp

__all__ = ["cpu", "cuda", "openmp"]
