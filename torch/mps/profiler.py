"""The profiler of Metal (MPS), which this build does not have."""

from torch._absent import answering as _answering
from torch._absent import refusing as _refusing

globals().update(
    _answering(
        __name__, {"is_capturing_metal": False, "is_metal_capture_enabled": False}, "MPS device"
    )
)
globals().update(
    _refusing(
        __name__,
        ("metal_capture", "profile", "start", "stop"),
        RuntimeError,
        "Cannot execute {name}() without MPS backend.",
    )
)
