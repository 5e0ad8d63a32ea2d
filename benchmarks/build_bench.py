"""What a developer waits for, against its budget: clean build, no-op, one kernel edited, one operator added.

    python benchmarks/build_bench.py [--jobs 2] [--no-wheel] [--json FILE] [--check]

Works in a temporary worktree of HEAD, in a virtual environment of its own that sees the running
one's packages, and without a compiler cache. After each edit, Ninja's log and dependency database say
what was rebuilt; anything that does not mention what was edited fails the benchmark.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from peer import clean_environment, unset_note

ROOT = Path(__file__).resolve().parents[1]
NOOP_ROUNDS = 11
OPERATOR = "build_bench_twice"
DECLARATION = f"""
- func: {OPERATOR}(Tensor self) -> Tensor
  variants: function
  dispatch:
    CompositeExplicitAutograd: {OPERATOR}
"""
KERNEL = f"""#include <ATen/ops/add.h>
#include <ATen/ops/{OPERATOR}_native.h>

namespace at::native {{
Tensor {OPERATOR}(const Tensor& self) {{
  return at::add(self, self);
}}
}}  // namespace at::native
"""


@dataclass
class Row:
    """One measurement."""

    name: str
    value: float
    budget: float
    unit: str = "s"
    note: str = ""
    strangers: list[str] = field(default_factory=list)
    """Outputs that were rebuilt and should not have been."""

    @property
    def good(self) -> bool:
        return self.value <= self.budget and not self.strangers

    def __str__(self) -> str:
        verdict = "ok" if self.good else "OVER" if self.value > self.budget else "STRANGERS"
        figures = f"{self.value:9.2f} {self.unit:<3} <= {self.budget:6.1f} {self.unit:<3}"
        return f"{self.name:<34} {figures} {verdict:<9} {self.note}".rstrip()


class Worktree:
    """A checkout that is built from nothing, with its environment."""

    def __init__(self, folder: Path, jobs: int, cached: bool) -> None:
        self.root = folder / "checkout"
        self.build = self.root / "build"
        subprocess.run(
            ["git", "worktree", "add", "--quiet", "--detach", str(self.root), "HEAD"],
            cwd=ROOT,
            check=True,
        )
        environment = folder / "environment"
        self.python = environment / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
        site = next(environment.glob("lib/python*/site-packages"))
        seen = "\n".join(path for path in sys.path if path.endswith("site-packages"))
        (site / "outer.pth").write_text(f"{seen}\n", encoding="utf-8")
        self.variables = clean_environment() | {
            "MAX_JOBS": str(jobs),
            "VIRTUAL_ENV": str(environment),
            "PATH": os.pathsep.join([str(environment / "bin"), os.environ["PATH"]]),
        }
        if not cached:
            self.variables["CCACHE_DISABLE"] = "1"

    def remove(self) -> None:
        subprocess.run(
            ["git", "worktree", "remove", "--force", str(self.root)], cwd=ROOT, check=True
        )

    def run(self, *arguments: str, cwd: Path | None = None) -> tuple[float, str]:
        """Wall seconds and output of the environment's Python."""
        start = time.perf_counter()
        result = subprocess.run(
            [str(self.python), *arguments],
            cwd=cwd or self.root,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - start
        if result.returncode:
            sys.exit(f"{' '.join(arguments)} failed:\n{result.stdout[-8000:]}")
        return seconds, result.stdout

    def develop(self) -> float:
        return self.run("setup.py", "develop")[0]

    def call(self, statement: str) -> float:
        """A fresh interpreter, outside the checkout."""
        return self.run("-c", statement, cwd=self.root.parent)[0]

    def log(self) -> dict[str, tuple[str, ...]]:
        """Output -> its last entry in Ninja's log."""
        lines = (self.build / ".ninja_log").read_text(encoding="utf-8").splitlines()
        rows = [tuple(line.split("\t")) for line in lines if not line.startswith("#")]
        return {row[3]: row for row in rows}

    def dependencies(self, outputs: Iterable[str]) -> dict[str, list[Path]]:
        """Every file that each object was compiled from, by Ninja's own record."""
        found: dict[str, list[Path]] = {}
        for output in outputs:
            shown = subprocess.run(
                ["ninja", "-t", "deps", output],
                cwd=self.build,
                env=self.variables,
                capture_output=True,
                text=True,
                check=True,
            ).stdout.splitlines()
            found[output] = [self.build / line.strip() for line in shown[1:] if line.strip()]
        return found


def rebuilt_objects(before: dict[str, tuple[str, ...]], tree: Worktree) -> list[str]:
    after = tree.log()
    return sorted(
        name for name, entry in after.items() if name.endswith(".o") and before.get(name) != entry
    )


def without(text: str, objects: dict[str, list[Path]]) -> list[str]:
    """Objects of which no file mentions `text`."""
    mentions: dict[Path, bool] = {}

    def mentioned(path: Path) -> bool:
        if path not in mentions:
            try:
                mentions[path] = text in path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                mentions[path] = False
        return mentions[path]

    return [name for name, files in objects.items() if not any(map(mentioned, files))]


def measure_clean(tree: Worktree, cached: bool) -> Row:
    seconds = tree.develop()
    tree.call("import torch; assert torch.ones(2).sum().item() == 2")
    compiled = sum(name.endswith(".o") for name in tree.log())
    name = "clean build, " + ("CACHED: not comparable" if cached else "no compiler cache")
    return Row(name, seconds, 300.0, note=f"{compiled} objects")


def measure_noop(tree: Worktree) -> Row:
    before = tree.log()
    times = [tree.develop() for _ in range(NOOP_ROUNDS)]
    note = f"median of {NOOP_ROUNDS}, {min(times):.2f} to {max(times):.2f}"
    row = Row("no-op develop", median(times), 0.3, note=note)
    row.strangers = rebuilt_objects(before, tree)
    return row


def measure_kernel(tree: Worktree, kernel: Path) -> Row:
    """A real change of the kernel's code, so that the object differs, until torch imports again."""
    before = tree.log()
    with open(kernel, "a", encoding="utf-8") as file:
        file.write(
            f"[[gnu::used]] static int build_bench_{kernel.stem.lower()}() {{ return 1; }}\n"
        )
    seconds = tree.develop() + tree.call("import torch")
    objects = rebuilt_objects(before, tree)
    row = Row(f"{kernel.stem} edited, importable", seconds, 8.0, note=f"{len(objects)} objects")
    row.strangers = without(f"build_bench_{kernel.stem.lower()}", tree.dependencies(objects))
    return row


def choose_kernels(tree: Worktree) -> list[Path]:
    """The kernel file that takes longest to compile, and the one in the middle."""
    seconds: dict[str, float] = {}
    for name, entry in tree.log().items():
        if "/native/cpu/" in name and name.endswith(".cpp.o"):
            source = name[name.index("aten/src/ATen/native/cpu/") : -len(".o")]
            taken = (int(entry[1]) - int(entry[0])) / 1000
            seconds[source] = max(seconds.get(source, 0.0), taken)
    ranked = [
        name for name in sorted(seconds, key=seconds.__getitem__) if (tree.root / name).exists()
    ]
    return [tree.root / ranked[-1], tree.root / ranked[len(ranked) // 2]]


def measure_operator(tree: Worktree) -> Row:
    """From the YAML and a kernel to the first call from Python."""
    before = tree.log()
    native = tree.root / "aten" / "src" / "ATen" / "native"
    with open(native / "native_functions.yaml", "a", encoding="utf-8") as file:
        file.write(DECLARATION)
    (native / "BuildBenchTwice.cpp").write_text(KERNEL, encoding="utf-8")
    seconds = tree.develop()
    seconds += tree.call(f"import torch; assert torch.{OPERATOR}(torch.ones(2)).tolist() == [2, 2]")
    objects = rebuilt_objects(before, tree)
    row = Row("operator added, callable", seconds, 15.0, note=f"{len(objects)} objects")
    row.strangers = without(OPERATOR, tree.dependencies(objects))
    return row


def measure_wheel(tree: Worktree) -> Row:
    tree.run("setup.py", "bdist_wheel")
    (wheel,) = (tree.root / "dist").glob("*.whl")
    return Row("wheel, compressed", wheel.stat().st_size / 1e6, 15.0, "MB", wheel.name)


def main() -> int:
    """Measure and print; with --check, exit 1 when a row is over its budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2, help="jobs at once (default 2)")
    parser.add_argument("--no-wheel", action="store_true", help="do not pack a wheel")
    parser.add_argument(
        "--cached", action="store_true", help="keep the compiler cache, to try this out"
    )
    parser.add_argument("--json", type=Path, help="also write the rows here")
    parser.add_argument("--check", action="store_true", help="exit 1 when a row is over its budget")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    print(f"{platform.machine()}, {cores} cores, {options.jobs} jobs; {unset_note()}")
    folder = Path(tempfile.mkdtemp(prefix="build-bench-"))
    rows: list[Row] = []

    def keep(row: Row) -> None:
        rows.append(row)
        print(row, flush=True)
        for name in row.strangers[:10]:
            print(f"    rebuilt without mentioning the edit: {name}", flush=True)

    tree = Worktree(folder, options.jobs, options.cached)
    try:
        keep(measure_clean(tree, options.cached))
        keep(measure_noop(tree))
        if not options.no_wheel:
            keep(measure_wheel(tree))
        for kernel in choose_kernels(tree):
            keep(measure_kernel(tree, kernel))
        keep(measure_operator(tree))
    finally:
        tree.remove()
        shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")
    return 1 if options.check and not all(row.good for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
