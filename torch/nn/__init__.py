"""Neural network modules, their parameters, and the functions they are built on."""

from torch.nn import functional, init, modules, utils
from torch.nn.modules import *  # noqa: F403 (every layer, by the list in modules/__init__.py)
from torch.nn.modules import __all__ as _layers
from torch.nn.parameter import Buffer, Parameter

__all__ = ["Buffer", "Parameter", "functional", "init", "modules", "utils", *_layers]
