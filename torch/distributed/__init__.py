"""torch.distributed of a build without it: `is_available()` is False, and the rest can be named.

Programs ask whether it is available, annotate with its classes, and call its functions only then.
Every function that would communicate raises an error that says what is missing.
"""

from __future__ import annotations

import os as _os
from datetime import timedelta as _timedelta
from enum import IntEnum as _IntEnum
from typing import TYPE_CHECKING, Any
from typing import ClassVar as _ClassVar

from torch._absent import absent_class as _absent_class
from torch._absent import answering as _answering
from torch._absent import refusing as _refusing
from torch._lazy_attributes import import_at_use as _import_at_use
from torch._named_parts import NamedParts as _NamedParts
from torch.distributed._parts import DEFINED as _DEFINED
from torch.distributed._parts import NAMES as _NAMES

if TYPE_CHECKING:  # these names are made below, or at their first use
    from torch._C._late_distributed import *  # noqa: F403

_MODULE = "torch.distributed"
_WITHOUT = (
    "torch.distributed.{name} needs a build with USE_DISTRIBUTED, which does not exist yet; "
    "torch.distributed.is_available() is False"
)
default_pg_timeout = _timedelta(minutes=30)


class DistError(RuntimeError):
    """An error of torch.distributed."""


class DistBackendError(DistError):
    """An error of a back end."""


class DistNetworkError(DistError):
    """An error of the network."""


class DistStoreError(DistError):
    """An error of a store."""


class QueueEmptyError(DistStoreError):
    """The error of an empty queue."""


class Backend(str):
    """The name of a back end, in lower case.

    Example:
        >>> torch.distributed.Backend("GLOO")
        'gloo'
    """

    default_device_backend_map: _ClassVar[dict[str, str]] = {
        "cpu": "gloo",
        "cuda": "nccl",
        "mps": "gloo",
        "xpu": "xccl",
    }
    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"
    FAKE = "fake"

    def __new__(cls, name: str) -> Backend:
        """Return the name in lower case."""
        if not isinstance(name, str):
            raise ValueError(f"Backend constructor parameter must be string-ish, but got {name=}")
        return super().__new__(cls, name.lower())


class ReduceOp:
    """The operations of a reduction.

    Example:
        >>> torch.distributed.ReduceOp.SUM == torch.distributed.ReduceOp.SUM
        True
    """

    class RedOpType(_IntEnum):
        """An operation."""

        SUM = 0
        AVG = 1
        PRODUCT = 2
        MIN = 3
        MAX = 4
        BAND = 5
        BOR = 6
        BXOR = 7
        PREMUL_SUM = 8

    SUM = RedOpType.SUM
    AVG = RedOpType.AVG
    PRODUCT = RedOpType.PRODUCT
    MIN = RedOpType.MIN
    MAX = RedOpType.MAX
    BAND = RedOpType.BAND
    BOR = RedOpType.BOR
    BXOR = RedOpType.BXOR
    PREMUL_SUM = RedOpType.PREMUL_SUM


reduce_op = ReduceOp


class GroupMember:
    """The groups of this process: none.

    Example:
        >>> torch.distributed.GroupMember.WORLD
    """

    WORLD: Any = None
    NON_GROUP_MEMBER: Any = -100


group = GroupMember

_CLASSES = (
    "DeviceMesh",
    "FileStore",
    "GradBucket",
    "HashStore",
    "P2POp",
    "PrefixStore",
    "ProcessGroup",
    "Store",
    "TCPStore",
    "Work",
)
for _name in _CLASSES:
    globals()[_name] = _absent_class(_MODULE, _name, _WITHOUT.format(name=_name))


def is_torchelastic_launched() -> bool:
    """Return whether torchrun started this process.

    Example:
        >>> torch.distributed.is_torchelastic_launched()
        False
    """
    return _os.environ.get("TORCHELASTIC_RUN_ID") is not None


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Return the rank within the machine, from the variable LOCAL_RANK.

    Args:
        fallback_rank: The result without that variable.

    Raises:
        RuntimeError: Without the variable and a fallback.

    Example:
        >>> torch.distributed.get_node_local_rank(fallback_rank=0)
        0
    """
    if "LOCAL_RANK" in _os.environ:
        return int(_os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
        "`get_node_local_rank` to work, assuming you are not running in a multi-device context and "
        "want the code to run locally instead."
    )


globals().update(
    _answering(
        _MODULE,
        {
            "get_pg_count": 0,
            "_rank_not_in_group": False,
            "is_available": False,
            "is_backend_available": False,
            "is_gloo_available": False,
            "is_initialized": False,
            "is_mpi_available": False,
            "is_nccl_available": False,
            "is_ucc_available": False,
            "is_xccl_available": False,
        },
        "distributed back end",
    )
)
globals().update(
    _refusing(
        _MODULE,
        ("get_backend", "get_rank", "get_world_size"),
        ValueError,
        "Default process group has not been initialized, please make sure to call "
        "init_process_group.",
    )
)
globals().update(
    _refusing(
        _MODULE,
        (
            "_all_gather_base",
            "_broadcast_coalesced",
            "_reduce_scatter_base",
            "all_gather_coalesced",
            "all_reduce_coalesced",
            "new_subgroups_by_enumeration",
            "split_group",
            "all_gather",
            "all_gather_into_tensor",
            "all_gather_object",
            "all_reduce",
            "all_to_all",
            "all_to_all_single",
            "barrier",
            "batch_isend_irecv",
            "broadcast",
            "broadcast_object_list",
            "destroy_process_group",
            "gather",
            "gather_object",
            "get_global_rank",
            "get_group_rank",
            "get_process_group_ranks",
            "init_device_mesh",
            "init_process_group",
            "irecv",
            "isend",
            "monitored_barrier",
            "new_group",
            "new_subgroups",
            "recv",
            "recv_object_list",
            "reduce",
            "reduce_scatter",
            "reduce_scatter_tensor",
            "scatter",
            "scatter_object_list",
            "send",
            "send_object_list",
        ),
        RuntimeError,
        _WITHOUT,
    )
)


_NamedParts(
    _MODULE,
    _NAMES,
    _WITHOUT.replace("torch.distributed.", ""),
    defined=_DEFINED,
).install()


__getattr__ = _import_at_use(__name__)
