"""Times operators beside PyTorch and holds the result against the budgets of op_rows.toml.

    TORCH_PEER=/path/to/python python benchmarks/op_bench.py [--small] [--large] [--only REGEX]
        [--training] [--rounds 7] [--json FILE] [--check]

Every ratio is our time over PyTorch's, medians of alternating bursts in one run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from math import exp, isqrt, log
from pathlib import Path
from typing import Any

import tomllib

from peer import Row, Timing, Worker, compare, require_peer, unset_note

HERE = Path(__file__).parent


def small_rows(table: dict[str, Any]) -> Iterator[tuple[str, Row]]:
    """The small rows with their families."""
    for family, calls in table["rows"].items():
        for call in calls:
            yield family, Row(call, table["setup"], call)


def large_rows(table: dict[str, Any]) -> Iterator[tuple[str, Row]]:
    """Every large row at every size and thread count; out= rows form families of their own."""
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
    """A whole step of each model, at every thread count."""
    for model, spec in table["rows"].items():
        for threads in table["threads"]:
            setup = table["setup"] + spec["setup"]
            yield model, Row(f"{model} threads={threads}", setup, spec["call"], threads, 200.0)


def geometric_mean(ratios: list[float]) -> float:
    """Of positive numbers."""
    return exp(sum(map(log, ratios)) / len(ratios))


def run(rows: list[tuple[str, Row]], ours: Worker, theirs: Worker, rounds: int) -> list[Any]:
    """Time all rows, printing each as it is done."""
    results = []
    for family, row in rows:
        timing = compare(ours, theirs, row, rounds)
        results.append((family, timing))
        if timing.error:
            print(f"  {'failed':>30}  {family:20} {row.name}: {timing.error}")
        else:
            print(
                f"  {timing.ours / 1e3:11.3f} us {timing.theirs / 1e3:11.3f} us {timing.ratio:6.2f}"
                f"  {family:20} {row.name}",
                flush=True,
            )
    return results


def summarise(title: str, results: list[tuple[str, Timing]], mean: float, worst: float) -> bool:
    """Print a family table and the rows over budget; whether the budgets hold."""
    families: dict[str, list[Timing]] = defaultdict(list)
    for family, timing in results:
        families[family].append(timing)
    print(f"\n{title}: our time / PyTorch's (budget: mean {mean:.2f}, worst {worst:.2f})")
    print(f"| {'family':24} | rows | mean | worst |  slowest row\n|---|---|---|---|---|")
    good = True
    for family, timings in families.items():
        timed = [timing for timing in timings if not timing.error]
        good &= len(timed) == len(timings)
        if timed:
            slowest = max(timed, key=lambda timing: timing.ratio)
            average = geometric_mean([timing.ratio for timing in timed])
            print(
                f"| {family:24} | {len(timed):4} | {average:4.2f} | {slowest.ratio:5.2f} |"
                f" `{slowest.row.name}` |"
            )
    timed = [timing for _, timing in results if not timing.error]
    if not timed:
        return False
    overall = geometric_mean([timing.ratio for timing in timed])
    over = sorted((t for t in timed if t.ratio > worst), key=lambda t: -t.ratio)
    print(f"all {len(timed)} rows: mean {overall:.2f}; {len(over)} over {worst:.2f}")
    for timing in over:
        print(f"  {timing.ratio:5.2f}  {timing.row.name}")
    if title == "small":
        return good and not over and overall <= mean
    means = [
        geometric_mean([t.ratio for t in f if not t.error] or [9.0]) for f in families.values()
    ]
    return good and not over and max(means) <= mean


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="only the small rows")
    parser.add_argument("--large", action="store_true", help="only the large rows")
    parser.add_argument("--training", action="store_true", help="only the training steps")
    parser.add_argument("--only", default="", help="regular expression on family and row")
    parser.add_argument("--rounds", type=int, default=7, help="bursts per side and row")
    parser.add_argument("--json", type=Path, help="write every timing here")
    parser.add_argument("--check", action="store_true", help="exit 1 when a budget is broken")
    return parser.parse_args()


def main() -> int:
    """Run what was asked for and report."""
    options = arguments()
    table = tomllib.loads((HERE / "op_rows.toml").read_text())
    budgets = table["budgets"]
    theirs = Worker(require_peer())
    ours = Worker(sys.executable, os.environ.get("PYTHONPATH"))
    for side, worker in (("ours", ours), ("peer", theirs)):
        about = worker.ask(do="version")
        print(f"{side}: {about.get('version')} {about.get('error', '')}")
    print(f"machine: {platform.machine()}, {os.cpu_count()} cores; {unset_note()}")
    everything: list[tuple[str, Timing]] = []
    good = True
    tables = {
        "small": small_rows(table["small"]),
        "large": large_rows(table["large"]),
        "training": training_rows(table["training"]),
    }
    asked = [title for title in tables if getattr(options, title)] or list(tables)
    for title in asked:
        rows = tables[title]
        chosen = [r for r in rows if re.search(options.only, f"{r[0]} {r[1].name}")]
        if not chosen:
            continue
        print(f"\n{title}: ours, PyTorch's, ratio")
        results = run(chosen, ours, theirs, options.rounds)
        good &= summarise(title, results, budgets[f"{title}_geomean"], budgets[f"{title}_worst"])
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
                "error": t.error,
            }
            for family, t in everything
        ]
        options.json.write_text(json.dumps(record, indent=1))
    return 1 if options.check and not good else 0


if __name__ == "__main__":
    sys.exit(main())
