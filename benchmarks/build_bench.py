"""What a developer waits for, against its budget and beside other ways to build the same tree.

    python benchmarks/build_bench.py [--jobs 2] [--no-peers] [--no-wheel] [--cached] [--json FILE] [--check]

Each side works in a temporary worktree of HEAD, in a virtual environment of its own that sees the
running one's packages, and without a compiler cache. The sides take turns in every row; importing torch
in a fresh interpreter is part of every time. After each edit, Ninja's log and dependency database say
what was rebuilt; anything that does not mention what was edited fails the benchmark.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from build_checkout import CALL_OPERATOR, OPERATOR, Checkout, without
from build_sides import FrontEnd, PlainNinja, ScikitBuildCore, ScikitReinstalled, Side

from peer import unset_note

NOOP_ROUNDS = 11
IMPORT = "import torch; assert torch.ones(2).sum().item() == 2"
# One that makes CMake run again and recompiles nothing.
OPTION = "BUILD_TEST", "OFF"


@dataclass
class Row:
    """One wait, for each side that was measured; the first side has the budget."""

    name: str
    budget: float
    seconds: dict[str, float] = field(default_factory=dict)
    unit: str = "s"
    note: str = ""
    strangers: list[str] = field(default_factory=list)
    """Outputs that the front end rebuilt and should not have."""

    @property
    def good(self) -> bool:
        return next(iter(self.seconds.values())) <= self.budget and not self.strangers


class Table:
    """Prints each row when it is whole."""

    def __init__(self, sides: Sequence[str]) -> None:
        self.rows: list[Row] = []
        self._sides = sides
        print("| what | budget |", " | ".join(sides), "|")
        print("| --- |", " | ".join("---:" for _ in ["budget", *sides]), "|", flush=True)

    def keep(self, row: Row) -> None:
        self.rows.append(row)
        figures = [
            f"{row.seconds[side]:.2f} {row.unit}" if side in row.seconds else ""
            for side in self._sides
        ]
        name = f"{row.name} ({row.note})" if row.note else row.name
        print(f"| {name} | {row.budget:.1f} {row.unit} |", " | ".join(figures), "|", flush=True)
        for stranger in row.strangers[:10]:
            print(f"    rebuilt without mentioning the edit: {stranger}", flush=True)


def measure_clean(sides: Sequence[Side], cached: bool) -> Row:
    row = Row("clean build, " + ("with" if cached else "no") + " compiler cache", 480.0)
    for side in sides:
        if not isinstance(side, ScikitReinstalled):  # its tree is another side's
            row.seconds[side.name] = side.first() + side.checkout.call(IMPORT)
    compiled = sum(name.endswith(".o") for name in sides[0].checkout.log())
    row.note = f"{compiled} objects"
    return row


def measure_noop(sides: Sequence[Side]) -> Row:
    row = Row("nothing changed", 0.3, note=f"median of {NOOP_ROUNDS}")
    before = sides[0].checkout.log()
    rounds = [
        {side.name: side.again() + side.checkout.call(IMPORT) for side in sides}
        for _ in range(NOOP_ROUNDS)
    ]
    row.seconds = {side.name: median(times[side.name] for times in rounds) for side in sides}
    row.strangers = sides[0].checkout.rebuilt_since(before)
    return row


def measure_edit(sides: Sequence[Side], kernel: str) -> Row:
    row = Row(f"{Path(kernel).stem} edited", 8.0)
    tree = sides[0].checkout
    before = tree.log()
    for side in sides:
        name = side.checkout.edit(kernel)
        row.seconds[side.name] = side.again() + side.checkout.call(IMPORT)
        if side is sides[0]:
            mention = name
    objects = tree.rebuilt_since(before)
    row.note = f"{len(objects)} objects"
    row.strangers = without(mention, tree.dependencies(objects))
    return row


def measure_option(sides: Sequence[Side]) -> Row:
    row = Row(f"{'='.join(OPTION)}", 15.0)
    before = sides[0].checkout.log()
    for side in sides:
        if not isinstance(side, ScikitReinstalled):
            row.seconds[side.name] = side.change(*OPTION) + side.checkout.call(IMPORT)
    row.strangers = sides[0].checkout.rebuilt_since(before)
    return row


def measure_operator(sides: Sequence[Side]) -> Row:
    """From the YAML and a kernel to the first call from Python."""
    row = Row("operator added, callable", 15.0)
    tree = sides[0].checkout
    before = tree.log()
    for side in sides:
        if not isinstance(side, ScikitReinstalled):
            side.checkout.add_operator()
            row.seconds[side.name] = side.again() + side.checkout.call(CALL_OPERATOR)
    objects = tree.rebuilt_since(before)
    row.note = f"{len(objects)} objects"
    row.strangers = without(OPERATOR, tree.dependencies(objects))
    return row


def measure_wheel(side: Side) -> Row:
    side.checkout.run(str(side.checkout.python), "setup.py", "bdist_wheel")
    (wheel,) = (side.checkout.root / "dist").glob("*.whl")
    return Row("wheel, compressed", 15.0, {side.name: wheel.stat().st_size / 1e6}, "MB")


def make_sides(checkout: Callable[[], Checkout], peers: bool) -> list[Side]:
    sides: list[Side] = [FrontEnd(checkout())]
    if peers:
        skbuild = ScikitBuildCore(checkout())
        sides += [PlainNinja(checkout()), skbuild, ScikitReinstalled(skbuild)]
    return sides


def measure(sides: Sequence[Side], table: Table, cached: bool, wheel: bool) -> None:
    table.keep(measure_clean(sides, cached))
    for side in sides:  # or one side's compilation would spare the next one's
        side.checkout.variables["CCACHE_DISABLE"] = "1"
        side.again()
    table.keep(measure_noop(sides))
    for kernel in sides[0].checkout.kernels():
        table.keep(measure_edit(sides, kernel))
    table.keep(measure_operator(sides))
    table.keep(measure_option(sides))
    if wheel:
        table.keep(measure_wheel(sides[0]))


def main() -> int:
    """Measure and print; with --check, exit 1 when a row is over its budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2, help="jobs at once (default 2)")
    parser.add_argument("--no-peers", action="store_true", help="only the front end")
    parser.add_argument("--no-wheel", action="store_true", help="do not pack a wheel")
    parser.add_argument(
        "--cached", action="store_true", help="clean builds take what the compiler cache has"
    )
    parser.add_argument("--json", type=Path, help="also write the rows here")
    parser.add_argument("--check", action="store_true", help="exit 1 when a row is over its budget")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    print(f"{platform.machine()}, {cores} cores, {options.jobs} jobs; {unset_note()}\n")
    folder = Path(tempfile.mkdtemp(prefix="build-bench-"))
    checkouts: list[Checkout] = []

    def checkout() -> Checkout:
        place = folder / str(len(checkouts))
        place.mkdir()
        checkouts.append(Checkout(place, options.jobs, options.cached))
        return checkouts[-1]

    try:
        sides = make_sides(checkout, not options.no_peers)
        table = Table([side.name for side in sides])
        measure(sides, table, options.cached, not options.no_wheel)
    finally:
        for made in checkouts:
            made.remove()
        shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in table.rows], indent=2) + "\n")
    return 1 if options.check and not all(row.good for row in table.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
