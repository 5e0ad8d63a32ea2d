"""Traces of operators, and the interface of symbolic shapes."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch._named_parts import NamedParts as _NamedParts

_NamedParts(
    "torch.fx.experimental",
    {
        "const_fold": "FoldedGraphModule split_const_subgraphs",
        "migrate_gradual_types": "",
        "normalize": "NormalizeArgs",
        "unification": "Var unify",
    },
    "{name} does not exist in this build",
    NotImplementedError,
).install()

__getattr__ = _import_at_use(__name__, ("proxy_tensor", "symbolic_shapes"))
