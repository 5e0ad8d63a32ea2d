"""Choose the implementation of scaled_dot_product_attention, and attention with masks by blocks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from enum import Enum, IntEnum
from typing import Any

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.backends import cuda as _cuda

__all__ = [
    "WARN_FOR_UNFUSED_KERNELS",
    "SDPBackend",
    "activate_flash_attention_impl",
    "current_flash_attention_impl",
    "list_flash_attention_impls",
    "register_flash_attention_impl",
    "restore_flash_attention_impl",
    "sdpa_kernel",
]

WARN_FOR_UNFUSED_KERNELS = False
"""Whether `can_use_flash_attention` and its relatives explain their answer in warnings."""


class SDPBackend(IntEnum):
    """The implementations of scaled_dot_product_attention.

    Example:
        >>> from torch.nn.attention import SDPBackend
        >>> SDPBackend.MATH
        <SDPBackend.MATH: 0>
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    __str__ = Enum.__str__
    __format__ = Enum.__format__


_SDPBackend = SDPBackend
_SWITCHES = {
    SDPBackend.MATH: (_cuda.math_sdp_enabled, _cuda.enable_math_sdp),
    SDPBackend.FLASH_ATTENTION: (_cuda.flash_sdp_enabled, _cuda.enable_flash_sdp),
    SDPBackend.EFFICIENT_ATTENTION: (
        _cuda.mem_efficient_sdp_enabled,
        _cuda.enable_mem_efficient_sdp,
    ),
    SDPBackend.CUDNN_ATTENTION: (_cuda.cudnn_sdp_enabled, _cuda.enable_cudnn_sdp),
}


def _cur_sdpa_kernel_backends(with_priority: bool = False) -> list[SDPBackend]:
    """Return the implementations that may be used."""
    return [backend for backend, (enabled, _) in _SWITCHES.items() if enabled()]


def _enable(backends: Any) -> None:
    for backend, (_, enable) in _SWITCHES.items():
        enable(backend in backends)


@contextlib.contextmanager
def sdpa_kernel(
    backends: list[SDPBackend] | SDPBackend, set_priority: bool = False
) -> Iterator[dict[Any, Any]]:
    """Allow only some implementations of scaled_dot_product_attention in a block.

    Args:
        backends: One or several of SDPBackend.
        set_priority: Whether their order is a preference; ignored, since at most one of them
            fits a device.

    Raises:
        AssertionError: If `backends` is neither.

    Example:
        >>> from torch.nn.attention import SDPBackend, sdpa_kernel
        >>> q = torch.ones(1, 2, 3, 4)
        >>> with sdpa_kernel(SDPBackend.MATH):
        ...     nn.functional.scaled_dot_product_attention(q, q, q).shape
        torch.Size([1, 2, 3, 4])
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    before = _cur_sdpa_kernel_backends()
    _enable({backends} if isinstance(backends, SDPBackend) else set(backends))
    try:
        yield {}
    finally:
        _enable(before)


# ---- implementations of flash attention by other packages ----------------------------------------
_FLASH_IMPLEMENTATIONS: dict[str, Any] = {}
_active: list[Any] = [None, None]  # the name, and what undoes the registration


def register_flash_attention_impl(impl: str, *, register_fn: Any) -> None:
    """Register an implementation of flash attention under a name.

    Args:
        impl: The name.
        register_fn: A function that registers its kernels, and returns an object whose method
            `remove` removes them, or None.

    Example:
        >>> torch.nn.attention.register_flash_attention_impl("mine", register_fn=lambda: None)
        >>> "mine" in torch.nn.attention.list_flash_attention_impls()
        True
    """
    _FLASH_IMPLEMENTATIONS[impl] = register_fn


def activate_flash_attention_impl(impl: str) -> None:
    """Use a registered implementation of flash attention.

    Raises:
        ValueError: If nothing is registered under the name.

    Example:
        >>> torch.nn.attention.register_flash_attention_impl("own", register_fn=lambda: None)
        >>> torch.nn.attention.activate_flash_attention_impl("own")
        >>> torch.nn.attention.current_flash_attention_impl()  # doctest: +SKIP
        'own'
        >>> torch.nn.attention.restore_flash_attention_impl()
    """
    if impl not in _FLASH_IMPLEMENTATIONS:
        known = ", ".join(list_flash_attention_impls()) or "none"
        raise ValueError(
            f"Unknown flash attention impl '{impl}'. Available implementations: {known}"
        )
    if _active[0] == impl:
        return
    restore_flash_attention_impl()
    _active[:] = [impl, _FLASH_IMPLEMENTATIONS[impl]()]


def list_flash_attention_impls() -> list[str]:
    """Return the names of the registered implementations of flash attention.

    Example:
        >>> isinstance(torch.nn.attention.list_flash_attention_impls(), list)
        True
    """
    return sorted(_FLASH_IMPLEMENTATIONS)


def current_flash_attention_impl() -> str | None:
    """Return the name of the implementation in use, None for this build's own.

    Example:
        >>> torch.nn.attention.current_flash_attention_impl()
    """
    name: str | None = _active[0]
    return name


def restore_flash_attention_impl() -> None:
    """Use this build's own implementation of flash attention again.

    Example:
        >>> torch.nn.attention.restore_flash_attention_impl()
    """
    handle = _active[1]
    _active[:] = [None, None]
    if handle is not None:
        handle.remove()


__getattr__ = _import_at_use(__name__)
