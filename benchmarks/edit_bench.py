"""Measures what ordinary edits cost in build steps and seconds, alongside plain Ninja.

    python benchmarks/edit_bench.py [--jobs 2] [--rounds 3] [--only PATTERN] [--docs docs/benchmarks.md]

Both sides build the same worktree of HEAD, one with `python setup.py develop`, the other with
`cmake` once and `ninja` from then on. The first build may use the compiler cache; every edit is
compiled without it. Each round walks through all edits in turn; the table shows medians. A step is
one command that Ninja ran: a compilation, a link, staging or the configuration. The time includes
importing torch in a fresh interpreter, which proves that the edit took effect.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from build_checkout import Checkout
from build_edits import IMPORT
from build_sides import FrontEnd, PlainNinja, Side
from operator_edits import NewOperator

from documents import marks_missing, put_table
from peer import unset_note

MARK = "edits"
OPTION, VALUES = "BUILD_TEST", ("OFF", "ON")
_NATIVE = "aten/src/ATen/native"
_KERNEL = "#include <ATen/native/cpu/Loops.h>\n[[gnu::used]] static int edit_bench_kernel() { return 1; }\n"


@dataclass(frozen=True)
class Edit:
    """Something that a developer does, and a statement that proves that it took effect."""

    name: str
    do: Callable[[Side], float]
    """Edits, builds, and returns the build's seconds."""
    proof: str = IMPORT
    budget: float | None = None
    """Seconds, if the design has a budget."""


@dataclass
class Cost:
    """The cost of one edit on one side, once per round."""

    seconds: list[float] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)

    def cells(self) -> list[str]:
        return [f"{median(self.steps):g}", f"{median(self.seconds):.2f} s"]


def _then_build(change: Callable[[Checkout], object]) -> Callable[[Side], float]:
    def do(side: Side) -> float:
        change(side.checkout)
        return side.again()

    return do


def _comment(path: str, comment: str) -> Edit:
    name = path.removeprefix(f"{_NATIVE}/").removeprefix("aten/src/ATen/")
    return Edit(f"comment in {name}", _then_build(lambda c: c.append(path, f"\n{comment}\n")))


def _option(value: str, budget: float) -> Edit:
    return Edit(f"{OPTION}={value}", lambda side: side.change(OPTION, value), budget=budget)


def edits(round_number: int) -> list[Edit]:
    """Return the edits of one round, in an order in which each finds what it needs."""
    function = NewOperator(f"edit_bench_function_{round_number}", method=False)
    method = NewOperator(f"edit_bench_method_{round_number}", method=True)
    half = "c10/util/Half.h"
    kernel = f"{_NATIVE}/cpu/EditBenchKernel.cpp"
    comment = "# An ordinary comment."
    return [
        _comment(f"{_NATIVE}/native_functions.yaml", comment),
        _comment("tools/autograd/derivatives.yaml", comment),
        _comment("tools/autograd/deprecated.yaml", comment),
        _comment(f"{_NATIVE}/tags.yaml", comment),
        _comment("aten/src/ATen/templates/Operator.h", "// An ordinary comment."),
        _comment("tools/codegen/emit/headers.py", comment),
        Edit(f"{half} touched", _then_build(lambda c: os.utime(c.root / half))),
        Edit(
            f"{half} touched, numbers.cpp edited",
            _then_build(lambda c: (os.utime(c.root / half), c.edit_code("c10/util/numbers.cpp"))),
        ),
        Edit("operator added, a function", _then_build(function.add), function.proof, 15.0),
        Edit("operator changed", _then_build(function.change), function.proof_of_change, 15.0),
        Edit("operator removed", _then_build(function.remove), function.proof_of_removal, 15.0),
        Edit("operator added, with a method", _then_build(method.add), method.proof, 60.0),
        Edit("operator with a method changed", _then_build(method.change), method.proof_of_change),
        Edit("operator with a method removed", _then_build(method.remove), method.proof_of_removal),
        Edit(
            "ProdKernel.cpp edited",
            _then_build(lambda c: c.edit_code(f"{_NATIVE}/cpu/ProdKernel.cpp")),
            budget=8.0,
        ),
        Edit("kernel file added", _then_build(lambda c: c.append(kernel, _KERNEL))),
        Edit("kernel file removed", _then_build(lambda c: (c.root / kernel).unlink())),
        _option(VALUES[0], 15.0),
        _option(VALUES[1], 15.0),
    ]


