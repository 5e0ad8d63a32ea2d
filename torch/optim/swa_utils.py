"""Averages of a model's weights over training steps."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.nn.modules.module import Module
from torch.optim.lr_scheduler import LRScheduler
from torch.optim.lr_scheduler._base import per_group
from torch.optim.optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[[Tensor, Tensor, Any], Tensor]
MultiAverage = Callable[[Any, Any, Any], None]


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Return a function that computes an exponential moving average of tensors.

    Raises:
        ValueError: If `decay` is not between 0 and 1.

    Example:
        >>> average = torch.optim.swa_utils.get_ema_avg_fn(0.5)
        >>> average(torch.tensor(2.0), torch.tensor(4.0), 1)
        tensor(3.)
    """
    _check_decay(decay)

    @torch.no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> MultiAverage:
    """Return a function that updates a list of exponential moving averages.

    Raises:
        ValueError: If `decay` is not between 0 and 1.

    Example:
        >>> average = torch.optim.swa_utils.get_ema_multi_avg_fn(0.5)
        >>> kept = [torch.tensor(2.0)]
        >>> average(kept, [torch.tensor(4.0)], 1)
        >>> kept
        [tensor(3.)]
    """
    _check_decay(decay)

    @torch.no_grad()
    def ema_update(ema_param_list: Any, current_param_list: Any, _: Any) -> None:
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_avg_fn() -> Average:
    """Return a function that computes the mean of the tensors seen so far.

    Example:
        >>> average = torch.optim.swa_utils.get_swa_avg_fn()
        >>> average(torch.tensor(2.0), torch.tensor(5.0), 2)
        tensor(3.)
    """

    @torch.no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_swa_multi_avg_fn() -> MultiAverage:
    """Return a function that updates a list of means.

    Example:
        >>> average = torch.optim.swa_utils.get_swa_multi_avg_fn()
        >>> kept = [torch.tensor(2.0)]
        >>> average(kept, [torch.tensor(5.0)], 2)
        >>> kept
        [tensor(3.)]
    """

    @torch.no_grad()
    def swa_update(averaged_param_list: Any, current_param_list: Any, num_averaged: Any) -> None:
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 / (float(num_averaged) + 1))
            else:
                average.add_((current - average) / (num_averaged + 1))

    return swa_update


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


class AveragedModel(Module):
    """A copy of a model whose weights are an average over the calls of `update_parameters`.

    Args:
        model: The model, which is copied.
        device: The device of the copy; by default the model's.
        avg_fn: A function of the average, the current weight and the number of averaged models that
            returns the new average; by default their mean.
        multi_avg_fn: A function that updates a list of averages in place.
        use_buffers: Whether to average the buffers, too; otherwise they are copied.

    Raises:
        AssertionError: If both functions are given.

    Example:
        >>> model = nn.Linear(1, 1, bias=False)
        >>> averaged = torch.optim.swa_utils.AveragedModel(model)
        >>> for value in (1.0, 3.0):
        ...     _ = nn.init.constant_(model.weight, value)
        ...     averaged.update_parameters(model)
        >>> averaged.module.weight
        Parameter containing:
        tensor([[2.]], requires_grad=True)
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: MultiAverage | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", torch.tensor(0, dtype=torch.long, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the averaged model."""
        return self.module(*args, **kwargs)

    def _averaged_of(self, module: Module) -> list[Tensor]:
        buffers = module.buffers() if self.use_buffers else ()
        return [*module.parameters(), *buffers]

    @torch.no_grad()
    def update_parameters(self, model: Module) -> None:
        """Add the weights of a model to the average; the first ones are copied."""
        kept = [p.detach() for p in self._averaged_of(self.module)]
        current = [
            p.detach().to(average.device)
            for p, average in zip(self._averaged_of(model), kept, strict=True)
        ]
        if self.n_averaged == 0:
            for average, value in zip(kept, current, strict=True):
                average.copy_(value)
        elif self.avg_fn is not None:
            for average, value in zip(kept, current, strict=True):
                average.copy_(self.avg_fn(average, value, self.n_averaged.to(average.device)))
        else:
            (self.multi_avg_fn or get_swa_multi_avg_fn())(kept, current, self.n_averaged)
        if not self.use_buffers:
            for own, other in zip(self.module.buffers(), model.buffers(), strict=True):
                own.detach().copy_(other.detach().to(own.device))
        self.n_averaged += 1


@torch.no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of batch norm layers again, from the batches of a loader.

    Args:
        loader: The batches; of a list or a tuple the first item.
        model: The model.
        device: The device that batches are moved to.

    Example:
        >>> model = nn.Sequential(nn.BatchNorm1d(1))
        >>> torch.optim.swa_utils.update_bn([torch.tensor([[1.0], [3.0]])], model)
        >>> model[0].running_mean
        tensor([2.])
    """
    layers = [m for m in model.modules() if isinstance(m, torch.nn.modules.batchnorm._BatchNorm)]
    if not layers:
        return
    momenta = {layer: layer.momentum for layer in layers}
    was_training = model.training
    model.train()
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None
    for batch in loader:
        inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(inputs if device is None else inputs.to(device))
    for layer, momentum in momenta.items():
        layer.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """A scheduler that goes from the current learning rate to a constant one.

    Args:
        optimizer: The optimizer.
        swa_lr: The learning rate at the end, or one for each group.
        anneal_epochs: The number of steps until then.
        anneal_strategy: "cos" or "linear".
        last_epoch: The number of the last step.

    Raises:
        ValueError: For another strategy, or a number of steps that is negative or no integer.

    Example:
        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
        >>> scheduler = torch.optim.swa_utils.SWALR(
        ...     optimizer, swa_lr=0.1, anneal_epochs=2, anneal_strategy="linear"
        ... )
        >>> for _ in range(2):
        ...     optimizer.step()
        ...     scheduler.step()
        >>> optimizer.param_groups[0]["lr"]
        0.1
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        rates = per_group(optimizer, swa_lr, "swa_lr")
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must by one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step: int) -> float:
        """Return which share of the way is done after a step."""
        t = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def get_lr(self) -> list[float]:
        """Return the learning rates of the groups for this step."""
        groups = self.optimizer.param_groups
        if self.anneal_epochs == 0:
            return [group["swa_lr"] if self.last_epoch > 0 else group["lr"] for group in groups]
        before, now = self._share(self.last_epoch - 1), self._share(self.last_epoch)
        rates = []
        for group in groups:
            end = group["swa_lr"]
            first = end if before == 1 else (group["lr"] - before * end) / (1 - before)
            rates.append(end * now + first * (1 - now))
        return rates
