"""The emulated CUDA device computes what kernels say, and catches what is wrong with them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def run(program: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program with nothing but the given settings of the emulated device."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("CUDA_")
    }
    return subprocess.run(
        [program, *arguments],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("name", ["emulation_test", "c10_cuda_test", "primitives_test"])
def test_unit_tests_pass(programs: Path, name: str) -> None:
    answer = run(programs / name, "--gtest_brief=1")
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize("seed", range(1, 4))
def test_libc10_cuda_passes_in_other_orders(programs: Path, seed: int) -> None:
    answer = run(programs / "c10_cuda_test", "--gtest_brief=1", CUDA_EMULATION_SEED=str(seed))
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_expandable_segments_serve_the_tests_of_the_allocator(programs: Path) -> None:
    answer = run(
        programs / "c10_cuda_test",
        "--gtest_brief=1",
        "--gtest_filter=CUDAGraph.*:CachingAllocator.MergesFreeNeighbours:*WaitsForRecorded*"
        ":*OtherStreamIsDone:*ManySizes*:*Threads*",
        PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True",
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_a_driver_that_maps_no_memory_gives_segments_of_fixed_sizes(programs: Path) -> None:
    answer = run(
        programs / "c10_cuda_test",
        "--gtest_brief=1",
        "--gtest_filter=CachingAllocator.*",
        PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True",
        CUDA_EMULATION_VIRTUAL_MEMORY="0",
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    reason = "expandable_segments are not available on CUDA device 0: the device does not support"
    assert answer.stderr.count(reason) == 1, answer.stderr


PLANTED = {
    "missing_barrier": r"kernel reverse, grid \(1,1,1\), block \(128,1,1\), device 0: its result "
    r"depends on the order of its threads \(is a barrier missing\?\): byte \d+ of a block",
    "shared_out_of_bounds": r"kernel shift, grid \(3,1,1\), block \(64,1,1\), device 0: "
    r"block \(\d,0,0\), thread \(63,0,0\): it used byte 256, past the end, of the shared array "
    r"'line' of 256 bytes",
    "global_out_of_bounds": r"kernel square, grid \(9,1,1\), block \(120,1,1\), device 0: "
    r"block \(8,0,0\), thread \(\d+,0,0\): it used byte \d+, past the end, of a block of 4096",
    "host_dereference": r"host code used device memory: byte 12 of a block of \d+ bytes "
    r"\(allocation 1 of device 0\).* Copy it to the host first",
    "divergent_barrier": r"kernel halves, .* its threads wait for each other in different places: "
    r"block \(0,0,0\), thread \(0,0,0\) at the barrier of .*divergent_barrier\.cu:10; .* thread "
    r"\(32,0,0\) at the barrier of .*divergent_barrier\.cu:12",
    "freed_block": r"kernel increment, .* thread \(\d+,0,0\): it used an address of device 0 that "
    r"holds no block",
    "foreign_device": r"kernel increment, .*, device 1: .* it used byte \d+ of a block of 256 bytes "
    r"\(allocation 1 of device 0\), but its device has no peer access to it",
    "leaked_block": r"leaked a part of 3072 bytes that an allocator gave out for the default stream",
    "missing_record_stream": r"kernel fill, grid \(64,1,1\), block \(128,1,1\), device 0: "
    r"block \(\d+,0,0\), thread \(\d+,0,0\): it used byte \d+ of a block of \d+ bytes .*in a part "
    r"of 4194304 bytes that was freed on the default stream; a use on another stream needs "
    r"record_stream or an event",
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_mistake_is_caught(programs: Path, name: str) -> None:
    answer = run(programs / name, CUDA_EMULATION_CHECK_LEAKS="1")
    assert answer.returncode != 0
    assert re.search(PLANTED[name], answer.stderr), answer.stderr
    assert answer.stderr.count("cuda_emulation:") <= 3, answer.stderr


def test_every_planted_mistake_has_its_test() -> None:
    files = (ROOT / "tests" / "cuda" / "planted").glob("*.cu")
    assert {file.stem for file in files} == set(PLANTED)


def test_recorded_stream_is_the_cure(programs: Path) -> None:
    for seed in range(4):
        answer = run(programs / "missing_record_stream", "cure", CUDA_EMULATION_SEED=str(seed))
        assert answer.returncode == 0, answer.stderr


def test_missing_record_stream_is_caught_under_every_seed(programs: Path) -> None:
    for seed in range(8):
        answer = run(programs / "missing_record_stream", CUDA_EMULATION_SEED=str(seed))
        assert answer.returncode != 0, f"seed {seed}"


def test_leak_is_silent_unless_asked_for(programs: Path) -> None:
    assert run(programs / "leaked_block").returncode == 0


def test_order_check_can_be_switched_off(programs: Path) -> None:
    answer = run(programs / "missing_barrier", CUDA_EMULATION_CHECK_ORDER="0")
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize(
    ("variable", "value"),
    [("DEVICES", "17"), ("DEVICES", "two"), ("MEMORY_MB", "0"), ("SEED", "-1")],
)
def test_setting_that_makes_no_sense_ends_the_process(
    programs: Path, variable: str, value: str
) -> None:
    answer = run(programs / "missing_barrier", **{f"CUDA_EMULATION_{variable}": value})
    assert answer.returncode == 2
    assert f"CUDA_EMULATION_{variable} is '{value}', but must be a whole number" in answer.stderr


def test_launch_blocking_blames_the_launch(programs: Path) -> None:
    late = run(programs / "shared_out_of_bounds")
    assert "from cudaDeviceSynchronize" in late.stderr
    assert "CUDA_LAUNCH_BLOCKING=1" in late.stderr
    early = run(programs / "shared_out_of_bounds", CUDA_LAUNCH_BLOCKING="1")
    assert "from at::cuda::launch" in early.stderr
    assert "CUDA_LAUNCH_BLOCKING=1" not in early.stderr


def test_process_without_devices_says_so(programs: Path) -> None:
    answer = run(programs / "leaked_block", CUDA_EMULATION_DEVICES="0")
    assert "no CUDA-capable device is detected" in answer.stderr


@pytest.mark.slow
def test_option_adds_the_libraries_to_a_build(tmp_path: Path) -> None:
    settings = {"CUDA_EMULATION": "ON", "BUILD_DIR": str(tmp_path), "CMAKE_ONLY": "1"}
    for command in (
        [sys.executable, "setup.py", "build"],
        ["cmake", "--build", str(tmp_path), "--target", "c10_cuda"],
    ):
        answer = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 0, answer.stdout + answer.stderr
    assert (tmp_path / "lib" / "libc10_cuda.so").exists()


@pytest.mark.slow
def test_address_sanitizer_sees_every_access(
    tmp_path: Path, build_programs: Callable[..., None]
) -> None:
    build_programs(tmp_path, "-DCMAKE_CXX_FLAGS=-fsanitize=address", target="emulation_test")
    program = tmp_path / "emulation_test"
    by_sanitizer = {
        "CatchesASharedWriteBeforeTheArray": "shared_write",
        "CatchesAWriteIntoTheRestOfAPageWhenTheBlockIsFreed": "write",
        "CatchesUseOfAFreedBlock": "write",
        "APartThatAnAllocatorTookBackIsClosed": "write",
    }
    others = "-" + ":".join(f"*.{name}" for name in by_sanitizer)
    answer = run(program, "--gtest_brief=1", f"--gtest_filter={others}")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    for name, kernel in by_sanitizer.items():
        answer = run(program, f"--gtest_filter=*.{name}")
        assert re.search(rf"AddressSanitizer: use-after-poison .* in {kernel}", answer.stderr), name


@pytest.mark.slow
@pytest.mark.skipif(NVCC is None, reason="needs nvcc in PATH: install the CUDA toolkit")
@pytest.mark.parametrize(
    "source",
    ["c10/cuda/test/kernels.cu", "tests/cuda/planted/missing_record_stream.cu"],
)
def test_nvcc_compiles_the_same_sources(tmp_path: Path, source: str) -> None:
    command = [NVCC, "-std=c++20", "-arch=sm_90", f"-I{ROOT}", "-Werror", "all-warnings"]
    answer = subprocess.run(
        [*command, "-c", str(ROOT / source), "-o", str(tmp_path / "kernels.o")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.slow
@pytest.mark.skipif(NVCC is None, reason="needs nvcc in PATH: install the CUDA toolkit")
def test_libc10_cuda_compiles_against_the_toolkit(tmp_path: Path) -> None:
    folder = ROOT / "c10" / "cuda"
    sources = [*folder.glob("*.cpp"), *folder.glob("impl/*.cpp")]
    command = [NVCC, "-std=c++20", f"-I{ROOT}", "-Xcompiler", "-Wall,-Wextra,-Werror", "-c"]
    answer = subprocess.run(
        [*command, *map(str, sources)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert len(list(tmp_path.glob("*.o"))) == len(sources)
