"""The whole profile of a tree: which files, with which compiler, put together."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from ..graph.cmake_cache import read_cache
from ..process import run
from ..reporting.source_paths import from_root
from ..tree.ninja_log import read_entries, slowest
from . import clang, gcc
from .compile_commands import CompileCommand, read_commands
from .costs import HeaderCost, Profile, TemplateCost
from .instances import copies_of_templates

MOST_HEADERS = 15
MOST_TEMPLATES = 20

_T = TypeVar("_T")


@dataclass(frozen=True)
class Subject:
    """The tree that is profiled."""

    root: Path
    build_dir: Path
    ninja: str
    jobs: int

    def path(self, path: str) -> str:
        """One name for a header, however a compiler spells it."""
        return from_root(path, self.root, self.build_dir)

    def each(
        self, work: Callable[[CompileCommand, Path], _T], commands: Iterable[CompileCommand]
    ) -> list[_T]:
        """The work for every command, as many at once as there are jobs, each with a folder of its own."""

        def alone(command: CompileCommand) -> _T:
            with tempfile.TemporaryDirectory(prefix="profile-") as scratch:
                return work(command, Path(scratch))

        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(alone, commands))


def profile_tree(subject: Subject, most_files: int) -> Profile:
    """Compiles the files that took longest once more; nothing in the tree changes."""
    commands = read_commands(subject.build_dir)
    timed = [e.output for e in slowest(read_entries(subject.build_dir)) if e.output in commands]
    chosen = [commands[output] for output in timed[:most_files]]
    if not chosen:
        return Profile()
    compiler = _describe(chosen[0].compiler)
    included_by = _included_by(subject, commands)
    with_compiler = _with_clang if "clang" in compiler.lower() else _with_gcc
    profile = with_compiler(subject, chosen, included_by)
    profile.compiler = compiler
    profile.files.sort(key=lambda file: -file.seconds)
    objects = [subject.build_dir / output for output in commands]
    nm = read_cache(subject.build_dir).get("CMAKE_NM", "nm")
    copies = copies_of_templates(nm, [path for path in objects if path.exists()])
    profile.templates = _dearest_templates(copies, profile.instantiations)
    return profile


def _dearest_templates(
    copies: Mapping[str, TemplateCost], seconds: Mapping[str, float]
) -> list[TemplateCost]:
    """By the compiler's seconds where it counts them, else by bytes."""
    nothing = TemplateCost("", 0, 0)
    costs = [
        replace(copies.get(name, nothing), name=name, seconds=seconds.get(name, 0.0))
        for name in {**seconds, **copies}
    ]
    return sorted(costs, key=lambda cost: (-cost.seconds, -cost.bytes, cost.name))[:MOST_TEMPLATES]


def _describe(compiler: str) -> str:
    return next(iter(run([compiler, "--version"]).output.splitlines()), compiler)


def _included_by(subject: Subject, commands: Mapping[str, CompileCommand]) -> Counter[str]:
    """Header -> how many objects were made with it, by what compilers told Ninja."""
    count: Counter[str] = Counter()
    wanted = False
    listed = run([subject.ninja, "-C", str(subject.build_dir), "-t", "deps"]).output
    for line in listed.splitlines():
        if not line.startswith(" "):
            wanted = line.partition(": #deps ")[0] in commands
        elif wanted:
            count[line.strip()] += 1
    merged: Counter[str] = Counter()
    for path, number in count.items():
        merged[subject.path(path)] += number
    return merged


def _with_gcc(
    subject: Subject, commands: Sequence[CompileCommand], included_by: Mapping[str, int]
) -> Profile:
    """Headers are measured one by one: those that sources include directly, the likely dearest."""
    compiled = subject.each(gcc.profile_file, commands)
    through: dict[str, tuple[int, CompileCommand]] = {}
    for (_, includes), command in zip(compiled, commands, strict=True):
        for header, size in gcc.bytes_through(includes, command.folder).items():
            if size > through.get(header, (0, command))[0]:
                through[header] = (size, command)
    weight = {h: size * included_by.get(subject.path(h), 1) for h, (size, _) in through.items()}
    likely = sorted(weight, key=lambda header: -weight[header])[:MOST_HEADERS]
    with ThreadPoolExecutor(subject.jobs) as pool:
        seconds = pool.map(lambda header: gcc.parse_alone(header, through[header][1]), likely)
    headers = [
        HeaderCost(subject.path(header), spent, included_by.get(subject.path(header), 1))
        for header, spent in zip(likely, seconds, strict=True)
        if spent is not None
    ]
    return Profile("", [file for file, _ in compiled], _dearest(headers))


def _with_clang(
    subject: Subject, commands: Sequence[CompileCommand], included_by: Mapping[str, int]
) -> Profile:
    """Headers and templates as the traces have them: the mean over the files that were compiled."""
    traces = subject.each(clang.profile_file, commands)
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for trace in traces:
        for header, spent in trace.headers.items():
            seconds[subject.path(header)].append(spent)
    headers = [
        HeaderCost(header, sum(spent) / len(spent), included_by.get(header, len(spent)))
        for header, spent in seconds.items()
    ]
    instantiations: Counter[str] = Counter()
    for trace in traces:
        instantiations.update(trace.instantiations)
    return Profile("", [trace.file for trace in traces], _dearest(headers), dict(instantiations))


def _dearest(headers: Iterable[HeaderCost]) -> list[HeaderCost]:
    return sorted(headers, key=lambda header: -header.total)[:MOST_HEADERS]
