"""torch.fft, stft and istft: against NumPy, against real PyTorch, and their gradients."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import torch

PEER = os.environ.get("TORCH_PEER")
CASES = Path(__file__).parents[1] / "data" / "spectrum_cases.py"
NORMS = [None, "backward", "ortho", "forward"]


def signal(*shape: int, complex: bool = False, seed: int = 0) -> torch.Tensor:
    random = np.random.RandomState(seed)
    values = random.standard_normal(shape)
    if complex:
        values = values + 1j * random.standard_normal(shape)
    return torch.from_numpy(np.asarray(values))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_one_dimension_agrees_with_numpy(name: str, norm: str | None) -> None:
    x = signal(4, 9, 6, complex="r" not in name and name != "ihfft")
    for n, dim in ((None, -1), (5, 1), (12, 0), (7, 2)):
        ours = getattr(torch.fft, name)(x, n, dim, norm)
        theirs = getattr(np.fft, name)(x.numpy(), n, dim, norm)
        np.testing.assert_allclose(ours.resolve_conj().numpy(), theirs, atol=1e-12)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_several_dimensions_agree_with_numpy(name: str, norm: str | None) -> None:
    x = signal(4, 9, 6, complex="r" not in name)
    for s, dim in (((5, 8), (0, 2)), ((3, 9, 6), (2, 0, 1)), (None, (1,)), (None, None)):
        ours = getattr(torch.fft, name)(x, s, dim, norm)
        theirs = getattr(np.fft, name)(x.numpy(), s, dim, norm)
        np.testing.assert_allclose(ours.resolve_conj().numpy(), theirs, atol=1e-12)


@pytest.mark.parametrize("length", [1, 2, 30, 31, 37, 509, 1024, 1155, 6006, 20014, 2**15, 65537])
@pytest.mark.parametrize("batch", [1, 3, 40])
def test_all_lengths_are_accurate(length: int, batch: int) -> None:
    if length * batch > 300_000:
        pytest.skip("the shorter lines cover the passes")
    x = signal(batch, length, complex=True)
    exact = np.fft.fft(x.numpy())
    limit = np.abs(exact).max()
    for dtype, error in ((torch.complex128, 3e-15), (torch.complex64, 5e-7)):
        ours = torch.fft.fft(x.to(dtype)).to(torch.complex128)
        assert np.abs(ours.numpy() - exact).max() < error * limit
        back = torch.fft.ifft(ours.to(dtype)).to(torch.complex128)
        assert (back - x).abs().max() < 4 * error * x.abs().max()
        real = x.real.to(dtype.to_real())
        half = torch.fft.rfft(real)
        assert np.abs(half.numpy() - np.fft.rfft(x.real.numpy())).max() < error * limit
        back = torch.fft.irfft(half, length)
        assert (back - real).abs().max() < 4 * error * x.abs().max()


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
@pytest.mark.parametrize("length", [512, 1024, 1536, 2048])
@pytest.mark.parametrize("batch", [1, 5, 40])
def test_inverse_ignores_imaginary_parts_of_both_ends(
    batch: int, length: int, dtype: torch.dtype
) -> None:
    x = torch.full((batch, length // 2 + 3), float("nan"), dtype=dtype)
    spectra = x[:, 1:-1]
    spectra.copy_(signal(batch, length // 2 + 1, complex=True))
    ours = torch.fft.irfft(spectra, length).to(torch.float64)
    exact = np.fft.irfft(spectra.to(torch.complex128).numpy(), length)
    error = 4e-15 if dtype == torch.complex128 else 1e-6
    assert np.abs(ours.numpy() - exact).max() < error * np.abs(exact).max()


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
@pytest.mark.parametrize(
    ("shape", "dim"),
    [
        ((5, 8, 8), 1),  # lines next to each other in groups of 8
        ((1, 8, 8), 1),
        ((3, 16, 16), 1),
        ((64, 37), 0),
        ((1024, 3), 0),  # long lines that are not dense
        ((17, 256), 1),
        ((33, 15), 1),
        ((15, 33), 0),
        ((21, 2048), 1),
    ],
)
def test_layouts_of_lines_are_accurate(
    shape: tuple[int, ...], dim: int, name: str, dtype: torch.dtype
) -> None:
    whole = signal(*shape, complex=name != "rfft")
    moved = whole.movedim(dim, 0).contiguous().movedim(0, dim)
    for x in (whole, moved, torch.stack((whole, whole), -1)[..., 0]):
        given = x.to(dtype if x.is_complex() else dtype.to_real())
        ours = getattr(torch.fft, name)(given, dim=dim).numpy()
        exact = getattr(np.fft, name)(x.numpy(), axis=dim)
        error = 3e-15 if dtype == torch.complex128 else 5e-7
        assert np.abs(ours - exact).max() < error * np.abs(exact).max()


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
@pytest.mark.parametrize("length", [729, 1000, 1009, 1024, 1200, 2000, 5000])
@pytest.mark.parametrize("batch", [16, 17, 24, 25, 37])
def test_lines_beyond_whole_registers_are_accurate(
    batch: int, length: int, dtype: torch.dtype
) -> None:
    x = signal(batch, length, complex=True)
    error = 3e-15 if dtype == torch.complex128 else 5e-7
    for name in ("fft", "ifft", "rfft", "irfft"):
        given = x.real if name == "rfft" else x
        exact = getattr(np.fft, name)(given.numpy())
        lines = given.to(dtype.to_real() if name == "rfft" else dtype)
        ours = getattr(torch.fft, name)(lines)
        assert np.abs(ours.numpy() - exact).max() < error * np.abs(exact).max()
        guarded = torch.full((batch + 2, ours.shape[1]), torch.nan, dtype=ours.dtype)
        getattr(torch.fft, name)(lines, out=guarded[1:-1])
        assert torch.equal(guarded[1:-1], ours)
        assert guarded[:: batch + 1].isnan().all()


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
@pytest.mark.parametrize(
    "length", [104, 112, 128, 264, 280, 360, 600, 1000, 1152, 1280, 2000, 4088]
)
@pytest.mark.parametrize("batch", [1, 2, 3, 16])
def test_lengths_of_eight_columns_are_accurate(batch: int, length: int, dtype: torch.dtype) -> None:
    error = 3e-15 if dtype == torch.complex128 else 5e-7
    x = signal(2, batch, length + 3, complex=True)
    for y in (x[..., 1:-2], x[..., 1:-2].contiguous(), x[:1, ..., 1:-2].expand(2, batch, length)):
        for name in ("fft", "ifft", "fftn"):
            exact = getattr(np.fft, name)(y.numpy(), norm="ortho")
            guarded = torch.full((4, batch, length), torch.nan, dtype=dtype)
            ours = getattr(torch.fft, name)(y.to(dtype), norm="ortho", out=guarded[1:-1])
            assert np.abs(ours.numpy() - exact).max() < error * np.abs(exact).max()
            assert guarded[::3].isnan().all()


@pytest.mark.parametrize("length", [512, 1024, 1536, 4096])
def test_long_real_lines_are_scaled_and_have_real_ends(length: int) -> None:
    x = signal(3, length)
    for dtype, error in ((torch.float64, 3e-15), (torch.float32, 5e-7)):
        found = torch.fft.rfft(x.to(dtype), norm="ortho")
        exact = np.fft.rfft(x.numpy(), norm="ortho")
        assert np.abs(found.numpy() - exact).max() < error * np.abs(exact).max()
        assert (found.imag[:, [0, -1]] == 0).all()


@pytest.mark.parametrize("batch", [1, 2, 3, 4, 5, 33])
@pytest.mark.parametrize("length", [16, 64])
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_lines_in_registers_leave_no_lines_out(dtype: torch.dtype, length: int, batch: int) -> None:
    error = 3e-15 if dtype == torch.complex128 else 5e-7
    whole = signal(3, batch, length + 1, complex=True)
    given = whole[:, :, 1:]
    for name in ("fft", "ifft", "rfft", "ihfft"):
        real = "r" in name or name == "ihfft"
        x = given.real if real else given
        # Lines next to each other, some apart, and repeated ones.
        for y in (x[0].clone(), x, x.clone().expand(2, 3, batch, length)):
            ours = getattr(torch.fft, name)(
                y.to(dtype.to_real() if real else dtype), norm="ortho"
            ).resolve_conj()
            exact = getattr(np.fft, name)(y.numpy(), norm="ortho")
            assert np.abs(ours.numpy() - exact).max() < error * np.abs(exact).max()


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
@pytest.mark.parametrize("norm", ["backward", "ortho"])
@pytest.mark.parametrize("name", ["fftn", "ifftn"])
@pytest.mark.parametrize(
    ("shape", "dim"),
    [
        ((8, 8), (0, 1)),
        ((5, 8, 8), (1, 2)),  # an odd number of planes in registers
        ((3, 2, 8, 8), (-1, -2)),
        ((8, 8, 5), (0, 1)),  # planes whose numbers are not neighbours
        ((7, 16, 16, 16), (1, 2, 3)),  # volumes in the cache
        ((1, 16, 16, 16), (1, 2, 3)),
        ((300, 3, 5), (1, 2)),
        ((3, 2, 300, 4), (1, 3)),
        ((6, 4, 1024), (1, 2)),
        ((2, 256, 3), (1, 2)),  # long lines whose results lie apart, too
        ((2, 416, 3), (1, 2)),  # the blocks of its columns overlap
        ((2, 130, 130), (1, 2)),
    ],
)
def test_several_axes_are_accurate(
    shape: tuple[int, ...], dim: tuple[int, ...], name: str, norm: str, dtype: torch.dtype
) -> None:
    error = 3e-15 if dtype == torch.complex128 else 5e-7
    z = signal(*shape, complex=True)
    reverse = tuple(reversed(range(len(shape))))
    for x in (z, z.permute(reverse).contiguous().permute(reverse), z[:1].expand(shape), z.real):
        given = x.to(dtype if x.is_complex() else dtype.to_real())
        ours = getattr(torch.fft, name)(given, dim=dim, norm=norm).numpy()
        exact = getattr(np.fft, name)(x.resolve_conj().numpy(), axes=dim, norm=norm)
        assert np.abs(ours - exact).max() < error * np.abs(exact).max()


def test_real_numbers_give_full_spectra() -> None:
    for length in (1, 2, 15, 16, 256, 509, 4096):
        x = signal(19, length)
        for y, dim in ((x, 1), (x.t().contiguous(), 0)):
            exact = np.fft.fft(y.numpy(), axis=dim)
            ours = torch.fft.fft(y, dim=dim).numpy()
            assert np.abs(ours - exact).max() < 3e-15 * np.abs(exact).max()


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("length", [1, 2, 3, 8, 9, 1000, 4097])
def test_windows_follow_their_formulas(length: int, periodic: bool) -> None:
    x = np.arange(length) / max(length if periodic else length - 1, 1)
    cosine = np.cos(2 * np.pi * x)
    windows = {
        "hann": 0.5 - 0.5 * cosine,
        "hamming": 0.54 - 0.46 * cosine,
        "blackman": 0.42 - 0.5 * cosine + 0.08 * np.cos(4 * np.pi * x),
        "bartlett": 1 - np.abs(2 * x - 1),
        "kaiser": np.i0(12 * np.sqrt(np.maximum(1 - (2 * x - 1) ** 2, 0))) / np.i0(12),
    }
    for name, expected in windows.items():
        expected = np.ones(1) if length == 1 else expected
        make = getattr(torch, f"{name}_window")
        exact = make(length, periodic, dtype=torch.float64)
        np.testing.assert_allclose(exact.numpy(), expected, rtol=1e-13, atol=2e-15)
        assert torch.equal(make(length, periodic), exact.float())
        body = exact[1:] if periodic else exact
        assert torch.equal(body, body.flip(0))
        assert make(0, periodic).shape == (0,)


def test_out_is_resized_and_returned() -> None:
    x = signal(8)
    out = torch.empty(0, dtype=torch.complex128)
    assert torch.fft.rfft(x, out=out) is out
    assert torch.equal(out, torch.fft.rfft(x))


def test_shifts_undo_each_other() -> None:
    x = torch.arange(30).view(5, 6)
    assert torch.equal(torch.fft.ifftshift(torch.fft.fftshift(x)), x)
    np.testing.assert_array_equal(torch.fft.fftshift(x, 0).numpy(), np.fft.fftshift(x.numpy(), 0))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: torch.fft.fft(x.to(torch.complex128), 7, norm="ortho"),
        lambda x: torch.fft.ifft(x),
        lambda x: torch.fft.rfft(x),
        lambda x: torch.fft.rfft(x, 5, 0),
        lambda x: torch.fft.irfft(torch.fft.fft(x)[..., :3], 5),
        lambda x: torch.fft.irfft2(torch.fft.rfft2(x), (4, 7)),
        lambda x: torch.fft.hfftn(torch.complex(x, x)),
        lambda x: torch.fft.ihfft2(x),
    ],
)
def test_gradients(call: Any) -> None:
    x = signal(4, 6).requires_grad_()
    assert torch.autograd.gradcheck(call, (x,))
    assert torch.autograd.gradgradcheck(call, (x,))


def test_stft_and_istft_have_gradients() -> None:
    window = torch.hann_window(8, dtype=torch.float64)

    def there_and_back(x: torch.Tensor) -> torch.Tensor:
        spectrum = torch.stft(x, 8, 2, window=window, return_complex=True)
        return torch.istft(spectrum * spectrum.abs(), 8, 2, window=window)

    assert torch.autograd.gradcheck(there_and_back, (signal(2, 20).requires_grad_(),))


def test_istft_inverts_stft() -> None:
    x = signal(3, 1000)
    window = torch.hann_window(64, dtype=torch.float64)
    spectrum = torch.stft(x, 64, 16, window=window, return_complex=True, normalized=True)
    back = torch.istft(spectrum, 64, 16, window=window, normalized=True, length=1000)
    assert (back - x).abs().max() < 1e-14


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: torch.fft.fft(x, 0), r"Invalid number of data points \(0\)"),
        (lambda x: torch.fft.fft(x, norm="other"), "Invalid normalization mode"),
        (lambda x: torch.fft.rfft(x + 0j), "expects a real input tensor"),
        (lambda x: torch.fft.fftn(x, dim=(0, 0)), "FFT dims must be unique"),
        (lambda x: torch.fft.fftn(x, (2,), (0, 1)), "must have the same length"),
        (lambda x: torch.stft(x, 4), "return_complex"),
    ],
)
def test_errors(call: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        call(signal(4, 6))


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_agrees_with_pytorch(tmp_path: Path) -> None:
    assert PEER
    outcomes = []
    for number, python in enumerate((sys.executable, PEER)):
        file = tmp_path / f"{number}.pickle"
        subprocess.run([python, str(CASES), str(file)], check=True, cwd=tmp_path)
        outcomes.append(pickle.loads(file.read_bytes()))
    ours, theirs = outcomes
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        if isinstance(value, str):
            assert value == theirs[name], name
        else:
            np.testing.assert_allclose(value, theirs[name], 1e-6, 1e-6, err_msg=name)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: torch.stft(x, 4, return_complex=True), "A window was not provided"),
        (
            lambda x: torch.stft(x, 4, return_complex=False, window=torch.ones(4).double()),
            "return_complex=False is deprecated",
        ),
        (lambda x: torch.istft(x.view(3, 8) + 0j, 4), "provide the same window used by stft"),
    ],
)
def test_doubtful_spectra_warn_once(call: Any, message: str) -> None:
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match=message):
            call(signal(24))
    finally:
        torch.set_warn_always(False)
    call(signal(24))


def test_out_of_frequencies_is_resized_with_a_warning() -> None:
    out = torch.empty(2)
    with pytest.warns(UserWarning, match="does not match the computed number of elements"):
        torch.fft.fftfreq(4, out=out)
    assert out.tolist() == [0.0, 0.25, -0.5, -0.25]
