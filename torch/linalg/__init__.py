"""Linear algebra: the operators of torch._C._linalg, and functions composed of them."""

from torch._C import _linalg
from torch._module_signatures import bind as _bind
from torch._published import publish_all as _publish_all

from . import _composites, _least_squares, _norms
from ._matrix_exp import matrix_exp

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_linalg import *  # noqa: F403

__all__ = ["matrix_exp"]
for _name in dir(_linalg):
    if _name.startswith("linalg_"):
        globals()[_name.removeprefix("linalg_")] = getattr(_linalg, _name)
        __all__.append(_name.removeprefix("linalg_"))
for _part in (_composites, _least_squares, _norms):
    for _name in _part.__all__:
        globals()[_name] = getattr(_part, _name)
        __all__.append(_name)

_publish_all(globals(), __all__)
globals().update(_bind("linalg", globals()))
