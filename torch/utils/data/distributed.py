"""DistributedSampler: the part of a data set that one of several processes reads."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """The indices of a data set that belong to one of several processes.

    Every process gets the same number of indices. Call `set_epoch` before each epoch, or all epochs
    have the same order.

    Args:
        dataset: The data set, which must have a length.
        num_replicas: The number of processes; by default that of torch.distributed.
        rank: The number of this process, from 0; by default that of torch.distributed.
        shuffle: Whether to draw a random order for each epoch.
        seed: The seed of the order, which must be the same in all processes.
        drop_last: Whether to drop the last indices so that all processes have the same number of
            them, instead of repeating some.

    Raises:
        RuntimeError: Without `num_replicas` or `rank`, if torch.distributed is not available.
        ValueError: If the rank is outside the number of processes.

    Example:
        >>> from torch.utils.data.distributed import DistributedSampler
        >>> list(DistributedSampler("abcde", num_replicas=2, rank=1, shuffle=False))
        [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            from torch import distributed

            if not distributed.is_available():
                raise RuntimeError("Requires distributed package to be available")
            num_replicas = distributed.get_world_size() if num_replicas is None else num_replicas
            rank = distributed.get_rank() if rank is None else rank
        if rank >= num_replicas or rank < 0:
            raise ValueError(
                f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]"
            )
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        count = len(dataset)
        if drop_last and count % num_replicas:
            self.num_samples = math.ceil((count - num_replicas) / num_replicas)
        else:
            self.num_samples = math.ceil(count / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        if self.shuffle:
            generator = torch.Generator().manual_seed(self.seed + self.epoch)
            order = torch.randperm(count, generator=generator).tolist()
        else:
            order = list(range(count))
        if not self.drop_last and count:
            repeats = math.ceil(self.total_size / count)
            order = order * repeats
        order = order[: self.total_size]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Set the number of the epoch, from which its order follows."""
        self.epoch = epoch
