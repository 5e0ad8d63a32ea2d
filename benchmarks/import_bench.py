"""Measures the cost of `import torch` over bare Python: median milliseconds and resident memory.

    python benchmarks/import_bench.py [--rounds 21] [--check]

It also measures real PyTorch if TORCH_PEER names its Python. Bytecode is present: one import
warms it up before the timed ones.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from statistics import median

from peer import clean_environment, unset_note

BUDGET_MILLISECONDS = 45.0
BUDGET_MEGABYTES = 12.0
PROBE = """
import sys, time
def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096
before = resident(); start = time.perf_counter()
{statement}
print(time.perf_counter() - start, resident() - before)
"""


def measure(python: str, statement: str, rounds: int, path: str = "") -> tuple[float, float]:
    """Return the median milliseconds and megabytes that a statement adds to a fresh interpreter."""
    environment = clean_environment()
    environment.pop("PYTHONPATH", None)
    if path:
        environment["PYTHONPATH"] = path
    times, sizes = [], []
    for turn in range(rounds + 1):
        output = subprocess.run(
            [python, "-c", PROBE.format(statement=statement)],
            env=environment,
            cwd="/",
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        seconds, size = output.split()
        if turn:  # the first run writes bytecode and fills the page cache
            times.append(float(seconds) * 1e3)
            sizes.append(float(size) / 1e6)
    return median(times), median(sizes)


def main() -> int:
    """Measure and print; with --check, return 1 if over budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--check", action="store_true", help="exit with 1 if over budget")
    options = parser.parse_args()
    print(unset_note())
    ours = measure(sys.executable, "import torch", options.rounds, os.environ.get("PYTHONPATH", ""))
    print(f"import torch (Torchsmith): {ours[0]:7.1f} ms {ours[1]:7.1f} MB")
    if peer := os.environ.get("TORCH_PEER"):
        theirs = measure(peer, "import torch", options.rounds)
        print(f"import torch (PyTorch):    {theirs[0]:7.1f} ms {theirs[1]:7.1f} MB")
    print(f"budget:                    {BUDGET_MILLISECONDS:7.1f} ms {BUDGET_MEGABYTES:7.1f} MB")
    good = ours[0] <= BUDGET_MILLISECONDS and ours[1] <= BUDGET_MEGABYTES
    return 1 if options.check and not good else 0


if __name__ == "__main__":
    sys.exit(main())
