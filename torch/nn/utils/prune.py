"""Pruning: masks that set entries of parameters to zero.

A pruned parameter `name` is replaced by `name_orig`, a parameter, and `name_mask`, a buffer; their
product is computed before each forward pass.
"""

from __future__ import annotations

from torch.nn.utils._pruning import (
    custom_from_mask,
    global_unstructured,
    identity,
    is_pruned,
    l1_unstructured,
    ln_structured,
    random_structured,
    random_unstructured,
    remove,
)
from torch.nn.utils._pruning_methods import (  # noqa: F401 (methods of other packages call the last three)
    BasePruningMethod,
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    PruningContainer,
    RandomStructured,
    RandomUnstructured,
    _compute_nparams_toprune,
    _validate_pruning_amount,
    _validate_pruning_amount_init,
)

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]

# Pickles name this module.
for _name in __all__:
    globals()[_name].__module__ = __name__
