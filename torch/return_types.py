"""The named tuples that operators return, such as torch.return_types.max.

Importing this module makes them nodes of trees (torch.utils._pytree).
"""

from torch import _C
from torch.utils._pytree import SequenceKey, register_pytree_node

__all__ = [name for name in dir(_C._return_types) if not name.startswith("_")]


def _register(cls):
    def flatten_with_keys(result):
        return [(SequenceKey(index), value) for index, value in enumerate(result)], None

    register_pytree_node(
        cls,
        lambda result: (list(result), None),
        lambda values, context: cls(values),
        flatten_with_keys_fn=flatten_with_keys,
    )


for _name in __all__:
    globals()[_name] = getattr(_C._return_types, _name)
    _register(globals()[_name])
