"""Measures the bytes of memory that a small tensor takes, data and Python object included.

    python benchmarks/memory_bench.py [--count 200000] [--check]

Each row keeps many tensors of one kind alive, in a process of its own, and divides the growth of
resident memory by their number. It also measures real PyTorch if TORCH_PEER names its Python.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

from peer import clean_environment, unset_note

ROWS = {
    "a number": "torch.zeros(())",
    "4 floats": "torch.zeros(4)",
    "10 floats": "torch.zeros(10)",
    "16 floats": "torch.zeros(16)",
    "64 floats": "torch.zeros(64)",
    "200 floats": "torch.zeros(200)",
    "a leaf of 4 floats": "torch.zeros(4, requires_grad=True)",
    "a parameter of 4 floats": "torch.nn.Parameter(torch.zeros(4))",
    "a row of a matrix": "matrix[1]",
    "a result with a gradient": "leaf * 2",
}
BUDGET_BYTES = {"a number": 400, "4 floats": 400, "10 floats": 400}
PROBE = """
import gc, torch
def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096
matrix = torch.zeros(64, 64)
leaf = torch.zeros(4, requires_grad=True)
make = lambda: {expression}
recycled = [make() for _ in range(2000)]  # what free lists hold is no part of a tensor
gc.collect()
kept = [None] * {count}
before = resident()
for i in range({count}):
    kept[i] = make()
print((resident() - before) / {count})
"""


def measure(python: str, expression: str, count: int, path: str = "") -> float:
    """Return the bytes of resident memory that one of `count` live tensors takes."""
    environment = clean_environment()
    environment.pop("PYTHONPATH", None)
    if path:
        environment["PYTHONPATH"] = path
    output = subprocess.run(
        [python, "-c", PROBE.format(expression=expression, count=count)],
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return float(output)


def main() -> int:
    """Measure and print; with --check, return 1 if a row is over its budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--check", action="store_true", help="exit with 1 if over budget")
    options = parser.parse_args()
    print(unset_note())
    peer = os.environ.get("TORCH_PEER")
    print(f"{'bytes per tensor':26} {'Torchsmith':>10}" + (f" {'PyTorch':>9}" if peer else ""))
    good = True
    for name, expression in ROWS.items():
        ours = measure(sys.executable, expression, options.count, os.environ.get("PYTHONPATH", ""))
        line = f"{name:26} {ours:10.0f}"
        if peer:
            line += f" {measure(peer, expression, options.count):9.0f}"
        budget = BUDGET_BYTES.get(name)
        if budget and ours > budget:
            line += f"  over the budget of {budget}"
            good = False
        print(line, flush=True)
    return 1 if options.check and not good else 0


if __name__ == "__main__":
    sys.exit(main())
