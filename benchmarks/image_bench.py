"""Measures the container images: sizes, and the seconds until an edit is in the runtime image.

    python benchmarks/image_bench.py --base IMAGE [--network host] [--tree DIR] [--check] [--docs FILE]
    python benchmarks/image_bench.py --base IMAGE --cuda IMAGE [--docs FILE]

The second form measures the sizes in an image with CUDA, which takes too long to build here. A container engine has to run; DOCKER names its program. The edits are made in a copy of the tree, and every
row is one `docker/build.sh cpu`. The first one may compile everything: it is not a row, since its time
depends on what the engine's compiler cache holds.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from documents import marks_missing, put_table

ROOT = Path(__file__).resolve().parents[1]
BUDGET_MEGABYTES = 150.0
IMAGE = "torchsmith-bench:cpu"
TABLES = ("images", "image sizes")
CUDA_TABLE = "CUDA image sizes"


def append(name: str, text: str) -> Callable[[Path], None]:
    def edit(tree: Path) -> None:
        with (tree / name).open("a", encoding="utf-8") as file:
            file.write(text.format(time=time.time_ns()))

    return edit


# What a user edits, and how. The numbers make the text new to the engine's cache of layers.
EDITS = {
    "nothing changed": lambda tree: None,
    "docs/index.md edited": append("docs/index.md", "\n<!-- {time} -->\n"),
    "torch/functional.py edited": append("torch/functional.py", "\n# {time}\n"),
    "ProdKernel.cpp edited": append(
        "aten/src/ATen/native/cpu/ProdKernel.cpp",
        "\nnamespace {{ [[maybe_unused]] constexpr long edited = {time}; }}\n",
    ),
    "comment in native_functions.yaml": append(
        "aten/src/ATen/native/native_functions.yaml", "\n# {time}\n"
    ),
    "requirement in pyproject.toml": append("pyproject.toml", "\n# {time}\n"),
}


def build(docker: str, tree: Path, arguments: list[str]) -> tuple[float, str]:
    """Build the runtime image; return the seconds and the output."""
    command = [str(tree / "docker/build.sh"), "cpu", "--tag", IMAGE, *arguments]
    start = time.perf_counter()
    result = subprocess.run(
        command,
        env={**os.environ, "DOCKER": docker},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode:
        sys.exit(f"{result.stdout}\n{' '.join(command)} failed")
    return time.perf_counter() - start, result.stdout


def megabytes(docker: str, image: str) -> float:
    command = [docker, "image", "inspect", "--format", "{{.Size}}", image]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) / 1e6


def in_image(docker: str, image: str, *command: str) -> str:
    full = [docker, "run", "--rm", "--network", "none", image, *command]
    return subprocess.run(full, capture_output=True, text=True, check=True).stdout.strip()


def folder_megabytes(docker: str, image: str, folder: str) -> float:
    """Return the size of a folder of an image; 0 if there is none. The shell expands the folder's name."""
    listing = in_image(docker, image, "sh", "-c", f"du -sk {folder} 2>/dev/null || echo 0")
    return int(listing.split()[0]) * 1024 / 1e6


def size_table(docker: str, base: str, image: str) -> tuple[str, float]:
    """Return the table of sizes, and what the wheel adds to the base and Python."""
    rows = [(f"base image ({base.partition(':')[2] or base})", megabytes(docker, base))]
    installed = folder_megabytes(docker, image, "/opt/torch")
    libraries = folder_megabytes(docker, image, "/opt/torch/lib/python3*/site-packages/nvidia")
    whole = megabytes(docker, image)
    rows.append(("Python", whole - rows[0][1] - installed))
    rows.append(("the wheel, installed, with bytecode", installed - libraries))
    if libraries:
        rows.append(("NVIDIA's libraries, which it requires", libraries))
    rows.append(("runtime image", whole))
    lines = ["| what | size |", "| --- | ---: |", *(f"| {n} | {s:.0f} MB |" for n, s in rows)]
    return "\n".join(lines), installed - libraries


def edit_table(docker: str, tree: Path, arguments: list[str]) -> str:
    lines = ["| edit | time | compiler cache |", "| --- | ---: | --- |"]
    for name, edit in EDITS.items():
        edit(tree)
        seconds, output = build(docker, tree, arguments)
        cache = [
            line.split("cache ")[-1].strip() for line in output.splitlines() if " cache  " in line
        ]
        lines.append(f"| {name} | {seconds:.1f} s | {cache[-1] if cache else 'nothing compiled'} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> int:
    """Measure and print; with --check, return 1 if the image is over budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", required=True, help="the base image")
    parser.add_argument("--network", default="", help="network of the builds, for docker build")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout to build")
    parser.add_argument("--check", action="store_true", help="exit with 1 if over budget")
    parser.add_argument("--docs", type=Path, help="put the tables into this document")
    parser.add_argument("--cuda", metavar="IMAGE", help="only measure this image with CUDA")
    options = parser.parse_args()
    tables = [CUDA_TABLE] if options.cuda else list(TABLES)
    if options.docs and (missing := marks_missing(options.docs.read_text(), tables)):
        parser.error(f"{options.docs} has no place for {', '.join(missing)}")
    docker = os.environ.get("DOCKER", "docker")
    if options.cuda:
        sizes, added = size_table(docker, options.base, options.cuda)
        print(sizes)
        return finish(options, {CUDA_TABLE: sizes}, added)
    arguments = [f"BASE={options.base}"]
    arguments += ["--network", options.network] if options.network else []
    unwanted = shutil.ignore_patterns(
        ".git", "build", "build-*", "dist", ".venv*", "*.so", "__pycache__"
    )
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(options.tree, tree, ignore=unwanted, symlinks=True)
        seconds, _ = build(docker, tree, arguments)
        print(f"first build: {seconds:.0f} s (with whatever the caches hold)", flush=True)
        sizes, added = size_table(docker, options.base, IMAGE)
        print(sizes, flush=True)
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
        edits = edit_table(docker, tree, arguments)
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    return finish(options, dict(zip(TABLES, (edits, sizes), strict=True)), added)


def finish(options: argparse.Namespace, tables: dict[str, str], added: float) -> int:
    """Put the tables into the document, and compare with the budget if asked to."""
    if options.docs:
        document = options.docs.read_text()
        for name, table in tables.items():
            document = put_table(document, name, table)
        options.docs.write_text(document)
    return int(options.check and added > BUDGET_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
