"""Times the code generator on PyTorch's own operator files, next to PyTorch's generator.

    TORCH_PEER=/path/to/python python benchmarks/codegen_bench.py [--rounds 3] [--json FILE]
                                                                  [--check] [--all-stages]

The files (native_functions.yaml, tags.yaml, derivatives.yaml) come from the peer's wheel, copied
for each side. The peer runs as in PyTorch's build: `torchgen.gen --per-operator-headers`, then one
process for autograd and Python bindings. Each side writes everything that it normally writes: the
peer also functionalization, view metaclasses, `Everything` files and Declarations.yaml; ours also a
header per key and operator. Every run is a process of its own, timed from its start. The sides
alternate.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import tomllib

from codegen_sides import Inputs, Ours, Peer, Run, Side, packaged, replicate
from peer import require_peer, unset_note

ROWS = Path(__file__).with_name("codegen_rows.toml")


@dataclass(frozen=True)
class Measured:
    """Medians of one row for one side."""

    row: str
    side: str
    seconds: float
    cpu_seconds: float
    megabytes: float
    written: int


def measure(sides: list[Side], rows: list[dict], rounds: int) -> list[Measured]:
    """Run every row in every round, alternating the sides, after a full warm-up run of each."""
    runs: dict[tuple[str, str], list[Run]] = {}
    originals = {side.name: _texts(side.inputs) for side in sides}
    for side in sides:
        side.run()
    for turn in range(rounds):
        for side in sides:
            _restore(side.inputs, originals[side.name])
        for row in rows:
            for side in sides:
                if row.get("fresh"):
                    side.clear()
                side.inputs.edit(row["edit"], turn)
                runs.setdefault((row["name"], side.name), []).append(side.run())
    return [_medians(row, side, taken) for (row, side), taken in runs.items()]


def _texts(inputs: Inputs) -> dict[Path, str]:
    paths = (inputs.native_functions, inputs.derivatives)
    return {path: path.read_text() for path in paths}


def _restore(inputs: Inputs, texts: dict[Path, str]) -> None:
    for path, text in texts.items():
        path.write_text(text)


def _medians(row: str, side: str, runs: list[Run]) -> Measured:
    return Measured(
        row,
        side,
        median(run.seconds for run in runs),
        median(run.cpu_seconds for run in runs),
        max(run.megabytes for run in runs),
        max(run.written for run in runs),
    )


def linearity(folder: Path, originals: Path, rounds: int) -> list[Measured]:
    """Time full runs of our generator on 1, 2 and 4 times the operators."""
    measured = []
    for times in (1, 2, 4):
        inputs = _copied(originals, folder / f"times{times}")
        replicate(inputs, times)
        side = Ours("Torchsmith", inputs, folder / f"out{times}")
        rows = [{"name": f"full, {times}x operators", "edit": "nothing", "fresh": True}]
        measured += measure([side], rows, rounds)
    return measured


def _copied(originals: Path, folder: Path) -> Inputs:
    shutil.copytree(originals, folder)
    return Inputs(folder)


def report(table: dict, measured: list[Measured], scales: list[Measured]) -> bool:
    """Print the tables and return whether every budget is met."""
    budgets = table["budgets"]
    by_key = {(m.row, m.side): m for m in measured}
    good = True
    print(f"{'':22}{'Torchsmith':>26}{'PyTorch':>26}{'times':>8}{'budget':>8}")
    print(f"{'':22}{'wall s   CPU s   MB files':>26}{'wall s   CPU s   MB files':>26}")
    for row in table["row"]:
        ours, theirs = by_key[row["name"], "Torchsmith"], by_key.get((row["name"], "PyTorch"))
        kept = ours.seconds <= row["seconds"] and ours.written <= row.get("files", ours.written)
        kept &= ours.megabytes <= budgets["megabytes"]
        ratio = f"{theirs.seconds / ours.seconds:7.1f}x" if theirs else ""
        good &= kept
        columns = f"{_columns(ours):>26}{_columns(theirs) if theirs else '':>26}"
        print(f"{row['name']:22}{columns}{ratio:>8}{row['seconds']:8.2f}{'' if kept else '  OVER'}")
    for scale in scales:
        print(f"{scale.row:22}{_columns(scale):>26}")
    growth = scales[-1].cpu_seconds / scales[0].cpu_seconds / 4
    linear = growth <= budgets["linear"]
    print(f"CPU time for each operator at 4x, over 1x: {growth:.2f}{'' if linear else '  OVER'}")
    print(f"memory budget: {budgets['megabytes']} MB")
    return good and linear


def _columns(one: Measured) -> str:
    return f"{one.seconds:6.2f} {one.cpu_seconds:7.2f} {one.megabytes:4.0f} {one.written:5}"


def main() -> int:
    """Measure and print; with --check, return 1 if a budget is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument(
        "--all-stages", action="store_true", help="also write what is off by default"
    )
    parser.add_argument("--alone", action="store_true", help="run only our generator")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a budget is missed")
    options = parser.parse_args()
    table = tomllib.loads(ROWS.read_text())
    peer = require_peer()
    originals = packaged(peer)
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}")
    print(f"{unset_note()}; medians of {options.rounds} rounds after a full run to warm up")
    with tempfile.TemporaryDirectory(prefix="codegen_bench.") as name:
        folder = Path(name)
        inputs = _copied(originals, folder / "ours")
        ours = Ours("Torchsmith", inputs, folder / "ours.out", all_stages=options.all_stages)
        sides: list[Side] = [ours]
        if not options.alone:
            sides.append(Peer(peer, _copied(originals, folder / "peer"), folder / "peer.out"))
        measured = measure(sides, table["row"], options.rounds)
        scales = linearity(folder, originals, max(1, options.rounds // 2))
    good = report(table, measured, scales)
    if options.json:
        records = [asdict(one) for one in (*measured, *scales)]
        options.json.write_text(json.dumps(records, indent=1) + "\n")
    return 1 if options.check and not good else 0


if __name__ == "__main__":
    sys.exit(main())
