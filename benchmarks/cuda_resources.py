"""Shows what nvcc made of each .cu file: registers, spills, stacks, 128-bit accesses and theoretical occupancy.

    python benchmarks/cuda_resources.py [build/CMakeFiles/torch_cuda.dir | FILE.cu.o ...] [--log FILE ...]
        [--threads 128] [--check] [--by file|kind|architecture] [--architecture 9.0] [--docs FILE]

Reads the machine code of objects that nvcc compiled, which needs cuobjdump and nvdisasm: from a CUDA
toolkit, or from `pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm`. No GPU is needed. --by says what the
table has a row for; a document has a place for the one by kind.

A stack is local memory for an array, such as the one of sin and cos for large arguments, or for registers
that are spilled. Machine code does not tell them apart, but ptxas does with CUDAFLAGS=-Xptxas=-v. --log takes
what the compilations of the same objects printed, and adds the bytes that each kernel stores and loads
for spilled registers.

With --check, these are errors: an element-wise kernel over contiguous data without any 128-bit access, and, with
--log, a spill in any kind of kernel but "others", or a kernel that the log does not describe.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
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
MAY_SPILL = "others"
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
    spilled: int | None = None  # bytes of code that stores and loads spilled registers, if known

    @property
    def family(self) -> str:
        """The kind of kernel."""
        return next(family for family, part in FAMILIES.items() if part in self.name)

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


@dataclass(frozen=True)
class Report:
    """What ptxas printed about one `__global__` function and the functions that it calls."""

    registers: int
    spilled: int


def reports_of(lines: Iterable[str]) -> dict[tuple[str, str], set[Report]]:
    """Return the reports in a log, by architecture and name; templates may be compiled in several files."""
    found: dict[tuple[str, str], set[Report]] = defaultdict(set)
    key, registers, spilled = ("", ""), 0, 0
    for line in [*lines, "Compiling entry function '' for 'sm_0'"]:
        if match := re.search(r"Compiling entry function '(\S*)' for 'sm_(\d+)", line):
            if key[1]:
                found[key].add(Report(registers, spilled))
            key, registers, spilled = (match[2], match[1]), 0, 0
        elif match := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            spilled += int(match[1]) + int(match[2])
        elif match := re.search(r"\bUsed (\d+) registers", line):
            registers = int(match[1])
    return dict(found)


def add_spills(kernels: Iterable[Kernel], reports: dict[tuple[str, str], set[Report]]) -> None:
    """Set the spilled bytes of kernels that a report describes; one of other machine code does not."""
    for kernel in kernels:
        same = reports.get((kernel.architecture, kernel.name), set())
        kernel.spilled = max(
            (r.spilled for r in same if r.registers == kernel.registers), default=None
        )


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


def kernels_of(program: str, path: Path, only: str = "") -> list[Kernel]:
    """Return the kernels of an object, for all architectures or for only one, such as "90"."""
    found: dict[tuple[str, str], Kernel] = {}
    architecture, kernel = "", Kernel("", "")
    selection = ["-arch", f"sm_{only}"] if only else []
    for line in output_of(program, *selection, "-res-usage", str(path)):
        if match := re.match(r"arch = sm_(\d+)", line):
            architecture = match[1]
        elif match := re.search(r"Function (?:: )?(\S+?):?$", line.rstrip()):
            kernel = found.setdefault((architecture, match[1]), Kernel(match[1], architecture))
        elif match := re.search(r"REG:(\d+).*SHARED:(\d+)", line):
            kernel.registers, kernel.shared = int(match[1]), int(match[2])
    for line in output_of(program, *selection, "-sass", str(path)):
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
        families[kernel.family].append(kernel)
    return {family: kernels for family, kernels in families.items() if kernels}


def by_architecture(files: dict[str, list[Kernel]]) -> dict[str, list[Kernel]]:
    """Return the kernels of all files by architecture, the oldest first."""
    found: dict[int, list[Kernel]] = defaultdict(list)
    for kernel in (kernel for kernels in files.values() for kernel in kernels):
        found[int(kernel.architecture)].append(kernel)
    return {f"{number / 10:.1f}": found[number] for number in sorted(found)}


def row(name: str, kernels: list[Kernel], threads: int) -> str:
    """Return one row of the table."""
    registers = [k.registers for k in kernels]
    local = sum(k.local_accesses > 0 for k in kernels)
    wide = sum(k.wide_loads > 0 for k in kernels)
    wide_stores = sum(k.wide_stores > 0 for k in kernels)
    least = min(k.occupancy(threads) for k in kernels)
    spills = [k.spilled for k in kernels if k.spilled is not None]
    spilled = max(spills) if len(spills) == len(kernels) else "unknown"
    return (
        f"| {name} | {len(kernels)} | {median(registers):.0f} | {max(registers)} | {spilled} | {local} |"
        f" {wide} | {wide_stores} | {least:.0%} |"
    )


def table(groups: dict[str, list[Kernel]], threads: int, kind: str) -> str:
    """Return the table in Markdown: a row for each group of kernels, and one for all of them."""
    lines = [
        f"| {kind} | kernels | registers: median | most | most spilled bytes | with a stack | 128-bit loads |"
        f" 128-bit stores | least occupancy at {threads} threads |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [row(name, kernels, threads) for name, kernels in groups.items()]
    if len(groups) > 1:
        everything = [kernel for kernels in groups.values() for kernel in kernels]
        lines.append(row(f"all {len(groups)}", everything, threads))
    return "\n".join(lines)


def mistakes(files: dict[str, list[Kernel]], has_log: bool) -> dict[str, list[str]]:
    """Return what --check refuses: by complaint, the kernels and their files."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, kernels in files.items():
        for kernel in kernels:
            where = f"{name} for sm_{kernel.architecture}: {kernel.name}"
            if kernel.is_narrow:
                found["contiguous kernels without 128-bit accesses"].append(where)
            if kernel.spilled and kernel.family != MAY_SPILL:
                found["kernels that spill registers"].append(f"{where}: {kernel.spilled} bytes")
            if has_log and kernel.spilled is None:
                found[
                    "kernels of which the log has no report, or one of other machine code"
                ].append(where)
    return dict(found)


