"""Times operators next to PyTorch and checks the result against the budgets of op_rows.toml.

    TORCH_PEER=/path/to/python python benchmarks/op_bench.py [--small] [--large] [--only REGEX]
        [--training] [--rounds N] [--json FILE] [--docs docs/benchmarks.md] [--check]

Every ratio is our time over PyTorch's, medians of alternating bursts in one run. The share after it
is that of this machine's limit, measured in the same run: the least time that moving the operands
and results once or computing the products takes, over ours. By default it times all tables; --docs
inserts them into the file at their markers.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Iterator
from math import inf, isnan, isqrt, nan
from pathlib import Path
from typing import Any

import tomllib
from limits import Limits, describe, measure

from documents import marks_missing, put_table
from op_tables import (
    FORMS,
    Results,
    by_family,
    geometric_mean,
    over_budget,
    verdict,
)
from peer import Row, Timing, Worker, compare, require_peer, unset_note

HERE = Path(__file__).parent


def small_rows(table: dict[str, Any]) -> Iterator[tuple[str, Row]]:
    """Yield the small rows with their families."""
    for family, calls in table["rows"].items():
        for call in calls:
            yield family, Row(call, table["setup"], call)


def large_rows(table: dict[str, Any]) -> Iterator[tuple[str, Row]]:
    """Yield every large row at every size and thread count; out= rows form their own families."""
    for family, spec in table["families"].items():
        for size in spec.get("sizes", table["sizes"]):
            head = f"N = {size}; R = {max(1, size // 1024)}; S = {isqrt(size)}; "
            for kind in ("alloc", "out"):
                for call in spec.get(kind, []):
                    for threads in table["threads"]:
                        name = f"{call}  N={size} threads={threads}"
                        setup = head + spec["setup"]
                        yield f"{family} {kind}", Row(name, setup, call, threads, 20.0)


def training_rows(table: dict[str, Any]) -> Iterator[tuple[str, Row]]:
    """Yield a whole training step of each model, at every thread count."""
    for model, spec in table["rows"].items():
        for threads in table["threads"]:
            setup = table["setup"] + spec["setup"]
            yield model, Row(f"{model} threads={threads}", setup, spec["call"], threads, 200.0)


def share(timing: Timing, limits: dict[int, Limits]) -> float:
    """Return the share of the machine's limit that a row reaches; NaN where it is unknown."""
    limit = limits.get(timing.row.threads)
    if timing.work is None or limit is None or not timing.ours:
        return nan
    return limit.seconds(timing.work) * 1e9 / timing.ours


def run(
    rows: list[tuple[str, Row]],
    ours: Worker,
    theirs: Worker,
    rounds: int,
    limits: dict[int, Limits],
) -> Results:
    """Time all rows, printing each when it is done."""
    results: Results = []
    for family, row in rows:
        timing = compare(ours, theirs, row, rounds)
        results.append((family, timing))
        if timing.error:
            print(f"  {'failed':>35}  {family:20} {row.name}: {timing.error}")
        else:
            print(
                f"  {timing.ours / 1e3:11.3f} us {timing.theirs / 1e3:11.3f} us {timing.ratio:6.2f}"
                f" {share(timing, limits):5.0%}  {family:20} {row.name}",
                flush=True,
            )
    return results


def holds(title: str, results: Results, mean: float, worst: float) -> bool:
    """Return whether a table meets its budgets.

    No row may exceed `worst`, and the mean of every family, or of all small rows together, must be
    at most `mean`.
    """
    timed = [timing for _, timing in results if not timing.error]
    groups = [timed] if title == "small" else list(by_family(results).values())
    means = [geometric_mean([t.ratio for t in group if not t.error] or [inf]) for group in groups]
    return len(timed) == len(results) and not over_budget(results, worst) and max(means) <= mean


def processor() -> str:
    """Return the processor's name, as the kernel reports it."""
    named = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return named[1].strip() if named else platform.machine()


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="time only the small rows")
    parser.add_argument("--large", action="store_true", help="time only the large rows")
    parser.add_argument("--training", action="store_true", help="time only the training steps")
    parser.add_argument(
        "--only",
        default="",
        help="time only rows whose family or name matches this regular expression",
    )
    parser.add_argument("--rounds", type=int, help="bursts per side and row")
    parser.add_argument("--json", type=Path, help="write every timing here")
    parser.add_argument("--docs", type=Path, help="insert the tables into this file")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a budget is exceeded")
    return parser.parse_args()


def main() -> int:
    """Time the requested rows and report."""
    options = arguments()
    table = tomllib.loads((HERE / "op_rows.toml").read_text())
    budgets = table["budgets"]
    theirs = Worker(require_peer())
    ours = Worker(sys.executable, os.environ.get("PYTHONPATH"))
    versions = {}
    for side, worker in (("Torchsmith", ours), ("PyTorch", theirs)):
        about = worker.ask(do="version")
        versions[side] = about.get("version") or sys.exit(f"{side}: {about['error']}")
    where = f"{processor()}, {os.cpu_count()} cores; PyTorch {versions['PyTorch']}"
    print(f"Torchsmith {versions['Torchsmith']} on {where}; {unset_note()}")
    counts = sorted({1, *table["large"]["threads"], *table["training"]["threads"]})
    limits = measure(counts)
    print(describe(limits))
    everything: Results = []
    good = True
    tables = {
        "small": small_rows(table["small"]),
        "large": large_rows(table["large"]),
        "training": training_rows(table["training"]),
    }
    requested = [title for title in tables if getattr(options, title)] or list(tables)
    if options.docs and (missing := marks_missing(options.docs.read_text(), requested)):
        sys.exit(f"{options.docs} has no markers for these tables: {', '.join(missing)}")
    for title in requested:
        rows = tables[title]
        chosen = [r for r in rows if re.search(options.only, f"{r[0]} {r[1].name}")]
        if not chosen:
            continue
        print(f"\n{title}: ours, PyTorch's, ratio, share of the limit")
        results = run(chosen, ours, theirs, options.rounds or table["rounds"][title], limits)
        mean, worst = budgets[f"{title}_geomean"], budgets[f"{title}_worst"]
        text = f"{FORMS[title](results)}\n\n{verdict(results, worst)} Measured on {where}."
        print(f"\n{text}")
        if options.docs:
            options.docs.write_text(put_table(options.docs.read_text(), title, text))
        good &= holds(title, results, mean, worst)
        everything += results
    ours.close()
    theirs.close()
    if options.json:
        record = [
            {
                "family": family,
                "row": t.row.name,
                "ours_ns": t.ours,
                "peer_ns": t.theirs,
                "share": None if isnan(share(t, limits)) else share(t, limits),
                "error": t.error,
            }
            for family, t in everything
        ]
        options.json.write_text(json.dumps(record, indent=1))
    return 1 if options.check and not good else 0


if __name__ == "__main__":
    sys.exit(main())
