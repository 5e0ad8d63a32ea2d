"""The chi-squared distribution."""

from __future__ import annotations

from typing import Any

from torch.distributions import constraints
from torch.distributions.gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The chi-squared distribution.

    Args:
        df: The degrees of freedom.
        validate_args: Whether parameters and values are checked.

    Example:
        >>> torch.distributions.Chi2(3.0).mean
        tensor(3.)
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        """Return the distribution with its parameters expanded to a batch shape."""
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self):
        return self.concentration * 2
