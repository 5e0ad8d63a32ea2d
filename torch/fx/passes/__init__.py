"""Functions that analyse and divide graphs."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch._named_parts import NamedParts as _NamedParts
from torch.fx.passes import shape_prop, split_module

__all__ = ["shape_prop", "split_module"]

_NamedParts(
    "torch.fx.passes",
    {
        "backends": "",
        "backends.cudagraphs": "CudaGraphsSupport partition_cudagraphs",
        "net_min_base": "FxNetMinimizerBadModuleError FxNetMinimizerResultMismatchError FxNetMinimizerRunFuncError",
        "regional_inductor": "regional_inductor",
        "regional_inductor_invoke_subgraph": "regional_inductor_invoke_subgraph",
        "reinplace": "reinplace",
        "runtime_assert": "insert_deferred_runtime_asserts",
    },
    "{name} does not exist in this build",
    NotImplementedError,
).install()

__getattr__ = _import_at_use(__name__)
