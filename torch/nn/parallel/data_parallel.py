"""DataParallel: each device computes a part of the batch with a copy of the module."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import torch
from torch.nn.modules.module import Module
from torch.nn.parallel.parallel_apply import parallel_apply
from torch.nn.parallel.replicate import replicate
from torch.nn.parallel.scatter_gather import device_of_index, gather, scatter_kwargs

__all__ = ["DataParallel", "data_parallel"]


def _devices(device_ids: Sequence[Any] | None) -> list[torch.device]:
    """Return the devices; none on a machine without accelerators, where the module is called."""
    count = torch.accelerator.device_count()
    if count == 0 and device_ids is not None and len(device_ids) > 1:
        raise RuntimeError(
            f"DataParallel over the devices {list(device_ids)} needs several accelerators; this "
            "process has 0"
        )
    if count == 0:
        return []
    return [device_of_index(each) for each in (range(count) if device_ids is None else device_ids)]


class DataParallel(Module):
    """Split the batch among devices, each of which has a copy of the module for one call.

    Gradients are summed in the module's parameters. Without accelerators, the module is called.

    Args:
        module: The module, on the first device.
        device_ids: The devices; all if None.
        output_device: The device of the result; the first one if None.
        dim: The dimension of the batch.

    Raises:
        RuntimeError: If `device_ids` names several devices on a machine without accelerators.

    Example:
        >>> parallel = nn.DataParallel(nn.Linear(2, 1))
        >>> parallel(torch.ones(4, 2)).shape
        torch.Size([4, 1])
        >>> list(parallel.state_dict())
        ['module.weight', 'module.bias']
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        devices = _devices(device_ids)
        self.module = module
        self.dim = dim
        self.device_ids: list[Any] = [device.index for device in devices]
        if devices:
            first = devices[0].index
            self.output_device = (
                first if output_device is None else device_of_index(output_device).index
            )
        if len(devices) == 1:
            module.to(devices[0])

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the copies of the module, and join their results on the output device.

        Raises:
            RuntimeError: If a parameter or a buffer is not on the first device.
        """
        if not self.device_ids:
            return self.module(*inputs, **kwargs)
        _check_home(self.module, device_of_index(self.device_ids[0]))
        positional, named = self.scatter(inputs, kwargs, self.device_ids)
        if not positional:  # a module without arguments
            positional, named = ((),), ({},)
        if len(self.device_ids) == 1:
            return self.module(*positional[0], **named[0])
        copies = self.replicate(self.module, self.device_ids[: len(positional)])
        return self.gather(self.parallel_apply(copies, positional, named), self.output_device)

    # ---- the steps, which a subclass may replace
    def scatter(
        self, inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, device_ids: Sequence[Any]
    ) -> Any:
        """Split the arguments; return the positional and the named ones of each device."""
        devices = [device_of_index(each) for each in device_ids]
        return scatter_kwargs(inputs, kwargs, devices, self.dim)

    def replicate(self, module: Module, device_ids: Sequence[Any]) -> list[Module]:
        """Return copies of the module on the devices."""
        devices = [device_of_index(each) for each in device_ids]
        return replicate(module, devices, detach=not torch.is_grad_enabled())

    def parallel_apply(
        self, replicas: Sequence[Module], inputs: Sequence[Any], kwargs: Any
    ) -> list[Any]:
        """Call each copy with its arguments, in threads."""
        devices = [device_of_index(each) for each in self.device_ids[: len(replicas)]]
        return parallel_apply(replicas, inputs, kwargs, devices)

    def gather(self, outputs: Any, output_device: Any) -> Any:
        """Join the results on a device."""
        return gather(outputs, output_device, self.dim)


def _check_home(module: Module, home: torch.device) -> None:
    for tensor in chain(module.parameters(), module.buffers()):
        if tensor.device != home:
            raise RuntimeError(
                f"module must have its parameters and buffers on device {home} (device_ids[0]) "
                f"but found one of them on device: {tensor.device}"
            )


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[Any] | None = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """Call a module with parts of a batch on several devices; the arguments are `DataParallel`'s.

    Example:
        >>> from torch.nn.parallel import data_parallel
        >>> data_parallel(nn.Linear(2, 1), torch.ones(4, 2)).shape  # doctest: +SKIP
        torch.Size([4, 1])
    """
    args = inputs if isinstance(inputs, tuple) else (inputs,)
    devices = _devices(device_ids)
    if not devices:
        return module(*args, **(module_kwargs or {}))
    _check_home(module, devices[0])
    positional, named = scatter_kwargs(args, module_kwargs, devices, dim)
    if not positional:  # a module without arguments
        positional, named = ((),), ({},)
    if len(devices) == 1:
        return module(*positional[0], **named[0])
    used = devices[: len(positional)]
    copies = replicate(module, used, detach=not torch.is_grad_enabled())
    results = parallel_apply(copies, positional, named, used)
    return gather(results, devices[0] if output_device is None else output_device, dim)
