"""The base class of distributions."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions.utils import _all_true, lazy_property

__all__ = ["Distribution"]

_SIZE = torch.Size()


class Distribution:
    """A probability distribution, possibly several of them side by side.

    Args:
        batch_shape: The shape of the independent distributions.
        event_shape: The shape of one value.
        validate_args: Whether parameters and values are checked; by default they are, unless
            Python runs with -O.

    Example:
        >>> normal = torch.distributions.Normal(torch.zeros(2), torch.ones(2))
        >>> normal.batch_shape, normal.event_shape
        (torch.Size([2]), torch.Size([]))
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether parameters and values are checked by default."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: Any = _SIZE,
        event_shape: Any = _SIZE,
        validate_args: bool | None = None,
    ):
        self._batch_shape = torch.Size(batch_shape)
        self._event_shape = torch.Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _check_parameters(self) -> None:
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set "
                "`arg_constraints = {}` or initialize the distribution with "
                "`validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        for param, constraint in arg_constraints.items():
            if constraints.is_dependent(constraint):
                continue
            if param not in self.__dict__ and isinstance(
                getattr(type(self), param, None), lazy_property
            ):
                continue
            value = getattr(self, param)
            if not _all_true(constraint.check(value)):
                raise ValueError(
                    f"Expected parameter {param} ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                    f"{constraint!r}, but found invalid values:\n{value}"
                )

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution with its parameters expanded to a batch shape."""
        raise NotImplementedError

    @property
    def batch_shape(self) -> torch.Size:
        """The shape of the independent distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> torch.Size:
        """The shape of one value."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """The constraints that the parameters must satisfy."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The set of values."""
        raise NotImplementedError

    @property
    def mean(self) -> torch.Tensor:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> torch.Tensor:
        """The most likely value."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> torch.Tensor:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> torch.Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = _SIZE) -> torch.Tensor:
        """Draw values, without gradients."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = _SIZE) -> torch.Tensor:
        """Draw values that are differentiable functions of the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> torch.Tensor:
        """Draw n values; an old way to write `sample((n,))`."""
        warnings.warn("sample_n will be deprecated. Use .sample((n,)) instead", UserWarning, 2)
        return self.sample(torch.Size((n,)))

    def log_prob(self, value: torch.Tensor) -> torch.Tensor:
        """Return the logarithm of the density or probability of values."""
        raise NotImplementedError

    def cdf(self, value: torch.Tensor) -> torch.Tensor:
        """Return the distribution function at values."""
        raise NotImplementedError

    def icdf(self, value: torch.Tensor) -> torch.Tensor:
        """Return the inverse of the distribution function."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> torch.Tensor:
        """Return all values of a discrete distribution."""
        raise NotImplementedError

    def entropy(self) -> torch.Tensor:
        """Return the entropy."""
        raise NotImplementedError

    def perplexity(self) -> torch.Tensor:
        """Return the exponential of the entropy."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape: Any = _SIZE) -> torch.Size:
        return torch.Size(tuple(sample_shape) + self._batch_shape + self._event_shape)

    def _validate_sample(self, value: torch.Tensor) -> None:
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        start = len(value.size()) - len(self._event_shape)
        if value.size()[start:] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.size()} vs "
                f"{self._event_shape}."
            )
        actual, expected = value.size(), self._batch_shape + self._event_shape
        for i, j in zip(reversed(actual), reversed(expected), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {actual} vs "
                    f"{expected}."
                )
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please "
                "initialize the distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        if not _all_true(support.check(value)):
            raise ValueError(
                "Expected value argument "
                f"({type(value).__name__} of shape {tuple(value.shape)}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom "
                "__init__ method must also define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        names = [k for k in self.arg_constraints if k in self.__dict__]
        args = ", ".join(
            f"{p}: {self.__dict__[p] if self.__dict__[p].numel() == 1 else self.__dict__[p].size()}"
            for p in names
        )
        return f"{self.__class__.__name__}({args})"
