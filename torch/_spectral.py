"""Short-time Fourier transforms, composed of windows and of transforms of torch.fft."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import torch
from torch import fft
from torch._torch_function import handle_torch_function, has_torch_function

if TYPE_CHECKING:
    from torch import Tensor


_HOW_TO_SAY_IT = (
    "To suppress this warning and use a rectangular window, explicitly set "
    "`window=torch.ones(n_fft, device=<device>)`."
)
_given_warnings: set[str] = set()


def _warn_once(text: str) -> None:
    if text not in _given_warnings or torch.is_warn_always_enabled():
        _given_warnings.add(text)
        warnings.warn(text, stacklevel=3)


def _describe(name: str, input: Tensor, n_fft: int, hop: int, win: int) -> str:
    return (
        f"{name}({input.dtype}[{', '.join(map(str, input.shape))}], n_fft={n_fft}, "
        f"hop_length={hop}, win_length={win})"
    )


def _full_window(window: Tensor | None, n_fft: int, win: int, like: Tensor) -> Tensor | None:
    """Return the window with n_fft elements, zero at both ends; None if it is one everywhere."""
    if window is None:
        if win == n_fft:
            return None
        real = like.real if like.is_complex() else like
        window = torch.ones(win, dtype=real.dtype, device=like.device)
    if win == n_fft:
        return window
    left = (n_fft - win) // 2
    return torch.constant_pad_nd(window, [left, n_fft - win - left])


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """Compute the Fourier transforms of overlapping parts of a signal.

    Args:
        input: A signal of shape (t) or a batch of shape (b, t).
        n_fft: The length of the parts.
        hop_length: The distance of the parts; n_fft // 4 by default.
        win_length: The length of the window, n_fft by default.
        window: The factors of each part's elements, in its middle; ones by default.
        center: Whether the first part is centered at the first element, with the signal extended
            at both ends.
        pad_mode: How it is extended, as for :func:`torch.nn.functional.pad`.
        normalized: Whether the transforms are divided by the root of n_fft.
        onesided: Whether negative frequencies are left out; by default if all is real.
        return_complex: Whether the result is complex, else it has parts in its last dimension.
        align_to_window: Not supported with `center`; whether the parts begin with the window.

    Returns:
        The transforms, of shape (b, frequencies, parts), without b if the input has none.

    Example:
        >>> torch.stft(torch.ones(8), 4, window=torch.ones(4), return_complex=True).shape
        torch.Size([3, 9])
    """
    if has_torch_function((input,)):
        return handle_torch_function(
            stft, (input,), input, n_fft, hop_length, win_length, window, center, pad_mode,
            normalized, onesided, return_complex, align_to_window,
        )  # fmt: skip
    if align_to_window is not None and center:
        raise RuntimeError("stft align_to_window should only be set when center = false. ")
    hop = n_fft // 4 if hop_length is None else hop_length
    win = n_fft if win_length is None else win_length
    call = _describe("stft", input, n_fft, hop, win)
    is_complex = input.is_complex() or (window is not None and window.is_complex())
    if return_complex is None:
        if not is_complex:
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will "
                "further require that return_complex=True in a future PyTorch release."
            )
        return_complex = True
    if not (input.is_floating_point() or input.is_complex()) or input.dim() not in (1, 2):
        raise RuntimeError(
            f"{call}: expected a 1D or 2D tensor of floating types, but got {input.dim()}D"
        )
    if not 0 < win <= n_fft:
        raise RuntimeError(f"{call}: expected 0 < win_length <= n_fft, but got win_length={win}")
    if hop <= 0:
        raise RuntimeError(f"{call}: expected hop_length > 0, but got hop_length={hop}")
    if window is not None and tuple(window.shape) != (win,):
        raise RuntimeError(
            f"{call}: expected a 1D window tensor of size equal to win_length={win}, but got "
            f"window with size {list(window.shape)}"
        )
    signal = input if input.dim() == 2 else input.unsqueeze(0)
    if center:
        from torch.nn.functional import pad

        signal = pad(signal.unsqueeze(1), [n_fft // 2, n_fft // 2], pad_mode).squeeze(1)
    length = signal.size(1)
    if n_fft <= 0 or n_fft > length:
        raise RuntimeError(f"{call}: expected 0 < n_fft <= {length}, but got n_fft={n_fft}")
    if window is None:
        _warn_once(
            "A window was not provided. A rectangular window will be applied,"
            "which is known to cause spectral leakage. "
            "Other windows such as torch.hann_window or torch.hamming_window are recommended to "
            f"reduce spectral leakage.{_HOW_TO_SAY_IT}"
        )
    parts = signal.unfold(1, n_fft, hop)
    if align_to_window:
        parts = signal[:, : length - (n_fft - win)].unfold(1, win, hop)
        parts = torch.constant_pad_nd(parts, [0, n_fft - win])
    shape = _full_window(window, n_fft, win, input)
    if shape is not None:
        parts = parts * shape
    if onesided is None:
        onesided = not is_complex
    if onesided and is_complex:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    norm = "ortho" if normalized else None
    result = fft.rfft(parts, norm=norm) if onesided else fft.fft(parts, norm=norm)
    result = result.transpose(1, 2)
    if input.dim() == 1:
        result = result.squeeze(0)
    if return_complex:
        return result
    _warn_once(
        "stft with return_complex=False is deprecated. In a future pytorch release, stft will "
        "return complex tensors for all inputs, and return_complex=False will raise an error.\n"
        "Note: you can still call torch.view_as_real on the complex output to recover the old "
        "return format."
    )
    return torch.view_as_real(result)


def _checked_istft(
    call: str, input: Tensor, n_fft: int, hop: int, win: int, onesided: bool, window: Tensor | None
) -> None:
    """Raise an error unless the arguments of `istft` fit each other."""
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with "
            "return_complex=True."
        )
    if input.numel() == 0:
        raise RuntimeError(f"{call}: input tensor cannot be empty.")
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"{call}: expected a tensor with 2 or 3 dimensions, but got {input.dim()}"
        )
    wanted = n_fft // 2 + 1 if onesided else n_fft
    if input.size(-2) != wanted:
        raise RuntimeError(
            f"{call}: expected the frequency dimension (3rd to the last) of the input tensor to "
            f"match n_fft {'/ 2 + 1 ' if onesided else ''}when onesided={onesided}, but got "
            f"{input.size(-2)}"
        )
    if not 0 < hop <= win:
        raise RuntimeError(f"{call}: expected 0 < hop_length <= win_length")
    if not 0 < win <= n_fft:
        raise RuntimeError(f"{call}: expected 0 < win_length <= n_fft")
    if window is not None and tuple(window.shape) != (win,):
        raise RuntimeError(
            f"{call}: Invalid window shape. window has to be 1D and length of `win_length`"
        )


def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """Compute the signal of which :func:`stft` gives the transforms, by least squares.

    Args:
        input: The transforms, of shape (frequencies, parts) or (b, frequencies, parts).
        n_fft: The length of the parts.
        hop_length: The distance of the parts; n_fft // 4 by default.
        win_length: The length of the window, n_fft by default.
        window: The factors that each part was multiplied by; ones by default.
        center: Whether the first part is centered at the first element.
        normalized: Whether the transforms were divided by the root of n_fft.
        onesided: Whether negative frequencies are left out; by default if there are n_fft // 2 + 1.
        length: The length of the signal; by default what the parts give.
        return_complex: Whether the signal is complex.

    Raises:
        RuntimeError: If the windows of all parts leave elements that are zero in each.

    Example:
        >>> spectrum = torch.stft(torch.arange(8.0), 4, window=torch.ones(4), return_complex=True)
        >>> torch.istft(spectrum, 4, window=torch.ones(4)).round()
        tensor([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    if has_torch_function((input,)):
        return handle_torch_function(
            istft, (input,), input, n_fft, hop_length, win_length, window, center, normalized,
            onesided, length, return_complex,
        )  # fmt: skip
    hop = n_fft // 4 if hop_length is None else hop_length
    win = n_fft if win_length is None else win_length
    call = _describe("istft", input, n_fft, hop, win)
    if onesided is None:
        onesided = input.dim() > 1 and input.size(-2) != n_fft
    _checked_istft(call, input, n_fft, hop, win, onesided, window)
    if return_complex and onesided:
        raise RuntimeError("cannot have onesided output if window or input is complex")
    if window is None:
        _warn_once(
            "A window was not provided. A rectangular window will be applied."
            "Please provide the same window used by stft to make the inversion lossless."
            f"{_HOW_TO_SAY_IT}"
        )
    spectra = (input if input.dim() == 3 else input.unsqueeze(0)).transpose(1, 2)
    norm = "ortho" if normalized else None
    if return_complex:
        parts = fft.ifft(spectra, norm=norm)
    else:
        half = spectra if onesided else spectra.narrow(2, 0, n_fft // 2 + 1)
        parts = fft.irfft(half, n_fft, norm=norm)
    shape = _full_window(window, n_fft, win, input)
    if shape is None:
        shape = torch.ones(n_fft, dtype=input.real.dtype, device=input.device)
    count = parts.size(1)
    whole = n_fft + hop * (count - 1)
    steps = torch.arange(count, device=input.device) * hop
    places = (steps.unsqueeze(1) + torch.arange(n_fft, device=input.device)).flatten()
    weighted = (parts * shape).flatten(1)
    signal = weighted.new_zeros(parts.size(0), whole).index_add(1, places, weighted)
    squares = shape.square().expand(count, n_fft).flatten()
    envelope = squares.new_zeros(whole).index_add(0, places, squares)
    start = n_fft // 2 if center else 0
    end = whole - (n_fft // 2 if center else 0) if length is None else start + length
    kept = min(end, whole)
    envelope = envelope[start:kept]
    if bool(envelope.abs().min() <= 1e-11):
        raise RuntimeError(f"{call}: window overlap add min: 1")
    result = signal[:, start:kept] / envelope
    if end > whole:
        warnings.warn(
            "The length of signal is shorter than the length parameter. Result is being padded "
            "with zeros in the tail. Please check your center and hop_length settings.",
            stacklevel=2,
        )
        result = torch.constant_pad_nd(result, [0, end - whole])
    return result if input.dim() == 3 else result.squeeze(0)
