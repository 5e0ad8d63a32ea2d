"""The results of torch.compile, under the names by which libraries import them."""

from torch._absent import answering
from torch._eager_compile import OptimizedModule
from torch.compiler import disable

__all__ = ["OptimizedModule", "disable", "is_dynamo_supported"]

is_dynamo_supported = answering(__name__, {"is_dynamo_supported": False}, "compiler")[
    "is_dynamo_supported"
]
