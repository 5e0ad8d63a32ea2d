"""Traces of operators, and the interface of symbolic shapes."""

import importlib as _importlib
from typing import Any

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


def __getattr__(name: str) -> Any:
    """Import the modules that PyTorch imports with `torch.fx`, when they are used."""
    if name in ("proxy_tensor", "symbolic_shapes"):
        return _importlib.import_module(f"torch.fx.experimental.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
