"""Batches in pinned memory, from which copies to a device run while the host goes on."""

from __future__ import annotations

import collections.abc
import copy
import queue
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import torch
from torch._utils import ExceptionWrapper

# How often a thread that waits checks whether it is still needed, in seconds.
_CHECK_INTERVAL = 5.0


def pin_memory(data: Any, device: str | None = None) -> Any:
    """Copy the tensors in nested containers to pinned memory.

    Args:
        data: A tensor, an object with a method `pin_memory`, or a mapping or sequence of them.
        device: Accepted for compatibility.

    Returns:
        The same nesting; what cannot be pinned is returned as it is.
    """
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, collections.abc.Mapping):
        items = {name: pin_memory(value, device) for name, value in data.items()}
        if isinstance(data, collections.abc.MutableMapping):
            pinned = copy.copy(data)
            pinned.update(items)
            return pinned
        return type(data)(items)
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(pin_memory(value, device) for value in data))
    if isinstance(data, (list, tuple)):
        return type(data)(pin_memory(value, device) for value in data)
    return data


def _pin_or_wrap(data: Any) -> Any:
    if isinstance(data, ExceptionWrapper):
        return data
    try:
        return pin_memory(data)
    except Exception:
        return ExceptionWrapper(where="in pin memory thread")


def _pin_memory_loop(
    in_queue: Any, out_queue: Any, device_id: int, done_event: Any, device: str | None
) -> None:
    """Pin the batches of a queue: the thread of libraries that have worker processes of their own.

    Args:
        in_queue: Yields pairs of a number and a batch.
        out_queue: Receives the same pairs, with batches in pinned memory.
        device_id: The accelerator that this thread uses.
        done_event: Ends the thread when it is set.
        device: Accepted for compatibility.
    """
    torch.set_num_threads(1)
    torch.accelerator.set_device_index(device_id)
    while not done_event.is_set():
        try:
            number, data = in_queue.get(timeout=_CHECK_INTERVAL)
        except queue.Empty:
            continue
        item = (number, _pin_or_wrap(data))
        while not done_event.is_set():
            try:
                out_queue.put(item, timeout=_CHECK_INTERVAL)
                break
            except queue.Full:
                continue


class PinningThread:
    """A thread that pins batches while the program computes."""

    def __init__(self) -> None:
        device = torch.accelerator.current_device_index()
        self._executor = ThreadPoolExecutor(
            1, "pin_memory", initializer=torch.accelerator.set_device_index, initargs=(device,)
        )

    def submit(self, data: Any) -> Future[Any]:
        """Return the future of the pinned batch, or of an ExceptionWrapper."""
        return self._executor.submit(_pin_or_wrap, data)

    def stop(self) -> None:
        self._executor.shutdown(cancel_futures=True)
