"""The named tuples that operators return, such as torch.return_types.max.

Importing this module registers them as nodes of trees; torch.utils._pytree registers those that
it meets before.
"""

from torch import _C
from torch.utils._pytree_nodes import register_named_result as _register

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_return_types import *  # noqa: F403
    from torch._C._return_types import *  # noqa: F403

__all__ = [name for name in dir(_C._return_types) if not name.startswith("_")]


for _name in __all__:
    globals()[_name] = getattr(_C._return_types, _name)
    _register(globals()[_name])


def _named_tuple(name, fields):
    """Make a type like those of torch._C, for functions that are written in Python."""

    def __new__(cls, values):
        made = tuple.__new__(cls, values)
        if len(made) != len(fields):
            raise TypeError(f"torch.return_types.{name}() takes a {len(fields)}-sequence")
        return made

    def __repr__(self):
        rows = (f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n" + ",\n".join(rows) + ")"

    count = len(fields)
    members = {field: property(lambda self, i=i: self[i]) for i, field in enumerate(fields)}
    sizes = {"n_fields": count, "n_sequence_fields": count, "n_unnamed_fields": 0}
    methods = {"__new__": __new__, "__repr__": __repr__, "__module__": "torch.return_types"}
    return type(name, (tuple,), {"__slots__": (), **members, **sizes, **methods})


_PYTHON_TYPES = {
    "aminmax": ("min", "max"),
    "histogram": ("hist", "bin_edges"),
    "histogramdd": ("hist", "bin_edges"),
    "linalg_lstsq": ("solution", "residuals", "rank", "singular_values"),
    "qr": ("Q", "R"),
    "svd": ("U", "S", "V"),
    "triangular_solve": ("solution", "cloned_coefficient"),
}
for _name, _fields in _PYTHON_TYPES.items():
    globals()[_name] = _named_tuple(_name, _fields)
    _register(globals()[_name])
    __all__.append(_name)
