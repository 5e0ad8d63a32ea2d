"""Times CUDA operators next to PyTorch on a GPU, and relates them to a device copy and to the peak.

    TORCH_PEER=/path/to/python python benchmarks/cuda_bench.py [--only REGEX] [--rounds N] [--json FILE]
    python benchmarks/cuda_bench.py --check     runs every row once, small, on any CUDA device

A time is that of one of many calls in a row, after which the host waits once. Bandwidths are shown as
a share of what a copy within the device reaches, products as a share of the device's peak.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomllib

from peer import Row, Timing, Worker, compare, require_peer, unset_note

HERE = Path(__file__).parent
CALLS = 20  # before the host waits
EMULATED = "Emulated"


@dataclass(frozen=True)
class CudaRow:
    """One call with its family, and what it moves or computes."""

    family: str
    call: str
    setup: str
    bytes: float = 0.0
    flops: float = 0.0
    dtype: str = "float32"

    def burst(self) -> Row:
        """Return the row that times CALLS calls and one wait."""
        setup = f"{self.setup}\ndef burst():\n    for _ in range({CALLS}):\n        {self.call}\n"
        return Row(
            self.call,
            f"{setup}    torch.cuda.synchronize()\n",
            "burst()",
            milliseconds=100.0,
        )


def rows(table: dict[str, Any], size: str) -> Iterator[CudaRow]:
    """Yield every row at a size of the table."""
    sizes = table["sizes"][size]
    head = "; ".join(f"{name} = {value}" for name, value in sizes.items())
    for family, spec in table["families"].items():
        for row in spec["rows"]:
            yield CudaRow(
                family,
                row["call"],
                f"{head}\n{spec['setup']}",
                float(eval(row.get("bytes", "0"), dict(sizes))),
                float(eval(row.get("flops", "0"), dict(sizes))),
                row.get("dtype", "float32"),
            )


def device_name() -> str:
    """Return the GPU's name, or exit with what is missing and what to do."""
    import torch

    if not torch.backends.cuda.is_built():
        sys.exit(
            "This torch was built without CUDA. Build it with USE_CUDA=1 on a machine with a GPU "
            "(docs/cuda.md), and run this again there."
        )
    if not torch.cuda.is_available():
        sys.exit(
            "This torch has CUDA, but found no GPU: the driver is missing, or CUDA_VISIBLE_DEVICES "
            "hides the devices. Nothing was measured."
        )
    return torch.cuda.get_device_name(0)


def check(chosen: list[CudaRow]) -> int:
    """Run each row once; print those that fail, and return how many there are."""
    import torch

    failed = 0
    for row in chosen:
        names: dict[str, Any] = {"torch": torch}
        try:
            exec(row.setup, names)
            exec(row.call, names)
            torch.cuda.synchronize()
        except Exception as error:
            failed += 1
            print(f"{row.family}: {row.call}: {type(error).__name__}: {error}")
    print(f"{len(chosen)} rows, {failed} failed")
    return failed


def rate(row: CudaRow, nanoseconds: float, copy: float, peaks: dict[str, float]) -> str:
    """Return a row's rate and its share of the copy's bandwidth or of the peak."""
    if row.bytes:
        speed = row.bytes / nanoseconds
        share = f" {speed / copy:4.0%} of a copy" if copy else ""
        return f"{speed:8.0f} GB/s{share}"
    if row.flops:
        speed = row.flops / nanoseconds / 1e3
        peak = peaks.get(row.dtype)
        return f"{speed:8.1f} TFLOP/s" + (f" {speed / peak:4.0%} of the peak" if peak else "")
    return ""


def measure(chosen: list[CudaRow], peaks: dict[str, float], rounds: int) -> list[dict[str, Any]]:
    """Time the rows on both sides, printing each when it is done."""
    ours, theirs = Worker(sys.executable, str(HERE.parent)), Worker(require_peer())
    results, copy = [], 0.0
    for row in chosen:
        timing: Timing = compare(ours, theirs, row.burst(), rounds)
        if timing.error:
            print(f"  {'failed':>26}  {row.family:16} {row.call}: {timing.error}")
            continue
        mine, peer = timing.ours / CALLS, timing.theirs / CALLS
        if row.family == "copy":
            copy = row.bytes / mine
        shown = rate(row, mine, copy, peaks)
        print(
            f"  {mine / 1e3:9.2f} us {peer / 1e3:9.2f} us {mine / peer:5.2f}  "
            f"{row.family:16} {row.call}  {shown}",
            flush=True,
        )
        results.append(
            {
                "family": row.family,
                "call": row.call,
                "ours_ns": mine,
                "peer_ns": peer,
                "rate": shown,
            }
        )
    ours.close()
    theirs.close()
    return results


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="rows whose family or call match")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--check", action="store_true", help="only run each row once, small")
    options = parser.parse_args()
    table = tomllib.loads((HERE / "cuda_rows.toml").read_text(encoding="utf-8"))
    name = device_name()
    kept = re.compile(options.only)
    chosen = [
        row
        for row in rows(table, "check" if options.check else "full")
        if kept.search(row.family) or kept.search(row.call)
    ]
    if options.check:
        return 1 if check(chosen) else 0
    if EMULATED in name:
        sys.exit(f"{name} has no speed to measure. --check runs every row on it.")
    print(f"{name}; {unset_note()}; ours, PyTorch's, ratio")
    peaks = next((rates for part, rates in table["peaks"].items() if part in name), {})
    results = measure(chosen, peaks, options.rounds)
    if options.json:
        options.json.write_text(json.dumps({"device": name, "rows": results}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
