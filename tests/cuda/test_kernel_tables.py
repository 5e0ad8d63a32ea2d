"""The tables of what nvcc made of kernels: registers, spills and 128-bit accesses; sizes by architecture."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
needs_nvcc = pytest.mark.skipif(NVCC is None, reason="needs nvcc in PATH: install the CUDA toolkit")


@pytest.fixture(autouse=True)
def benchmarks_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


# What nvcc 13.0.88 printed with -Xptxas=-v about kernels `k` and `spill` and a function `f` that k calls, in the
# middle of Ninja's own lines.
LOG = """\
[1/2] Building CUDA object CMakeFiles/torch_cuda.dir/aten/src/ATen/native/cuda/Spill.cu.o
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z5spillILi64EEvPf' for 'sm_90'
ptxas info    : Function properties for _Z5spillILi64EEvPf
    6856 bytes stack frame, 18080 bytes spill stores, 18080 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 6856 bytes cumulative stack size
ptxas info    : Compile time = 4620.967 ms
ptxas info    : Compiling entry function '_Z1kPfi' for 'sm_90'
ptxas info    : Function properties for _Z1kPfi
    160 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 31 registers, used 0 barriers, 160 bytes cumulative stack size
ptxas info    : Compile time = 41.774 ms
ptxas info    : Function properties for _Z1ffi
    0 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
[2/2] Building CUDA object CMakeFiles/torch_cuda.dir/aten/src/ATen/native/cuda/Other.cu.o
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1kPfi' for 'sm_80'
ptxas info    : Function properties for _Z1kPfi
    160 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 31 registers, used 0 barriers, 160 bytes cumulative stack size, 364 bytes cmem[0]
