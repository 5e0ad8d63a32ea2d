"""The engine of quantized operators; all of them compute with the arithmetic of "x86"."""

import sys as _sys
from types import ModuleType as _ModuleType

supported_engines = ["qnnpack", "onednn", "x86", "fbgemm"]


class _Settings(_ModuleType):
    """The module, with an attribute that can only be set to the name of an engine."""

    _engine = "x86"

    @property
    def engine(self):
        """The engine that layers are packed for."""
        return self._engine

    @engine.setter
    def engine(self, name):
        if name not in supported_engines:
            raise RuntimeError(f"{name} is not a valid value for quantized engine")
        self._engine = name


_sys.modules[__name__].__class__ = _Settings
