"""The capabilities of the CPU and of the libraries in this build."""

from torch.backends import cpu, cuda, openmp

__all__ = ["cpu", "cuda", "openmp"]
