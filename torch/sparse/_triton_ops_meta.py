"""Settings of Triton's kernels for blocked sparse matrices: a store of a process, and a search for the fastest.

Libraries that bring such kernels keep their settings here. It must know nothing of the kernels; none are part
of this build, and the store is empty until a program updates it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch

__all__ = ["get_meta", "minimize", "update"]

Settings = dict[str, int]
Key = tuple[Any, ...]

_ROWS = ("GROUP_SIZE_ROW", "SPLIT_N", "num_stages", "num_warps")
_NAMES = {
    "scatter_mm": ("GROUP_SIZE", "SPLIT_N", "TILE_M", "TILE_N", "num_stages", "num_warps"),
    "bsr_dense_addmm": _ROWS,
    "_int_bsr_dense_addmm": _ROWS,
}
_store: dict[tuple[str, str, Any], dict[Key, tuple[int, ...]]] = {}


def _current_device() -> str:
    return torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"


def update(op: str, device_name: str, version: Any, key: Key, value: tuple[int, ...]) -> None:
    """Store the settings of a kernel for one shape of its arguments.

    Args:
        op: The name of the operator.
        device_name: The device that they were measured on.
        version: A hashable version, such as `(0, dtype, sparsity)`.
        key: Sizes and other properties of the arguments.
        value: The settings in the alphabetic order of their names.

    Example:
        >>> from torch.sparse._triton_ops_meta import get_meta, update
        >>> update("bsr_dense_addmm", "cpu", (0, torch.half, 0.5), (64, 64, 16), (4, 1, 3, 2))
        >>> get_meta("bsr_dense_addmm", (64, 64, 16), "cpu")["num_warps"]
        2
    """
    _store.setdefault((op, device_name, version), {})[key] = tuple(value)


def get_meta(
    op: str,
    key: Key,
    device_name: str | None = None,
    version: Any = (0, torch.float16, 0.5),
    exact: bool = False,
) -> dict[Any, Any] | None:
    """Return the settings of a kernel that were stored, or None.

    Args:
        op: The name of the operator.
        key: Sizes and other properties of the arguments; "*" matches anything, and then the result maps each
            key that matches to its settings.
        device_name: The device; the current one if None.
        version: The version that they were stored with.
        exact: Whether only settings of this device count, and not those of any device.

    Example:
        >>> from torch.sparse._triton_ops_meta import get_meta
        >>> get_meta("scatter_mm", (1, 2, 3), "cpu") is None
        True
    """
    device = _current_device() if device_name is None else device_name
    devices = [device]
    if not exact:
        devices += [other for (name, other, at) in _store if name == op and at == version]
    for candidate in devices:
        found = _store.get((op, candidate, version))
        if found is None:
            continue
        if "*" not in key:
            return _named(op, found[key]) if key in found else None
        return {stored: _named(op, value) for stored, value in found.items() if _fits(key, stored)}
    return None


def _named(op: str, value: tuple[int, ...]) -> Settings:
    names = _NAMES.get(op)
    if names is None:
        raise NotImplementedError(f"names for {op=}")
    return dict(zip(names, value, strict=True))


def _fits(pattern: Key, key: Key) -> bool:
    return len(pattern) == len(key) and all(
        a in ("*", b) for a, b in zip(pattern, key, strict=True)
    )


def minimize(
    target_func: Callable[[Settings], float],
    initial_parameters: Settings,
    reference_parameters: Settings,
    step_func: Callable[[str, int, int, Settings], int],
    max_step: int = 2,
    verbose: bool = False,
    all_values: dict[Key, float] | None = None,
) -> tuple[Settings, float, float, str]:
    """Search for the settings with the least target, from neighbour to neighbour.

    Args:
        target_func: The time for settings; settings that raise are left out.
        initial_parameters: Where the search begins.
        reference_parameters: The settings that the result is compared with.
        step_func: Moves a setting up or down: `(name, value, direction, settings) -> value`. It returns the
            same value where there is none in that direction.
        max_step: How many steps of a setting are tried at once.
        verbose: Whether to print each improvement.
        all_values: Gets the target of all settings that were tried.

    Returns:
        The settings, by how many percent they improve on the reference, their target, and a text that says how
        much the target depends on each setting.
    """
    seen: dict[Key, float] = {} if all_values is None else all_values

    def target(settings: Settings) -> float:
        key = tuple(settings[name] for name in sorted(settings))
        if key not in seen:
            try:
                seen[key] = target_func(settings)
            except Exception as error:
                if verbose:
                    print(f"{settings=} raised {error}")
                seen[key] = float("inf")
        return seen[key]

    reference = target(reference_parameters)
    best = dict(initial_parameters)
    if target(best) > reference:
        best = dict(reference_parameters)
    while True:
        found = min(_neighbours(best, step_func, max_step), key=target, default=best)
        if target(found) >= target(best):
            break
        best = found
        if verbose:
            print(f"{best} -> {target(best)}")
    least = target(best)
    speedup = (reference / least - 1) * 100 if least else 0.0
    return best, speedup, least, _sensitivity(best, least, target, step_func)


def _neighbours(
    settings: Settings, step_func: Callable[[str, int, int, Settings], int], most: int
) -> list[Settings]:
    """Return the settings that differ by up to `most` steps in any number of settings."""
    choices = []
    for name, value in settings.items():
        values = {value: None}
        for direction in (-1, 1):
            for count in range(1, most + 1):
                values[step_func(name, value, direction * count, settings)] = None
        choices.append(list(values))
    found = (dict(zip(settings, chosen, strict=True)) for chosen in itertools.product(*choices))
    return [other for other in found if other != settings]


def _sensitivity(
    settings: Settings,
    least: float,
    target: Callable[[Settings], float],
    step_func: Callable[[str, int, int, Settings], int],
) -> str:
    parts = []
    for name, value in settings.items():
        changes = []
        for direction in (-1, 1):
            moved = step_func(name, value, direction, settings)
            if moved != value and least:
                changes.append((target({**settings, name: moved}) / least - 1) * 100)
        if changes:
            parts.append(f"{name}={value} (" + " ".join(f"{c:+.1f}%" for c in changes) + ")")
    return ", ".join(parts)
