"""Green contexts: parts of a device's multiprocessors. No build supports them."""

from __future__ import annotations

from typing import Any

__all__ = ["GreenContext"]

SUPPORTED = False


class GreenContext:
    """A part of a device's multiprocessors; it cannot be made in any build.

    Example:
        >>> torch.cuda.green_contexts.SUPPORTED
        False
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Green contexts are not supported: no build can divide a device")

    @staticmethod
    def create(
        *,
        num_sms: int | None = None,
        workqueue_scope: str | None = None,
        workqueue_concurrency_limit: int | None = None,
        device_id: int | None = None,
    ) -> GreenContext:
        """Raise RuntimeError.

        Args:
            num_sms: The number of multiprocessors.
            workqueue_scope: How work queues are shared.
            workqueue_concurrency_limit: The number of work queues.
            device_id: The index of the device.
        """
        return GreenContext()
