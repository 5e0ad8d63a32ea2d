"""The Kullback-Leibler divergence between two distributions."""

from __future__ import annotations

# The two modules register their functions.
from torch.distributions import _kl_across_families, _kl_of_one_family  # noqa: F401
from torch.distributions._kl_registry import (
    _KL_MEMOIZE,  # noqa: F401 (libraries look functions up)
    _KL_REGISTRY,  # noqa: F401
    kl_divergence,
    register_kl,
)

__all__ = ["kl_divergence", "register_kl"]

for _name in __all__:
    globals()[_name].__module__ = __name__
