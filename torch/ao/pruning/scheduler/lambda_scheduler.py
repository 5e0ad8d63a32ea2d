"""Shares of zeros that are multiplied by the result of a function."""

from __future__ import annotations

from collections.abc import Callable

from torch.ao.pruning.scheduler.base_scheduler import BaseScheduler
from torch.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier

__all__ = ["LambdaSL"]


class LambdaSL(BaseScheduler):
    """Multiplies the first share of zeros by a function of the number of steps.

    Args:
        sparsifier: The sparsifier.
        sl_lambda: The function, or a list with one for each group.
        last_epoch: The number of the last step.
        verbose: Whether each step is printed.

    Example:
        >>> from torch.ao.pruning import LambdaSL, WeightNormSparsifier
        >>> sparsifier = WeightNormSparsifier(sparsity_level=0.8)
        >>> sparsifier.prepare(nn.Sequential(nn.Linear(4, 4)), config=None)
        >>> schedule = LambdaSL(sparsifier, lambda epoch: 0.5**epoch)
        >>> sparsifier.step()
        >>> schedule.step()
        >>> sparsifier.groups[0]["sparsity_level"]
        0.4
    """

    def __init__(
        self,
        sparsifier: BaseSparsifier,
        sl_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.sparsifier = sparsifier
        if isinstance(sl_lambda, (list, tuple)):
            if len(sl_lambda) != len(sparsifier.groups):
                raise ValueError(
                    f"Expected {len(sparsifier.groups)} lr_lambdas, but got {len(sl_lambda)}"
                )
            self.sl_lambdas = list(sl_lambda)
        else:
            self.sl_lambdas = [sl_lambda] * len(sparsifier.groups)
        super().__init__(sparsifier, last_epoch, verbose)

    def get_sl(self) -> list[float]:
        """Return the share of zeros of each weight."""
        self._warn_outside_step()
        return [
            base * function(self.last_epoch)
            for function, base in zip(self.sl_lambdas, self.base_sl, strict=True)
        ]
