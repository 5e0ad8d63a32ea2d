"""Settings of deterministic algorithms."""

import sys
import types

from torch import _C


class _Settings(types.ModuleType):
    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether new memory is filled while `torch.use_deterministic_algorithms` is on; True at first.

        ``torch.empty`` and its relatives give NaN or the largest integer then, and ``resize_`` gives
        them behind the elements that there were.
        """
        return _C._get_deterministic_fill_uninitialized_memory()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, fill: bool) -> None:
        _C._set_deterministic_fill_uninitialized_memory(fill)


sys.modules[__name__].__class__ = _Settings
