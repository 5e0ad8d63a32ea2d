"""Questions about packages: what a program imports, and what keeps modules from being packaged."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.package.analyze.find_first_use_of_broken_modules import find_first_use_of_broken_modules
from torch.package.analyze.trace_dependencies import trace_dependencies

__all__ = ["find_first_use_of_broken_modules", "trace_dependencies"]

__getattr__ = _import_at_use(__name__)
