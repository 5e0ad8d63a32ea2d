"""Shares of zeros that grow along a cubic curve, as in https://arxiv.org/abs/1710.01878."""

from __future__ import annotations

from typing import Any

from torch.ao.pruning.scheduler.base_scheduler import BaseScheduler
from torch.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier

__all__ = ["CubicSL"]


class CubicSL(BaseScheduler):
    """Raises the share of zeros quickly at first, and slowly at the end.

    Each setting is one value, or a list with one for each group.

    Args:
        sparsifier: The sparsifier; its shares of zeros are those at the end.
        init_sl: The share of zeros at the beginning.
        init_t: The step at which it starts to grow.
        delta_t: The number of steps between changes.
        total_t: The number of changes.
        initially_zero: Whether there are no zeros before `init_t`, instead of the share `init_sl`.
        last_epoch: The number of the last step.
        verbose: Whether each step is printed.

    Example:
        >>> from torch.ao.pruning import CubicSL, WeightNormSparsifier
        >>> sparsifier = WeightNormSparsifier(sparsity_level=0.8)
        >>> sparsifier.prepare(nn.Sequential(nn.Linear(4, 4)), config=None)
        >>> schedule = CubicSL(sparsifier, delta_t=1, total_t=2)
        >>> for _ in range(2):
        ...     print(round(schedule.get_last_sl()[0], 3))
        ...     sparsifier.step()
        ...     schedule.step()
        0.0
        0.7
    """

    def __init__(
        self,
        sparsifier: BaseSparsifier,
        init_sl: Any = 0.0,
        init_t: Any = 0,
        delta_t: Any = 10,
        total_t: Any = 100,
        initially_zero: Any = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.sparsifier = sparsifier
        self.init_sl = self._make_sure_a_list(init_sl)
        self.init_t = self._make_sure_a_list(init_t)
        self.delta_t = self._make_sure_a_list(delta_t)
        self.total_t = self._make_sure_a_list(total_t)
        self.initially_zero = self._make_sure_a_list(initially_zero)
        super().__init__(sparsifier, last_epoch, verbose)

    @staticmethod
    def sparsity_compute_fn(
        s_0: float, s_f: float, t: int, t_0: int, dt: int, n: int, initially_zero: bool = False
    ) -> float:
        """Return the share of zeros at a step.

        Args:
            s_0: The share at the beginning.
            s_f: The share at the end.
            t: The step.
            t_0: The step at which the share starts to grow.
            dt: The number of steps between changes.
            n: The number of changes.
            initially_zero: Whether there are no zeros before `t_0`.
        """
        if initially_zero and t < t_0:
            return 0.0
        level = s_f + (s_0 - s_f) * (1.0 - (t - t_0) / (dt * n)) ** 3
        return max(s_0, min(s_f, level))

    def get_sl(self) -> list[float]:
        """Return the share of zeros of each weight."""
        self._warn_outside_step()
        settings = zip(
            self.init_sl,
            self.base_sl,
            self.init_t,
            self.delta_t,
            self.total_t,
            self.initially_zero,
            strict=True,
        )
        return [
            self.sparsity_compute_fn(first, last, self.last_epoch, start, step, count, zero)
            for first, last, start, step, count, zero in settings
        ]
