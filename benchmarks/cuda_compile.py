"""Measures nvcc: seconds, memory and compressed code of .cu files, by GPU architecture.

    python benchmarks/cuda_compile.py [FILE.cu ...] [--build build-cuda] [--architectures 7.5 9.0 12.0 | all]
        [--same-bytes] [--docs FILE]

Takes the commands from compile_commands.json of a build directory, for which CMAKE_ONLY=1 is enough, and runs
them in a copy of the sources, without a compiler cache. With --same-bytes, a second copy in another folder
has to make the same objects. Without files, all .cu files are compiled. No GPU is needed.
cuda_sizes.py takes the sizes from a finished build instead.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cuda_sizes import SECTION, codes_of, section_of

from documents import marks_missing, put_table

ROOT = Path(__file__).resolve().parents[1]
ALL = ("7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0")
TABLES = ["CUDA architectures"]
SOURCES = ("aten/src", "c10", "torch/csrc", "torch/library.h", "cmake/Modules")
GENERATED = ("aten/src", "torch", "third_party")


@dataclass(frozen=True)
class Compilation:
    """What one command used and made."""

    cpu_seconds: float
    memory_mb: float
    code_bytes: int
    digest: str


def commands(build: Path, names: list[str]) -> dict[str, list[str]]:
    """Return the command of each .cu file, by its name; all files if no names are given."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    found = {
        Path(entry["file"]).name: shlex.split(entry["command"])
        for entry in entries
        if entry["file"].endswith(".cu") and "/test/" not in entry["file"]
    }
    if unknown := [name for name in names if name not in found]:
        sys.exit(f"{build} does not compile {', '.join(unknown)}")
    return {name: found[name] for name in names} if names else found


def copy_tree(build: Path, target: Path) -> Path:
    """Copy what a compilation reads to `target`, and return `target`."""
    for top, names, to in ((ROOT, SOURCES, "src"), (build, GENERATED, "build")):
        for name in names:
            if (top / name).is_dir():
                shutil.copytree(top / name, target / to / name)
            elif (top / name).is_file():
                (target / to / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(top / name, target / to / name)
    return target


def compile_file(
    command: list[str], build: Path, copy: Path, architecture: str, name: str
) -> Compilation:
    """Compile one file for one architecture in a copy of the tree."""
    number = architecture.replace(".", "")
    words = [word for word in command if not word.startswith("--generate-code")]
    words[words.index("-o") + 1] = f"{name}.o"
    # The build directory may be inside the checkout.
    inside = [
        word.replace(str(build), f"{copy}/build").replace(f"{ROOT}/", f"{copy}/src/")
        if str(build) in word or f"{ROOT}/" in word
        else (f"-I{copy}/src" if word == f"-I{ROOT}" else word)
        for word in words
    ]
    script = copy / "src/cmake/Modules/canonical_command.sh"
    code = f"--generate-code=arch=compute_{number},code=[sm_{number}]"
    line = ["sh", str(script), f"{copy}/src", f"{copy}/build", *inside, code]
    process = subprocess.Popen(line, cwd=copy / "build")
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{shlex.join(line)} failed")
    made = (copy / "build" / f"{name}.o").read_bytes()
    return Compilation(
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024,
        sum(code.bytes for code in codes_of(section_of(made, SECTION))),
        hashlib.sha256(made).hexdigest(),
    )


def table(rows: dict[str, list[Compilation]]) -> str:
    """Return the table in Markdown."""
    lines = [
        "| architecture | files | compressed code, kB | CPU-s | most CPU-s of a file | most memory of a process, MB |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for architecture, found in rows.items():
        seconds = [x.cpu_seconds for x in found]
        lines.append(
            f"| {architecture} | {len(found)} | {sum(x.code_bytes for x in found) / 1e3:,.0f} |"
            f" {sum(seconds):.0f} | {max(seconds):.0f} | {max(x.memory_mb for x in found):.0f} |"
        )
    return "\n".join(lines)


def measure(
    files: dict[str, list[str]], build: Path, copies: list[Path], architectures: Iterable[str]
) -> tuple[dict[str, list[Compilation]], list[str]]:
    """Compile all files in all copies; return the rows of the first, and where another one differs."""
    rows: dict[str, list[Compilation]] = defaultdict(list)
    different = []
    for name, command in files.items():
        for architecture in architectures:
            made = [compile_file(command, build, copy, architecture, name) for copy in copies]
            rows[architecture].append(made[0])
            used = f"{made[0].cpu_seconds:.1f} CPU-s, {made[0].memory_mb:.0f} MB"
            print(f"{name} for {architecture}: {used}", file=sys.stderr, flush=True)
            if len({x.digest for x in made}) > 1:
                different.append(f"{name} for {architecture}")
    return rows, different


def main() -> int:
    """Print the table, and return 1 if --same-bytes found a difference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE.cu")
    parser.add_argument("--build", type=Path, default=ROOT / "build-cuda")
    parser.add_argument("--architectures", nargs="+", default=["9.0"], metavar="VERSION")
    parser.add_argument("--same-bytes", action="store_true")
    parser.add_argument("--docs", type=Path, help="document to put the table into")
    options = parser.parse_args()
    document = options.docs.read_text(encoding="utf-8") if options.docs else ""
    if options.docs and (missing := marks_missing(document, TABLES)):
        parser.error(f"{options.docs} has no place for {missing}")
    architectures = ALL if options.architectures == ["all"] else options.architectures
    build = options.build.resolve()
    files = commands(build, options.files)
    with tempfile.TemporaryDirectory() as folder:
        copies = [copy_tree(build, Path(folder, "a"))]
        if options.same_bytes:
            copies.append(copy_tree(build, Path(folder, "another/deeper/folder")))
        rows, different = measure(files, build, copies, architectures)
    text = table(rows)
    print(text)
    if options.docs:
        options.docs.write_text(put_table(document, TABLES[0], text), encoding="utf-8")
    if options.same_bytes:
        print("\nother bytes in another folder:", *(different or ["none"]), sep="\n  ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