def measure(sides: list[Side], rounds: int, only: str) -> dict[Edit, dict[str, Cost]]:
    """Return the costs by edit and side; each round's edits count as those of the first."""
    rows = {edit.name: edit for edit in edits(0)}
    costs: dict[str, dict[str, Cost]] = defaultdict(lambda: defaultdict(Cost))
    for number in range(rounds):
        for edit in edits(number):
            if not re.search(only, edit.name):
                continue
            for side in sides:
                before = side.checkout.log()
                seconds = edit.do(side) + side.checkout.call(edit.proof)
                cost = costs[edit.name][side.name]
                cost.seconds.append(seconds)
                cost.steps.append(side.checkout.steps_since(before))
                print(f"    {edit.name}: {side.name} {cost.steps[-1]} {seconds:.2f} s", flush=True)
    return {rows[name]: found for name, found in costs.items()}


def render(costs: dict[Edit, dict[str, Cost]], sides: list[Side]) -> list[str]:
    """Return the lines of the table."""
    heads = [
        "edit",
        "budget",
        *(f"{side.name}: {what}" for side in sides for what in ("steps", "time")),
    ]
    lines = [f"| {' | '.join(heads)} |", f"| --- |{' ---: |' * (len(heads) - 1)}"]
    for edit, found in costs.items():
        budget = f"{edit.budget:g} s" if edit.budget else ""
        cells = [cell for side in sides for cell in found[side.name].cells()]
        lines.append(f"| {' | '.join([edit.name, budget, *cells])} |")
    return lines


def over_budget(costs: dict[Edit, dict[str, Cost]]) -> list[str]:
    """Name the edits whose build took the front end longer than its budget."""
    return [
        edit.name
        for edit, found in costs.items()
        if edit.budget and median(found[FrontEnd.name].seconds) > edit.budget
    ]


def main() -> int:
    """Measure and print; return 1 when an edit is over its budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2, help="number of parallel jobs (default 2)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of all edits (default 3)")
    parser.add_argument(
        "--only", default="", metavar="PATTERN", help="only edits whose name matches"
    )
    parser.add_argument("--docs", type=Path, help="insert the table into this file")
    options = parser.parse_args()
    if options.docs and marks_missing(options.docs.read_text(), [MARK]):
        sys.exit(f"{options.docs} has no markers for the table {MARK}")
    cores = len(os.sched_getaffinity(0))
    print(f"{platform.machine()}, {cores} cores, {options.jobs} jobs; {unset_note()}\n")
    folder = Path(tempfile.mkdtemp(prefix="edit-bench-"))
    checkouts: list[Checkout] = []
    try:
        for number in range(2):
            (folder / str(number)).mkdir()
            checkouts.append(Checkout(folder / str(number), options.jobs, cached=True))
        sides: list[Side] = [FrontEnd(checkouts[0]), PlainNinja(checkouts[1])]
        for side in sides:
            side.first()
            side.checkout.variables["CCACHE_DISABLE"] = "1"
            side.again()
        costs = measure(sides, options.rounds, options.only)
    finally:
        for checkout in checkouts:
            checkout.remove()
        shutil.rmtree(folder, ignore_errors=True)
    lines = render(costs, sides)
    print("", *lines, sep="\n")
    if options.docs:
        options.docs.write_text(put_table(options.docs.read_text(), MARK, "\n".join(lines)))
    late = over_budget(costs)
    print(*(f"over budget: {name}" for name in late), sep="\n")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
