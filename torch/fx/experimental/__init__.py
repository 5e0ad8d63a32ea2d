"""Symbolic shapes and traces of operators, of which this build has the questions and the names."""

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
