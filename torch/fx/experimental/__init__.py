"""Traces of operators, and the interface of symbolic shapes."""

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
