"""Times the static runtime next to eager calls of the same modules, and counts the memory of results.

    python benchmarks/static_runtime_bench.py [--rounds 15] [--json FILE]

Both run in one process, in alternating rounds, with one thread; times are medians of process time,
so that other programs on the machine count little.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import torch
from peer import unset_note
from torch import nn
from torch.jit._static_runtime import StaticModule

CALLS = 30
"""Calls in each round."""


def _layers(width: int, depth: int) -> nn.Sequential:
    pairs = ((nn.Linear(width, width), nn.ReLU()) for _ in range(depth))
    return nn.Sequential(*(layer for pair in pairs for layer in pair)).eval()


def _convolutions() -> nn.Sequential:
    return nn.Sequential(
        *(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 3), nn.BatchNorm2d(32), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10)),
    )


ROWS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "6 layers of 16": (lambda: _layers(16, 6), (4, 16)),
    "6 layers of 256": (lambda: _layers(256, 6), (32, 256)),
    "2 convolutions": (_convolutions, (4, 3, 32, 32)),
}


def _seconds(call: Callable[[], object]) -> float:
    started = time.process_time()
    for _ in range(CALLS):
        call()
    return (time.process_time() - started) / CALLS


def measure(name: str, rounds: int) -> dict[str, object]:
    """Return the times in microseconds, and the bytes of the results with and without reuse."""
    torch.manual_seed(0)
    make, shape = ROWS[name]
    module, x = make(), torch.randn(shape)
    with torch.no_grad():
        module(x)  # sizes of lazy layers
        module.eval()
        static = StaticModule(module, (x,))
        torch.testing.assert_close(static(x), module(x))
        times = [(_seconds(lambda: static(x)), _seconds(lambda: module(x))) for _ in range(rounds)]
    ours, eager = (median(column) * 1e6 for column in zip(*times, strict=True))
    plan = static.plan
    return {"row": name, "static": ours, "eager": eager, "bytes": plan.size, "of": plan.unplanned}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(f"{unset_note()}; medians of {options.rounds} rounds of {CALLS} calls, one thread")
    print(
        f"{'':18}{'static us':>10}{'eager us':>10}{'ratio':>7}{'block KB':>10}{'unplanned KB':>14}"
    )
    found = [measure(name, options.rounds) for name in ROWS]
    for row in found:
        ratio = row["eager"] / row["static"]
        print(f"{row['row']:18}{row['static']:10.1f}{row['eager']:10.1f}{ratio:7.2f}", end="")
        print(f"{row['bytes'] / 1024:10.1f}{row['of'] / 1024:14.1f}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
