"""Calls of torch.fft, stft, istft and torch.signal, whose results two interpreters compare."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import torch


def tensor(*shape: int, complex: bool = False) -> torch.Tensor:
    random = np.random.RandomState(sum(shape))
    values = random.standard_normal(shape)
    return torch.from_numpy(values + 1j * random.standard_normal(shape) if complex else values)


def transforms() -> dict[str, Callable[[], Any]]:
    x, z = tensor(4, 5, 6), tensor(4, 5, 6, complex=True)
    calls: dict[str, Callable[[], Any]] = {}
    for name in ("fft", "ifft", "hfft", "irfft"):
        calls[name] = partial(getattr(torch.fft, name), z, 7, 1, "ortho")
        calls[f"{name} of real"] = partial(getattr(torch.fft, name), x)
        calls[f"{name} of integers"] = partial(getattr(torch.fft, name), torch.arange(6))
    for name in ("rfft", "ihfft"):
        calls[name] = partial(getattr(torch.fft, name), x, 7, 1, "forward")
    for name in ("fft2", "ifft2", "hfft2", "irfft2", "fftn", "ifftn", "hfftn", "irfftn"):
        calls[name] = partial(getattr(torch.fft, name), z, (6, -1), (2, 0), "ortho")
        calls[f"{name} by default"] = partial(getattr(torch.fft, name), z)
    for name in ("rfft2", "ihfft2", "rfftn", "ihfftn"):
        calls[name] = partial(getattr(torch.fft, name), x, (6, 3), norm="forward")
        calls[f"{name} by default"] = partial(getattr(torch.fft, name), x)
    for kind in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        row = torch.empty(1, 0)
        for name in (kind, f"{kind}2", f"{kind}n"):
            for low in (x.half(), x.bfloat16()):
                calls[f"{name} of {low.dtype}"] = partial(getattr(torch.fft, name), low)
            if kind in ("rfft", "ihfft"):
                calls[f"{name} of complex"] = partial(getattr(torch.fft, name), z)
        calls[f"{kind} of nothing"] = partial(getattr(torch.fft, kind), row)
        for name in (f"{kind}2", f"{kind}n"):
            function = getattr(torch.fft, name)
            calls[f"{name} of nothing"] = partial(function, row)
            calls[f"{name} without rows"] = partial(function, row.t())
            calls[f"{name} of padding"] = partial(function, row, (2, 3))
            calls[f"{name} of no points"] = partial(function, x, (2, 0))
            calls[f"{name} of fewer than no points"] = partial(function, x, (-2, 2))
    calls["fftfreq"] = lambda: torch.fft.fftfreq(7, 0.5, dtype=torch.float64)
    calls["fftfreq to integers"] = lambda: torch.fft.fftfreq(7, out=torch.arange(7))
    calls["rfftfreq of integers"] = lambda: torch.fft.rfftfreq(7, dtype=torch.int64)
    calls["fftfreq to another dtype"] = lambda: torch.fft.fftfreq(7, out=torch.empty(7).double())
    calls["rfftfreq"] = lambda: torch.fft.rfftfreq(8, 0.5)
    calls["out of range"] = lambda: torch.fft.fft(x, dim=5)
    calls["too many sizes"] = lambda: torch.fft.fftn(x, (1, 2, 3, 4))
    return calls


def short_time() -> dict[str, Callable[[], Any]]:
    x = tensor(2, 50)
    window = torch.hann_window(8, dtype=torch.float64)
    spectrum = torch.stft(x, 12, 3, 8, window, return_complex=True)
    full = torch.stft(x, 12, 3, 8, window, onesided=False, return_complex=True)
    return {
        "stft": lambda: torch.stft(x, 12, return_complex=True, window=torch.ones(12).double()),
        "stft of one": lambda: torch.stft(x[0], 12, 5, 8, window, return_complex=True),
        "stft in parts": lambda: torch.stft(x, 12, 3, 8, window, False, return_complex=False),
        "stft normalized": lambda: x.stft(
            12, 3, 8, window, True, "constant", True, False, return_complex=True
        ),
        "stft of complex": lambda: torch.stft(x + 1j, 12, 3, 8, window, return_complex=True),
        "stft too long": lambda: torch.stft(x, 80, 3, center=False, return_complex=True),
        "stft with a wrong window": lambda: torch.stft(x, 12, 3, 9, window, return_complex=True),
        "istft": lambda: torch.istft(spectrum, 12, 3, 8, window),
        "istft with length": lambda: torch.istft(spectrum, 12, 3, 8, window, length=45),
        "istft of one": lambda: torch.istft(spectrum[0], 12, 3, 8, window),
        "istft of both sides": lambda: full.istft(12, 3, 8, window, onesided=False),
        "istft of real": lambda: torch.istft(x, 12),
        "istft with gaps": lambda: torch.istft(spectrum, 12, 8, 8, window),
        "istft complex": lambda: torch.istft(
            full, 12, 3, 8, window, onesided=False, return_complex=True
        ),
    }


def windows() -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {}
    module = torch.signal.windows
    for name in module.__all__:
        given = {"a": [0.4, 0.5, 0.1]} if name == "general_cosine" else {}
        for length in (0, 1, 2, 7, 8):
            for sym in (True, False):
                found[f"{name} {length} {sym}"] = partial(
                    getattr(module, name), length, sym=sym, dtype=torch.float64, **given
                )
    return found


def outcome(call: Callable[[], Any]) -> Any:
    try:
        result = call()
    except Exception as error:
        return type(error).__name__
    return result.resolve_conj().numpy()


def main() -> None:
    """Write the results of all calls."""

    calls = {**transforms(), **short_time(), **windows()}
    with open(sys.argv[1], "wb") as file:
        pickle.dump({name: outcome(call) for name, call in calls.items()}, file)


if __name__ == "__main__":
    main()
