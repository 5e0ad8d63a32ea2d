"""The base class of distributions with one number per value."""

from __future__ import annotations

from numbers import Number
from typing import Any

import torch
from torch.distributions.distribution import Distribution
from torch.distributions.utils import broadcast_all


class Simple(Distribution):
    """A distribution with one number per value, whose parameters broadcast with each other.

    A subclass lists its parameters in `params`.
    """

    params: tuple[str, ...] = ()

    def _set(self, *values: Any, validate_args: bool | None = None) -> None:
        tensors = broadcast_all(*values)
        for name, tensor in zip(self.params, tensors, strict=True):
            setattr(self, name, tensor)
        scalar = all(isinstance(value, Number) for value in values)
        shape = torch.Size() if scalar else tensors[0].size()
        Distribution.__init__(self, shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded to a batch shape."""
        new = self._get_checked_instance(self._family(), _instance)
        for name in self.params:
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(batch_shape))
        self._after_expand(new)
        Distribution.__init__(new, batch_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _after_expand(self, new: Any) -> None:
        """Set what a subclass keeps besides its parameters."""

    @classmethod
    def _family(cls) -> type:
        """Return the class of this package from which a user's class is derived."""
        return next(c for c in cls.__mro__ if c.__module__.startswith("torch.distributions"))
