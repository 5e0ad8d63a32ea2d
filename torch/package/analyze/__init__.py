"""Questions about packages: what a program imports, and what keeps modules from being packaged."""

from torch.package._mangling import is_from_package
from torch.package.analyze.find_first_use_of_broken_modules import find_first_use_of_broken_modules
from torch.package.analyze.trace_dependencies import trace_dependencies

__all__ = ["find_first_use_of_broken_modules", "is_from_package", "trace_dependencies"]
