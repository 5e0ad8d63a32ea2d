"""torch._C._distributed_c10d: the classes of torch.distributed that libraries annotate with."""

from torch.distributed import (  # type: ignore[attr-defined]
    FileStore,
    HashStore,
    PrefixStore,
    ProcessGroup,
    ReduceOp,
    Store,
    TCPStore,
    Work,
)

__all__ = [
    "FileStore",
    "HashStore",
    "PrefixStore",
    "ProcessGroup",
    "ReduceOp",
    "Store",
    "TCPStore",
    "Work",
]
