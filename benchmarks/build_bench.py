"""Measures what a developer waits for, against budgets and other ways to build the same tree.

    python benchmarks/build_bench.py [--jobs 2] [--rounds N] [--no-peers] [--no-wheel] [--cached]
                                     [--json FILE] [--docs docs/benchmarks.md] [--check]

Each side works in a temporary worktree of HEAD, in its own virtual environment that sees the
packages of the running one, and without a compiler cache. In every round of a row the sides take
turns; a row shows medians. All times include importing torch in a fresh interpreter. Ninja's log
and dependency database tell how long compilers and linkers ran and what was rebuilt; rebuilt
objects that do not mention the edit are reported.
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
from functools import partial
from pathlib import Path

from build_checkout import Checkout, without
from build_edits import EDITS, IMPORT, Edit
from build_sides import FrontEnd, PlainNinja, ScikitBuildCore, ScikitReinstalled, Side
from build_table import Columns, Row, Table, Wait

from documents import marks_missing, put_table
from peer import unset_note

NOOP_ROUNDS = 11
OPTION_ROUNDS = 6
# An option that makes CMake run again and recompiles nothing.
OPTION, VALUES = "BUILD_TEST", ("OFF", "ON")
WHEEL_MB = 15.0
MARK = "building"


class Bench:
    """The sides and the number of rounds; the first side must stay within the budgets."""

    def __init__(self, sides: Sequence[Side], most_rounds: int) -> None:
        self._sides = sides
        self._tree = sides[0].checkout
        self._most_rounds = most_rounds

    def clean(self, cached: bool) -> Row:
        if cached:
            row, rounds = Row("clean build, with compiler cache", 60.0), 3
        else:
            row, rounds = Row("clean build, no compiler cache", 480.0), 1
        for _ in self._rounds(rounds):
            for side in self._own_trees():
                side.checkout.forget()
                _wait(row, side, side.first)
        row.note = _objects(self._tree.rebuilt_since({}))
        return row

    def nothing(self) -> Row:
        row = Row("nothing changed", 0.3, times_faster=5.0)
        before = self._tree.log()
        for _ in self._rounds(NOOP_ROUNDS):
            for side in self._sides:
                _wait(row, side, side.again)
        row.unrelated = self._tree.rebuilt_since(before)
        return row

    def edit(self, edit: Edit) -> Row:
        row = Row(edit.name, edit.budget, edit.times_faster)
        for _ in self._rounds(edit.rounds):
            before = self._tree.log()
            names = []
            for side in self._sides:
                names.append(edit.do(side.checkout))
                _wait(row, side, side.again, edit.proof(names[-1]))
            objects = self._tree.rebuilt_since(before)
            row.unrelated += without(names[0], self._tree.dependencies(objects))
        row.note = _objects(objects)
        return row

    def option(self) -> Row:
        row = Row(f"{OPTION} changed", 15.0)
        before = self._tree.log()
        for number in self._rounds(OPTION_ROUNDS):
            value = VALUES[number % len(VALUES)]
            for side in self._own_trees():
                _wait(row, side, partial(side.change, OPTION, value))
        row.unrelated = self._tree.rebuilt_since(before)
        return row

    def wheel_mb(self) -> float:
        self._tree.run(str(self._tree.python), "setup.py", "bdist_wheel")
        (wheel,) = (self._tree.root / "dist").glob("torchsmith-*.whl")
        return wheel.stat().st_size / 1e6

    def stop_caching(self) -> None:
        """Disable the compiler cache, which would let one side reuse the other's compilation."""
        for side in self._sides:
            side.checkout.variables["CCACHE_DISABLE"] = "1"
            side.again()

    def _rounds(self, wanted: int) -> range:
        return range(min(wanted, self._most_rounds))

    def _own_trees(self) -> list[Side]:
        return [side for side in self._sides if not isinstance(side, ScikitReinstalled)]


def _objects(made: Sequence[str]) -> str:
    return f"{len(made)} object{'s' * (len(made) != 1)}" if made else ""


def _wait(row: Row, side: Side, build: Callable[[], float], proof: str = IMPORT) -> None:
    before = side.checkout.log()
    seconds = build() + side.checkout.call(proof)
    row.add(side.name, Wait(seconds, side.checkout.compiling_since(before)))


def make_sides(checkout: Callable[[], Checkout], peers: bool) -> tuple[list[Side], Columns]:
    ours = FrontEnd(checkout())
    if not peers:
        return [ours], Columns(ours.name)
    plain, packaging = PlainNinja(checkout()), ScikitBuildCore(checkout())
    packagers = [packaging, ScikitReinstalled(packaging)]
    names = Columns(ours.name, plain.name, [side.name for side in packagers])
    return [ours, plain, *packagers], names


def measure(bench: Bench, table: Table, cached: bool) -> None:
    table.keep(bench.clean(cached))
    bench.stop_caching()
    table.keep(bench.nothing())
    for edit in EDITS:
        table.keep(bench.edit(edit))
    table.keep(bench.option())


def main() -> int:
    """Measure and print; with --check, return 1 if a row misses a limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2, help="number of parallel jobs (default 2)")
    parser.add_argument("--rounds", type=int, default=99, help="maximum number of rounds per row")
    parser.add_argument("--no-peers", action="store_true", help="measure only the front end")
    parser.add_argument("--no-wheel", action="store_true", help="do not build a wheel")
    parser.add_argument("--cached", action="store_true", help="clean builds use the compiler cache")
    parser.add_argument("--json", type=Path, help="also write the rows here")
    parser.add_argument("--docs", type=Path, help="insert the table into this file")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a row misses a limit")
    options = parser.parse_args()
    if options.docs and marks_missing(options.docs.read_text(), [MARK]):
        sys.exit(f"{options.docs} has no markers for the table {MARK}")
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
        sides, columns = make_sides(checkout, not options.no_peers)
        bench, table = Bench(sides, options.rounds), Table(columns)
        measure(bench, table, options.cached)
        wheel_mb = 0.0
        if not options.no_wheel:
            wheel_mb = bench.wheel_mb()
            table.keep_other("wheel, compressed", f"{WHEEL_MB:g} MB", f"{wheel_mb:.2f} MB")
    finally:
        for made in checkouts:
            made.remove()
        shutil.rmtree(folder, ignore_errors=True)
    if options.docs:
        text = put_table(options.docs.read_text(), MARK, "\n".join(table.lines))
        options.docs.write_text(text)
    if options.json:
        rows = [row.to_json(columns) for row in table.rows]
        options.json.write_text(json.dumps(rows, indent=2) + "\n")
    good = wheel_mb <= WHEEL_MB and not any(row.misses(columns) for row in table.rows)
    return 1 if options.check and not good else 0


if __name__ == "__main__":
    sys.exit(main())