def main() -> int:
    """Print the table and return 1 if --check found mistakes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, default=[Path("build/CMakeFiles")])
    parser.add_argument(
        "--log", nargs="+", type=Path, default=[], help="output of nvcc with -Xptxas=-v"
    )
    parser.add_argument(
        "--threads", type=int, default=128, help="threads of a block (default: 128)"
    )
    parser.add_argument("--check", action="store_true")
    parser.add_argument(
        "--by", choices=["file", "kind", "architecture"], default="file", help="what a row is of"
    )
    parser.add_argument("--architecture", help="only the code for this one, such as 9.0")
    parser.add_argument("--docs", type=Path, help="document to put the table into")
    options = parser.parse_args()
    only = options.architecture or ""
    if only and not re.fullmatch(r"\d+\.\d[af]?", only):
        parser.error(f"--architecture takes a version such as 9.0, not {only}")
    if options.docs and options.by != "kind":
        parser.error(f"{options.docs} has a place only for the table by kind: add --by kind")
    document = options.docs.read_text(encoding="utf-8") if options.docs else ""
    if options.docs and (missing := marks_missing(document, TABLES)):
        parser.error(f"{options.docs} has no place for {missing}")
    paths = [f for p in options.paths for f in (sorted(p.rglob("*.cu.o")) if p.is_dir() else [p])]
    program = find_cuobjdump()
    found = {
        path.name.removesuffix(".o"): kernels_of(program, path, only.replace(".", ""))
        for path in paths
    }
    files = {name: kernels for name, kernels in found.items() if kernels}
    if options.log:
        lines = (
            line for log in options.log for line in log.read_text(errors="replace").splitlines()
        )
        add_spills((kernel for kernels in files.values() for kernel in kernels), reports_of(lines))
    groups = {"kind": by_family, "architecture": by_architecture}.get(options.by, dict)(files)
    text = table(groups, options.threads, options.by)
    print(text)
    if options.docs:
        options.docs.write_text(put_table(document, TABLES[0], text), encoding="utf-8")
    wrong = mistakes(files, bool(options.log)) if options.check else {}
    for complaint, where in wrong.items():
        print(f"\n{complaint}:", *where, sep="\n  ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
