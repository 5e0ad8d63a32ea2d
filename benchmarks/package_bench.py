"""Measures the wheels: their sizes, and the CPU-seconds of the first Python and of each further one.

    python benchmarks/package_bench.py [--pythons 3.12,3.13] [--jobs 2] [--again] [--selective] [--check]

The builds run without a compiler cache in a temporary worktree of HEAD. The first makes the wheels for the
running Python; each later one adds a Python to the same build directory. CPU-seconds are those of all
processes, packing included, so a machine that others use gives nearly the same numbers. With --again, all
wheels are made a second time in another folder, with one job and a filled cache, and must have the
same bytes. With --selective, only a wheel for examples/char_gpt.py and examples/mnist.py is made; the
running Python must have the full build, which records their operators. Images: image_bench.py.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from build_checkout import ROOT, Checkout

# The budget of each further Python, as a part of the first one's CPU-seconds.
FURTHER = 0.30
MEGABYTE = 1_000_000
# A selective wheel: 120 seconds on two cores, and its size.
SELECTIVE_SECONDS = 240
SELECTIVE_MEGABYTES = 4.0
EXAMPLES = (("char_gpt.py", "--steps", "20"), ("mnist.py", "--epochs", "1", "--count", "256"))


@dataclass(frozen=True)
class Build:
    """A build that added one Python."""

    python: str
    cpu_seconds: float


def cpu_seconds() -> float:
    """Return the CPU-seconds of all processes that ended as children of this one."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def build_each(checkout: Checkout, pythons: Sequence[str]) -> Iterator[Build]:
    """Build for the running Python, then add the others one by one."""
    running = f"{sys.version_info[0]}.{sys.version_info[1]}"
    for count in range(len(pythons) + 1):
        before = cpu_seconds()
        make(checkout, pythons[:count])
        yield Build(pythons[count - 1] if count else running, cpu_seconds() - before)


def make(checkout: Checkout, pythons: Sequence[str]) -> None:
    command = [str(checkout.python), "setup.py", "wheels", "--pythons", ",".join(pythons)]
    checkout.run(*command)


def files(checkout: Checkout) -> dict[str, bytes]:
    """Return what is in dist/, by name."""
    return {path.name: path.read_bytes() for path in sorted((checkout.root / "dist").iterdir())}


def digests(made: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in made.items()}


def selective(checkout: Checkout) -> tuple[float, float]:
    """Build a wheel with the examples' operators; return the CPU-seconds and the megabytes."""
    lists = []
    for program, *arguments in EXAMPLES:
        lists.append(str(checkout.root / f"{program}.yaml"))
        record = (
            sys.executable,
            "-m",
            "torch.utils.record_operators",
            str(ROOT / "examples" / program),
        )
        checkout.run(*record, "-o", lists[-1], "--", *arguments, cwd=checkout.root.parent)
    merge = (str(checkout.python), "-m", "tools.code_analyzer.gen_operators_yaml", *lists)
    checkout.run(*merge, "-o", "operators.yaml")
    checkout.variables |= {
        "SELECTED_OP_LIST": "operators.yaml",
        "BLAS": "Builtin",
        "BUILD_TEST": "OFF",
        "REPAIR_WHEEL": "OFF",
    }
    before = cpu_seconds()
    checkout.run(str(checkout.python), "setup.py", "bdist_wheel")
    spent = cpu_seconds() - before
    (size,) = (
        len(data) for name, data in files(checkout).items() if name.startswith("torchsmith-")
    )
    return spent, size / MEGABYTE


def measure_selective(folder: Path, jobs: int) -> list[str]:
    """Print the row of a selective wheel; return the budgets that it misses."""
    checkout = Checkout(folder, jobs, cached=False)
    try:
        spent, size = selective(checkout)
    finally:
        checkout.remove()
    print(f"selective wheel: {spent:.0f} CPU-seconds, {size:.1f} MB")
    rows = ((spent, SELECTIVE_SECONDS, "CPU-seconds"), (size, SELECTIVE_MEGABYTES, "MB"))
    return [
        f"selective wheel: budget {most:g} {unit}" for value, most, unit in rows if value > most
    ]


def misses(
    builds: Sequence[Build], first: Mapping[str, str], again: Mapping[str, str]
) -> list[str]:
    """List the Pythons over the budget, and the files that differ between the two sets."""
    base = builds[0].cpu_seconds
    found = [
        f"Python {row.python} takes {row.cpu_seconds / base:.0%} of the first; budget {FURTHER:.0%}"
        for row in builds[1:]
        if row.cpu_seconds > FURTHER * base
    ]
    return found + [f"{name} has other bytes" for name in again if first.get(name) != again[name]]


def tables(builds: Sequence[Build], made: Mapping[str, bytes]) -> list[str]:
    base = builds[0].cpu_seconds
    return [
        "| Python | CPU-seconds | of the first |",
        "| --- | ---: | ---: |",
        *(
            f"| {row.python} | {row.cpu_seconds:.0f} | {row.cpu_seconds / base:.0%} |"
            for row in builds
        ),
        "",
        "| file | MB |",
        "| --- | ---: |",
        *(f"| `{name}` | {len(data) / MEGABYTE:.1f} |" for name, data in made.items()),
    ]


def main() -> int:
    """Build, measure and print; with --check, return 1 if a budget is missed or bytes differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pythons", default="3.12,3.13", help="the further Pythons")
    parser.add_argument("--jobs", type=int, default=2, help="number of parallel jobs (default 2)")
    parser.add_argument("--again", action="store_true", help="compare with a second build")
    parser.add_argument("--selective", action="store_true", help="a selective wheel instead")
    parser.add_argument("--check", action="store_true", help="exit with 1 on a miss")
    options = parser.parse_args()
    pythons = options.pythons.split(",")
    folder = Path(tempfile.mkdtemp(prefix="package-bench-"))
    made: list[dict[str, bytes]] = []
    builds: list[Build] = []
    if options.selective:
        try:
            found = measure_selective(folder, options.jobs)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        print(*(found or ["within the budgets"]), sep="\n")
        return 1 if options.check and found else 0
    try:
        for place, cached in (("first", False), ("another folder", True))[: 1 + options.again]:
            (folder / place).mkdir()
            checkout = Checkout(folder / place, 1 if cached else options.jobs, cached)
            try:
                if cached:
                    make(checkout, pythons)
                for row in () if cached else build_each(checkout, pythons):
                    builds.append(row)
                    print(f"Python {row.python}: {row.cpu_seconds:.0f} CPU-seconds", flush=True)
                made.append(files(checkout))
            finally:
                checkout.remove()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(*tables(builds, made[0]), sep="\n")
    found = misses(builds, digests(made[0]), digests(made[-1]))
    print(*(found or ["within the budgets"]), sep="\n")
    return 1 if options.check and found else 0


if __name__ == "__main__":
    sys.exit(main())
