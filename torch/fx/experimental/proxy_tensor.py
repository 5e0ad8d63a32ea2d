"""Traces of the operators that a function calls, which this build does not make."""

from __future__ import annotations

from torch._absent import absent_class as _absent_class
from torch._absent import answering as _answering
from torch._absent import refusing as _refusing

_WITHOUT = "torch.fx.experimental.proxy_tensor.{name} does not exist in this build; use torch.fx.symbolic_trace"
globals().update(
    _answering(
        __name__,
        {"get_proxy_mode": None, "get_innermost_proxy_mode": None, "maybe_disable_thunkify": None},
        "traces of operators",
    )
)
globals().update(_refusing(__name__, ("make_fx",), NotImplementedError, _WITHOUT))
ProxyTorchDispatchMode = _absent_class(__name__, "ProxyTorchDispatchMode", _WITHOUT)
