"""The base class of observers, and factories that keep some of their arguments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

import torch
from torch import nn


class PartialFactory:
    """A class with some of its arguments, as a QConfig keeps it."""

    def __init__(self, made: partial[Any]) -> None:
        self.p = made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Create an instance."""
        return self.p(*args, **kwargs)

    def __repr__(self) -> str:
        return f"{self.p!r}{{}}"

    def with_args(self, **kwargs: Any) -> PartialFactory:
        """Return a factory with further arguments."""
        return PartialFactory(partial(self.p, **kwargs))


class ObserverBase(ABC, nn.Module):
    """The base class of observers.

    Args:
        dtype: The dtype for which the observer chooses parameters.
        is_dynamic: Whether the parameters are chosen again for each call.

    Example:
        >>> issubclass(torch.ao.quantization.MinMaxObserver, torch.ao.quantization.ObserverBase)
        True
    """

    def __init__(self, dtype: torch.dtype, is_dynamic: bool = False) -> None:
        super().__init__()
        self.dtype = dtype
        self.is_dynamic = is_dynamic

    @abstractmethod
    def forward(self, x: Any) -> Any:
        """Look at a tensor and return it."""

    @abstractmethod
    def calculate_qparams(self, **kwargs: Any) -> Any:
        """Return the scale and the zero point."""

    @classmethod
    def with_args(cls, **kwargs: Any) -> PartialFactory:
        """Return a factory that creates observers with these arguments.

        Example:
            >>> torch.ao.quantization.MinMaxObserver.with_args(reduce_range=True)().quant_max
            127
        """
        return PartialFactory(partial(cls, **kwargs))
