"""Neural network modules, their parameters, and the functions they are built on."""

from torch.nn import functional, init, modules, utils
from torch.nn.modules import *  # noqa: F403 (every layer, by the list in modules/__init__.py)
from torch.nn.modules import __all__ as _layers
from torch.nn.parameter import Buffer, Parameter

__all__ = ["Buffer", "Parameter", "functional", "init", "modules", "utils", *_layers]


def __getattr__(name):
    if name in ("parallel", "DataParallel"):
        from importlib import import_module

        parallel = import_module("torch.nn.parallel")
        return parallel if name == "parallel" else parallel.DataParallel
    from torch.nn.modules import _absent_layers

    if name in _absent_layers.NEEDED_OPERATORS:
        return _absent_layers.layer(name)
    raise AttributeError(f"module 'torch.nn' has no attribute '{name}'")
