"""Metal (MPS), which this build does not support."""

from torch import _absent

_MODULE = "torch.backends.mps"

globals().update(
    _absent.answering(_MODULE, {"is_available": False, "is_built": False}, "MPS device")
)
globals().update(
    _absent.refusing(
        _MODULE,
        ("is_macos13_or_newer", "is_macos_or_newer"),
        RuntimeError,
        "Cannot execute isOnMacOSorNewer() without MPS backend.",
    )
)
globals().update(
    _absent.refusing(
        _MODULE,
        ("get_core_count", "get_name"),
        RuntimeError,
        "Cannot execute {name}() without MPS backend.",
    )
)
