"""The module class that torch.compile returns, under the name by which libraries import it."""

from torch._eager_compile import OptimizedModule
from torch.compiler import disable

__all__ = ["OptimizedModule", "disable"]
