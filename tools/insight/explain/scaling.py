"""`explain scaling`: what more workers would bring, by simulating the build with measured times.

The model: this machine preprocesses every compilation and sends it over one network link; a free slot of
a worker compiles it; links and other commands, and compilations for CUDA, stay here. Jobs start in order of
the longest path that depends on them. Workers are as fast as this machine.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from tools.base.cmake_text import read_cache
from tools.base.errors import usage_error
from tools.base.ninja_log import last_durations
from tools.base.process import run
from tools.setup_helpers.env.request import PACKAGE
from tools.setup_helpers.ninja.build_graph import BuildGraph, read_graph
from tools.setup_helpers.ninja.limits import usable_cores

from ..profile.compile_commands import CompileCommand, read_commands
from ..report.jobs import Classifier, Kind, critical_path
from ..report.report import read_document
from . import Question
from .outlook import ninja_of
from .simulation import Schedule, Simulation, Task

_SAMPLED = 5
_LIMITS = {
    "local": "the jobs of this machine",
    "network": "the network",
    "remote": "the workers",
    "": "the critical path",
}


@dataclass(frozen=True)
class Site:
    """What a build can use."""

    jobs: int
    slots: int
    """Compilations at once on all workers; 0 if everything runs on this machine."""
    bytes_per_second: float


@dataclass(frozen=True)
class Preprocessing:
    """The part of one compilation that cannot leave this machine; medians of a sample."""

    files: int
    seconds: float
    bytes: int
    """Size of the preprocessed source, compressed as it is sent."""


def tasks_of(
    graph: BuildGraph,
    durations: Mapping[str, float],
    remote: Mapping[str, int],
    preprocessing: Preprocessing,
    site: Site,
) -> Iterator[Task]:
    """Yield the commands of the graph. `remote` holds the objects that a worker can compile, and their size."""
    for edge in graph.edges:
        if not edge.outputs:
            continue
        first, *others = edge.outputs
        seconds = max(durations.get(output, 0.0) for output in edge.outputs)
        phases: list[tuple[str, float]] = [("local", seconds)] if seconds else []
        if site.slots and first in remote and seconds > preprocessing.seconds:
            sent = (preprocessing.bytes + remote[first]) / site.bytes_per_second
            compiling = seconds - preprocessing.seconds
            phases = [("local", preprocessing.seconds), ("network", sent), ("remote", compiling)]
        yield Task(first, tuple(phases), (*edge.inputs, *edge.order_only))
        yield from (Task(output, (), (first,)) for output in others)


def simulate(
    graph: BuildGraph,
    durations: Mapping[str, float],
    remote: Mapping[str, int],
    preprocessing: Preprocessing,
    site: Site,
) -> Schedule:
    """Return the schedule of all commands of the graph at a site."""
    tasks = list(tasks_of(graph, durations, remote, preprocessing, site))
    capacity = {"local": site.jobs, "network": 1, "remote": max(1, site.slots)}
    return Simulation(tasks, capacity).run()


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise usage_error(f"explain scaling: {message}", hint=self.format_usage().strip())


def _numbers(text: str) -> list[int]:
    words = text.split(",")
    if not all(word.isdecimal() and int(word) > 0 for word in words):
        message = f"expected whole numbers from 1, separated by commas, not {text!r}"
        raise argparse.ArgumentTypeError(message)
    return [int(word) for word in words]


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, not {text!r}")
    return int(text)


def _parser() -> _Parser:
    parser = _Parser(prog="setup.py explain scaling", add_help=False, allow_abbrev=False)
    parser.add_argument("--workers", type=_numbers, default=[2, 8, 32, 100], metavar="N[,N...]")
    parser.add_argument("--slots", type=_number, default=usable_cores(), metavar="PER_WORKER")
    parser.add_argument("--jobs", type=_number, default=usable_cores(), metavar="HERE")
    parser.add_argument("--network", type=_number, default=1000, metavar="MEGABIT")
    return parser


def explain_scaling(question: Question) -> str:
    """Return a table of predicted times for each number of workers."""
    asked = _parser().parse_args(list(question.words))
    build_dir = question.build_dir
    durations = last_durations(build_dir)
    graph = read_graph(ninja_of(build_dir), build_dir, PACKAGE)
    classify = Classifier.of(question.config, graph)
    compiled = [
        edge.outputs[0]
        for edge in graph.edges
        if edge.outputs and classify(edge.outputs[0])[0] is Kind.COMPILE
    ]
    if not compiled or not all(output in durations for output in compiled):
        return (
            f"Not everything was built in {build_dir} yet, so there are no times to predict from."
        )
    commands = read_commands(build_dir)
    preprocessing = _measure(commands, durations)
    remote = {name: _size(build_dir / name) for name in compiled if name in commands}
    network = asked.network * 1e6 / 8

    def predict(workers: int) -> Schedule:
        site = Site(asked.jobs, workers * asked.slots, network)
        return simulate(graph, durations, remote, preprocessing, site)

    alone = predict(0)
    lines = [*_facts(graph, classify, durations, preprocessing, build_dir), ""]
    lines.append(f"{'workers':>7} {'slots':>6} {'seconds':>8} {'speed-up':>9}  limited by")
    for workers in (0, *asked.workers):
        then = predict(workers) if workers else alone
        lines.append(
            f"{workers or 'none':>7} {workers * asked.slots or '':>6} {then.seconds:>8.0f}"
            f" {alone.seconds / then.seconds:>9.1f}  {_LIMITS[then.limit]}"
        )
    here = f"{asked.jobs} jobs here, {asked.slots} slots per worker, {asked.network} Mbit/s"
    return "\n".join([*lines, "", f"Assumed: {here}. Change them: --jobs, --slots, --network."])


def _facts(
    graph: BuildGraph,
    classify: Classifier,
    durations: Mapping[str, float],
    preprocessing: Preprocessing,
    build_dir: Path,
) -> Iterator[str]:
    known = {edge.outputs[0]: edge for edge in graph.edges if edge.outputs}
    work: defaultdict[Kind, float] = defaultdict(float)
    for output in known:
        work[classify(output)[0]] += durations.get(output, 0.0)
    yield (
        f"{len(known)} commands took {work[Kind.COMPILE]:.0f} s to compile,"
        f" {work[Kind.LINK]:.1f} s to link and {work[Kind.COMMAND]:.1f} s for the rest,"
        " when they last ran."
    )
    path = critical_path(graph, durations)
    names = " -> ".join(Path(output).name for output in path)
    yield f"The critical path takes {sum(durations[output] for output in path):.1f} s: {names}"
    yield (
        f"Preprocessing takes {preprocessing.seconds:.2f} s and sends"
        f" {preprocessing.bytes / 1024:.0f} KB per file (median of {preprocessing.files})."
    )
    if steps := _before_ninja(read_document(build_dir)):
        yield f"The last build took another {steps:.1f} s outside Ninja, which no worker shortens."
    if read_cache(build_dir).get("COMPILER_CACHE_IN_USE"):
        yield (
            "A compiler cache is in use, so some times may be those of a hit. For true ones, build once"
            " with COMPILER_CACHE=none in another BUILD_DIR, and ask there."
        )


def _before_ninja(document: Mapping[str, Any]) -> float:
    steps = document.get("steps", [])
    return sum((float(step["seconds"]) for step in steps if step["name"] != "build"), 0.0)


def _measure(
    commands: Mapping[str, CompileCommand], durations: Mapping[str, float]
) -> Preprocessing:
    """Preprocess a few files, from a quick one to a slow one."""
    by_time = sorted(commands, key=lambda output: durations.get(output, 0.0))
    places = {round((i + 0.5) * len(by_time) / _SAMPLED - 0.5) for i in range(_SAMPLED)}
    seconds, sizes = [], []
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "preprocessed"
        for command in (commands[by_time[place]] for place in sorted(places)):
            start = time.perf_counter()
            finished = run(command.line("-E", "-o", str(text)), cwd=command.folder)
            if finished.code == 0:
                seconds.append(time.perf_counter() - start)
                sizes.append(len(zlib.compress(text.read_bytes(), 1)))
    if not seconds:
        return Preprocessing(0, 0.0, 0)
    return Preprocessing(len(seconds), statistics.median(seconds), round(statistics.median(sizes)))


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