ptxas info    : Compile time = 51.508 ms
"""


def test_a_log_tells_the_spills_of_a_kernel_and_of_functions_that_it_calls() -> None:
    from cuda_resources import Report, reports_of

    assert reports_of(LOG.splitlines()) == {
        ("90", "_Z5spillILi64EEvPf"): {Report(registers=32, spilled=36160)},
        ("90", "_Z1kPfi"): {Report(registers=31, spilled=12)},
        ("80", "_Z1kPfi"): {Report(registers=31, spilled=0)},
    }
    assert reports_of(["[1/1] Linking CXX shared library"]) == {}


def test_only_reports_of_the_same_code_count() -> None:
    from cuda_resources import Kernel, add_spills, reports_of, table

    kernels = [
        Kernel("_Z1kPfi", "90", registers=31),
        Kernel("_Z1kPfi", "80", registers=30),  # compiled again since
        Kernel("_Z1kPfi", "75", registers=31),
    ]
    add_spills(kernels, reports_of(LOG.splitlines()))
    assert [kernel.spilled for kernel in kernels] == [12, None, None]
    rows = table({"A.cu": kernels[:1], "B.cu": kernels}, 128, "file").splitlines()[2:]
    assert [row.split(" | ")[4] for row in rows] == ["12", "unknown", "unknown"]


def test_spills_are_mistakes_where_memory_is_the_limit() -> None:
    from cuda_resources import FAMILIES, MAY_SPILL, Kernel, mistakes

    kernels = [
        Kernel(f"_Z4{part or 'scan'}Pf", "90", wide_loads=1, spilled=8)
        for part in FAMILIES.values()
    ]
    found = mistakes({"A.cu": kernels}, has_log=True)
    spilling = [kernel.name for kernel in kernels if kernel.family != MAY_SPILL]
    assert len(spilling) == len(FAMILIES) - 1
    assert found == {
        "kernels that spill registers": [f"A.cu for sm_90: {name}: 8 bytes" for name in spilling]
    }
    narrow = Kernel("_Z17contiguous_kernelPf", "90", loads=1)
    assert mistakes({"A.cu": [narrow]}, has_log=False) == {
        "contiguous kernels without 128-bit accesses": [f"A.cu for sm_90: {narrow.name}"]
    }
    [complaint] = mistakes({"A.cu": [Kernel("_Z1kPfi", "90")]}, has_log=True)
    assert "the log has no report" in complaint


def fatbin(*codes: tuple[int, int, int, bytes]) -> bytes:
    """Return a fatbin of codes: their kind, architecture, size before compression, and bytes."""
    entries = b""
    for kind, architecture, uncompressed, code in codes:
        padded = code + bytes(-len(code) % 8)
        stored, flags = (len(code), 0x8011) if uncompressed else (0, 0x11)
        entries += struct.pack("<HHIQIIHHIII", kind, 257, 64, len(padded), stored, 0, 8, 1, architecture, 0, 0)  # fmt: skip
        entries += struct.pack("<QQQ", flags, 0, uncompressed) + padded
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries


def in_object(section: bytes, folder: Path) -> Path:
    """Return an object that has the bytes as its section of fatbins."""
    (folder / "section.bin").write_bytes(section)
    target = folder / "made.o"
    renamed = "--rename-section=.data=.nv_fatbin"
    command = ["objcopy", "-I", "binary", "-O", "elf64-x86-64", renamed, "section.bin", target]
    subprocess.run(command, cwd=folder, check=True)
    return target


def test_sizes_are_those_of_the_fatbins(tmp_path: Path) -> None:
    import cuda_sizes

    first = fatbin((2, 90, 12_000, b"x" * 3_501), (1, 120, 0, b"y" * 2_000))
    second = fatbin((2, 75, 9_000, b"x" * 1_000), (2, 90, 0, b"z" * 4_000))
    file = in_object(first + bytes(4096) + second, tmp_path)
    assert cuda_sizes.table(cuda_sizes.read([file])).splitlines()[2:] == [
        "| 7.5 | 1 | 1 | 9 |",
        "| 9.0 | 2 | 8 | 16 |",
        "| 12.0 PTX | 1 | 2 | 2 |",
        "| all 3 | 4 | 11 | 27 |",
    ]


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        (b"no object", "is not a 64-bit little-endian ELF file"),
        (fatbin((2, 90, 0, b"code"))[:-4], "ends within a fatbin"),
        (b"\x50\xed\x55\xba\x02" + bytes(27), "has a fatbin of version 2; only version 1 is known"),
        (b"other data", "there is no code for GPUs in these files"),
    ],
)
def test_a_file_without_readable_code_is_an_error(
    tmp_path: Path, contents: bytes, reason: str
) -> None:
    if contents == b"no object":
        file = tmp_path / "plain"
        file.write_bytes(contents)
    else:
        file = in_object(contents, tmp_path)
    answer = run("cuda_sizes.py", file)
    assert answer.returncode == 1 and answer.stderr.endswith(f"{reason}\n"), answer.stderr


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run one of the scripts."""
    command = [sys.executable, ROOT / "benchmarks" / script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


# Products of all pairs of 64 numbers, which the second launch bound leaves 32 registers for.
SPILLING = """
template <int N>
__global__ void __launch_bounds__(1024, 2) contiguous_kernel(float* data) {
  float kept[N];
#pragma unroll
  for (int i = 0; i < N; i++) kept[i] = data[i * 1024 + threadIdx.x];
#pragma unroll
  for (int i = 0; i < N; i++) {
#pragma unroll
    for (int j = 0; j < N; j++) kept[j] += kept[i] * data[j];
  }
#pragma unroll
  for (int i = 0; i < N; i++) data[i * 1024 + threadIdx.x] = kept[i];
}
template __global__ void contiguous_kernel<40>(float*);
__global__ void scale(float4* data) { data[threadIdx.x].x *= 2; }
"""


@pytest.fixture
def compiled(tmp_path: Path) -> tuple[Path, Path]:
    """Return an object for two architectures, and what nvcc printed."""
    source, target, log = (tmp_path / name for name in ("Spilling.cu", "Spilling.cu.o", "log.txt"))
    source.write_text(SPILLING)
    codes = [f"--generate-code=arch=compute_{number},code=[sm_{number}]" for number in ("80", "90")]
    command = [NVCC, "-Xfatbin=-compress-all", "-Xptxas=-v", *codes, "-c", source, "-o", target]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    log.write_text(answer.stdout + answer.stderr)
    return target, log


@pytest.mark.slow
@needs_nvcc
def test_nvcc_tells_which_kernels_spill(compiled: tuple[Path, Path]) -> None:
    from cuda_resources import find_cuobjdump

    try:
        find_cuobjdump()
    except SystemExit as complaint:
        pytest.skip(str(complaint))
    target, log = compiled
    answer = run("cuda_resources.py", target, "--log", log, "--check", "--by", "kind")
    assert answer.returncode == 1
    rows = {row.split(" | ")[0]: row.split(" | ") for row in answer.stdout.splitlines()}
    assert int(rows["| element-wise, contiguous"][4]) > 100
    assert rows["| others"][4] == "0"
    assert answer.stdout.count("17contiguous_kernelILi40EEvPf: ") == 2
    assert "no report" not in answer.stdout
    assert run("cuda_resources.py", target).returncode == 0
    both = run("cuda_resources.py", target, "--by", "architecture").stdout
    assert [row.split(" | ")[:2] for row in both.splitlines()[2:]] == [
        ["| 8.0", "2"], ["| 9.0", "2"], ["| all 2", "4"],
    ]  # fmt: skip
    one = run("cuda_resources.py", target, "--by", "architecture", "--architecture", "9.0").stdout
    assert one.splitlines()[2:] == [both.splitlines()[3]]


@pytest.mark.slow
@needs_nvcc
def test_sizes_by_architecture_are_those_that_nvcc_made(compiled: tuple[Path, Path]) -> None:
    import cuda_sizes

    target, _ = compiled
    codes = cuda_sizes.read([target])
    assert [(code.name, code.kind) for code in codes] == [
        ("8.0", cuda_sizes.MACHINE_CODE),
        ("9.0", cuda_sizes.MACHINE_CODE),
    ]
    listing = subprocess.run(["objdump", "-h", target], capture_output=True, text=True, check=True)
    size = re.search(r" \.nv_fatbin +([0-9a-f]+) ", listing.stdout)
    assert size is not None
    headers = 16 + 2 * 64
    padding = int(size[1], 16) - headers - sum(code.bytes for code in codes)
    assert 0 <= padding < 16
    for code in codes:
        assert code.bytes < code.uncompressed_bytes / 2
