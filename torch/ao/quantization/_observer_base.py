"""The base class of observers, and factories that keep some of their arguments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn


class PartialFactory:
    """A class with some of its arguments, as a QConfig keeps it."""

    def __init__(
        self, made: partial[Any], callable_args: dict[str, Callable[[], Any]] | None = None
    ) -> None:
        self.p = made
        self.callable_args = callable_args or {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Create an instance."""
        made = {name: make() for name, make in self.callable_args.items() if name not in kwargs}
        return self.p(*args, **kwargs, **made)

    def __repr__(self) -> str:
        return f"{self.p!r}{self.callable_args!r}"

    def with_args(self, **kwargs: Any) -> PartialFactory:
        """Return a factory with further arguments."""
        return PartialFactory(partial(self.p, **kwargs), self.callable_args)

    def with_callable_args(self, **kwargs: Callable[[], Any]) -> PartialFactory:
        """Return a factory with further arguments, which functions make for each instance."""
        return PartialFactory(self.p, {**self.callable_args, **kwargs})


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

    @classmethod
    def with_callable_args(cls, **kwargs: Callable[[], Any]) -> PartialFactory:
        """Return a factory that creates observers with arguments that functions make for each.

        Example:
            >>> factory = torch.ao.quantization.MinMaxObserver.with_callable_args(
            ...     factory_kwargs=lambda: {"device": "meta"}
            ... )
            >>> factory().min_val.device
            device(type='meta')
        """
        return PartialFactory(partial(cls), dict(kwargs))
