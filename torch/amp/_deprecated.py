"""Functions on autocast that exist once for each device type; the general ones replace them."""

from __future__ import annotations

import warnings

import torch


def _warn(old: str, new: str) -> None:
    warnings.warn(
        f"torch.{old} is deprecated. Please use torch.{new} instead.",
        DeprecationWarning,
        stacklevel=3,
    )


def _is_enabled(name: str, device_type: str) -> object:
    def function() -> bool:
        _warn(f"{name}()", f"is_autocast_enabled('{device_type}')")
        return torch.is_autocast_enabled(device_type)

    return function


def _set_enabled(name: str, device_type: str) -> object:
    def function(enabled: bool) -> None:
        _warn(f"{name}(enabled)", f"set_autocast_enabled('{device_type}', enabled)")
        torch.set_autocast_enabled(device_type, enabled)

    return function


def _get_dtype(name: str, device_type: str) -> object:
    def function() -> torch.dtype:
        _warn(f"{name}()", f"get_autocast_dtype('{device_type}')")
        return torch.get_autocast_dtype(device_type)

    return function


def _set_dtype(name: str, device_type: str) -> object:
    def function(dtype: torch.dtype) -> None:
        _warn(f"{name}(dtype)", f"set_autocast_dtype('{device_type}', dtype)")
        torch.set_autocast_dtype(device_type, dtype)

    return function


_KINDS = {
    "is_autocast_{}_enabled": (_is_enabled, "Return whether autocast is on for {}."),
    "set_autocast_{}_enabled": (_set_enabled, "Turn autocast for {} on or off."),
    "get_autocast_{}_dtype": (_get_dtype, "Return the dtype that autocast casts to on {}."),
    "set_autocast_{}_dtype": (_set_dtype, "Set the dtype that autocast casts to on {}."),
}
_DEVICE_TYPES = {"cpu": "cpu", "gpu": "cuda", "ipu": "ipu", "xla": "xla"}


def __getattr__(name: str) -> object:
    for pattern, (make, summary) in _KINDS.items():
        for word, device_type in _DEVICE_TYPES.items():
            if name == pattern.format(word) and not (word == "gpu" and "enabled" in pattern):
                function = make(name, device_type)
                function.__name__ = function.__qualname__ = name
                function.__doc__ = (
                    f"{summary.format(device_type)} Deprecated.\n\n"
                    f"Example:\n    >>> torch.{name}(...)  # doctest: +SKIP\n"
                )
                globals()[name] = function
                return function
    raise AttributeError(f"module 'torch.amp' has no attribute '{name}'")
