"""Shows what nvcc made of each .cu file: registers, stacks, 128-bit accesses and theoretical occupancy.

    python benchmarks/cuda_resources.py [build/CMakeFiles/torch_cuda.dir | FILE.cu.o ...] [--threads 128]
        [--check] [--families] [--docs FILE]

Reads the machine code of objects that nvcc compiled, which needs cuobjdump and nvdisasm: from a CUDA
toolkit, or from `pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm`. No GPU is needed. With
--check, an element-wise kernel over contiguous data without any 128-bit access is an error. With --families,
the table has a row for each kind of kernel instead of each file.

A stack is local memory for an array, such as the one of sin and cos for large arguments, or for registers
that are spilled. Machine code does not tell them apart; nvcc reports spills with -Xptxas=--warn-on-spills.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from statistics import median

from documents import marks_missing, put_table

# Of each multiprocessor, in all architectures since 8.0 (CUDA C++ Programming Guide, compute capabilities).
REGISTERS = 65536
WARP = 32
# Warps of a multiprocessor by architecture; others have 48.
WARPS = {"75": 32, "80": 64, "90": 64, "100": 64, "103": 64}
TABLES = ["CUDA resources"]
# Kinds of kernels by what their mangled names contain; the first that fits.
FAMILIES = {
    "element-wise, contiguous": "contiguous_kernel",
    "element-wise, strided": "strided_kernel",
    "element-wise, long formulas": "long_kernel",
    "reductions": "reduce_kernel",
    "softmax": "softmax_",
    "norms of rows": "row_norm",
    "others": "",
}
REGISTERS_OF_A_WARP = 256  # registers are given to a warp in multiples of this many


@dataclass
class Kernel:
    """One `__global__` function for one architecture."""

    name: str
    architecture: str
    registers: int = 0
    shared: int = 0
    local_accesses: int = 0
    wide_loads: int = 0
    loads: int = 0
    wide_stores: int = 0
    stores: int = 0

    @property
    def is_narrow(self) -> bool:
        """Whether it is an element-wise kernel that reads contiguous data and never moves 16 bytes at once."""
        wide = self.wide_loads + self.wide_stores
        return "contiguous_kernel" in self.name and self.loads > 0 and wide == 0

    def occupancy(self, threads: int) -> float:
        """Return the share of a multiprocessor's warps that its registers allow, for blocks of that size."""
        most = WARPS.get(self.architecture, 48)
        warps = -(-threads // WARP)
        of_a_warp = -(-self.registers * WARP // REGISTERS_OF_A_WARP) * REGISTERS_OF_A_WARP
        return min(most // warps, REGISTERS // (of_a_warp * warps)) * warps / most


def find_cuobjdump() -> str:
    """Return the program; a distribution's if there is none on PATH or in the toolkit."""
    if found := shutil.which("cuobjdump") or shutil.which("/usr/local/cuda/bin/cuobjdump"):
        return found
    try:
        files = metadata.files("nvidia-cuda-cuobjdump") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "cuobjdump":
            return str(file.locate())
    sys.exit("there is no cuobjdump: pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm")


def output_of(program: str, *arguments: str) -> Iterator[str]:
    """Yield the lines that cuobjdump prints; it looks for nvdisasm on PATH."""
    folder = os.path.dirname(program)
    environ = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"}
    command = [program, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as process:
        assert process.stdout is not None
        yield from process.stdout
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed")


def kernels_of(program: str, path: Path) -> list[Kernel]:
    """Return the kernels of an object."""
    found: dict[tuple[str, str], Kernel] = {}
    architecture, kernel = "", Kernel("", "")
    for line in output_of(program, "-res-usage", str(path)):
        if match := re.match(r"arch = sm_(\d+)", line):
            architecture = match[1]
        elif match := re.search(r"Function (?:: )?(\S+?):?$", line.rstrip()):
            kernel = found.setdefault((architecture, match[1]), Kernel(match[1], architecture))
        elif match := re.search(r"REG:(\d+).*SHARED:(\d+)", line):
            kernel.registers, kernel.shared = int(match[1]), int(match[2])
    for line in output_of(program, "-sass", str(path)):
        if match := re.match(r"arch = sm_(\d+)", line):
            architecture = match[1]
        elif match := re.search(r"Function : (\S+)", line):
            kernel = found.setdefault((architecture, match[1]), Kernel(match[1], architecture))
        elif match := re.search(r"\b(LDG|STG|LDL|STL)(\.\S*)? ", line):
            kind, wide = match[1], ".128" in (match[2] or "")
            kernel.local_accesses += kind in ("LDL", "STL")
            kernel.loads += kind == "LDG"
            kernel.wide_loads += kind == "LDG" and wide
            kernel.stores += kind == "STG"
            kernel.wide_stores += kind == "STG" and wide
    return list(found.values())


def by_family(files: dict[str, list[Kernel]]) -> dict[str, list[Kernel]]:
    """Return the kernels of all files by what kind they are, without kinds that have none."""
    families: dict[str, list[Kernel]] = {family: [] for family in FAMILIES}
    for kernel in (kernel for kernels in files.values() for kernel in kernels):
        families[next(f for f, part in FAMILIES.items() if part in kernel.name)].append(kernel)
    return {family: kernels for family, kernels in families.items() if kernels}


def row(name: str, kernels: list[Kernel], threads: int) -> str:
    """Return one row of the table."""
    registers = [k.registers for k in kernels]
    local = sum(k.local_accesses > 0 for k in kernels)
    wide = sum(k.wide_loads > 0 for k in kernels)
    wide_stores = sum(k.wide_stores > 0 for k in kernels)
    least = min(k.occupancy(threads) for k in kernels)
    return (
        f"| {name} | {len(kernels)} | {median(registers):.0f} | {max(registers)} | {local} | {wide} |"
        f" {wide_stores} | {least:.0%} |"
    )


def table(groups: dict[str, list[Kernel]], threads: int, kind: str) -> str:
    """Return the table in Markdown: a row for each group of kernels, and one for all of them."""
    lines = [
        f"| {kind} | kernels | registers: median | most | with a stack | 128-bit loads | 128-bit stores |"
        f" least occupancy at {threads} threads |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [row(name, kernels, threads) for name, kernels in groups.items()]
    if len(groups) > 1:
        everything = [kernel for kernels in groups.values() for kernel in kernels]
        lines.append(row(f"all {len(groups)}", everything, threads))
    return "\n".join(lines)


def main() -> int:
    """Print the table and return 1 if --check found narrow accesses."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, default=[Path("build/CMakeFiles")])
    parser.add_argument(
        "--threads", type=int, default=128, help="threads of a block (default: 128)"
    )
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--families", action="store_true", help="group kernels by kind")
    parser.add_argument("--docs", type=Path, help="document to put the table into")
    options = parser.parse_args()
    document = options.docs.read_text(encoding="utf-8") if options.docs else ""
    if options.docs and (missing := marks_missing(document, TABLES)):
        parser.error(f"{options.docs} has no place for {missing}")
    paths = [f for p in options.paths for f in (sorted(p.rglob("*.cu.o")) if p.is_dir() else [p])]
    program = find_cuobjdump()
    found = {path.name.removesuffix(".o"): kernels_of(program, path) for path in paths}
    files = {name: kernels for name, kernels in found.items() if kernels}
    if options.families:
        text = table(by_family(files), options.threads, "kind")
    else:
        text = table(files, options.threads, "file")
    print(text)
    if options.docs:
        options.docs.write_text(put_table(document, TABLES[0], text), encoding="utf-8")
    narrow = [
        f"{name}: {k.name}" for name, kernels in files.items() for k in kernels if k.is_narrow
    ]
    if options.check and narrow:
        print("\ncontiguous kernels without 128-bit accesses:", *narrow, sep="\n  ")
    return 1 if options.check and narrow else 0


if __name__ == "__main__":
    sys.exit(main())
