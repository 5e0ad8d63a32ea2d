"""Neural network modules, their parameters, and the functions they are built on."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.nn import functional, init, modules, utils
from torch.nn.modules import *  # noqa: F403 (every layer, by the list in modules/__init__.py)
from torch.nn.modules import __all__ as _layers
from torch.nn.modules import _lazy_names
from torch.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_nn import *  # noqa: F403

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "functional",
    "init",
    "modules",
    "utils",
    *_layers,
    *_lazy_names.HOMES,
]


def factory_kwargs(kwargs):
    """Return the arguments for creating tensors among the keyword arguments of a module.

    Args:
        kwargs: Keyword arguments: device, dtype, memory_format, and a dictionary `factory_kwargs`
            with the same keys. None means no arguments.

    Returns:
        The arguments of both, in one dictionary.

    Raises:
        TypeError: If there is another argument, or one is given twice.

    Example:
        >>> nn.factory_kwargs({"device": "cpu", "factory_kwargs": {"dtype": torch.float64}})
        {'dtype': torch.float64, 'device': 'cpu'}
    """
    if kwargs is None:
        return {}
    simple = ("device", "dtype", "memory_format")
    unexpected = kwargs.keys() - {*simple, "factory_kwargs"}
    if unexpected:
        raise TypeError(f"unexpected kwargs {unexpected}")
    found = dict(kwargs.get("factory_kwargs") or {})
    unexpected = found.keys() - {*simple}
    if unexpected:
        raise TypeError(f"unexpected kwargs {unexpected}")
    for key in simple:
        if key in kwargs:
            if key in found:
                raise TypeError(f"{key} specified twice, in **kwargs and in factory_kwargs")
            found[key] = kwargs[key]
    return found


_HOMES = {"DataParallel": "parallel"}
_find_submodule = _import_at_use(__name__, homes=_HOMES)


def __getattr__(name):
    if name in _lazy_names.HOMES:
        return globals().setdefault(name, _lazy_names.find(name, __name__))
    return _find_submodule(name)


def __dir__():
    return sorted({*globals(), *__all__})
