"""Profile a tree: choose files, run the compiler's profiling, combine the results."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from tools.base.cmake_text import read_cache
from tools.base.ninja_log import read_entries, slowest
from tools.base.process import run

from . import clang, gcc
from .compile_commands import CompileCommand, from_root, read_commands
from .costs import HeaderCost, Profile, TemplateCost, copies_of_templates

MOST_HEADERS = 15
MOST_TEMPLATES = 20

_T = TypeVar("_T")


@dataclass(frozen=True)
class ProfiledTree:
    """The tree that is profiled."""

    root: Path
    build_dir: Path
    ninja: str
    jobs: int

    def path(self, path: str) -> str:
        """Return a canonical path for a header, however the compiler spells it."""
        return from_root(path, self.root, self.build_dir)

    def each(
        self, work: Callable[[CompileCommand, Path], _T], commands: Iterable[CompileCommand]
    ) -> list[_T]:
        """Run the work for all commands in parallel, each with its own temporary folder."""

        def alone(command: CompileCommand) -> _T:
            with tempfile.TemporaryDirectory(prefix="profile-") as scratch:
                return work(command, Path(scratch))

        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(alone, commands))


def profile_tree(tree: ProfiledTree, most_files: int) -> Profile:
    """Compile the files that took longest again, without changing the tree."""
    commands = read_commands(tree.build_dir)
    timed = [e.output for e in slowest(read_entries(tree.build_dir)) if e.output in commands]
    chosen = [commands[output] for output in timed[:most_files]]
    if not chosen:
        return Profile()
    compiler = _describe(chosen[0].compiler)
    included_by = _included_by(tree, commands)
    with_compiler = _with_clang if "clang" in compiler.lower() else _with_gcc
    profile = with_compiler(tree, chosen, included_by)
    profile.compiler = compiler
    profile.files.sort(key=lambda file: -file.seconds)
    objects = [tree.build_dir / output for output in commands]
    nm = read_cache(tree.build_dir).get("CMAKE_NM", "nm")
    copies = copies_of_templates(nm, [path for path in objects if path.exists()])
    profile.templates = _most_expensive_templates(copies, profile.instantiations)
    return profile


def _most_expensive_templates(
    copies: Mapping[str, TemplateCost], seconds: Mapping[str, float]
) -> list[TemplateCost]:
    """Return the most expensive templates by seconds if the compiler reports them, else by bytes."""
    nothing = TemplateCost("", 0, 0)
    costs = [
        replace(copies.get(name, nothing), name=name, seconds=seconds.get(name, 0.0))
        for name in {**seconds, **copies}
    ]
    return sorted(costs, key=lambda cost: (-cost.seconds, -cost.bytes, cost.name))[:MOST_TEMPLATES]


def _describe(compiler: str) -> str:
    return next(iter(run([compiler, "--version"]).output.splitlines()), compiler)


def _included_by(tree: ProfiledTree, commands: Mapping[str, CompileCommand]) -> Counter[str]:
    """Return header -> number of objects that include it, according to the recorded dependencies."""
    count: Counter[str] = Counter()
    wanted = False
    listed = run([tree.ninja, "-C", str(tree.build_dir), "-t", "deps"]).output
    for line in listed.splitlines():
        if not line.startswith(" "):
            wanted = line.partition(": #deps ")[0] in commands
        elif wanted:
            count[line.strip()] += 1
    merged: Counter[str] = Counter()
    for path, number in count.items():
        merged[tree.path(path)] += number
    return merged


def _with_gcc(
    tree: ProfiledTree, commands: Sequence[CompileCommand], included_by: Mapping[str, int]
) -> Profile:
    """Profile with GCC; the likely most expensive directly included headers are timed one by one."""
    compiled = tree.each(gcc.profile_file, commands)
    through: dict[str, tuple[int, CompileCommand]] = {}
    for (_, includes), command in zip(compiled, commands, strict=True):
        for header, size in gcc.bytes_through(includes, command.folder).items():
            if size > through.get(header, (0, command))[0]:
                through[header] = (size, command)
    weight = {h: size * included_by.get(tree.path(h), 1) for h, (size, _) in through.items()}
    likely = sorted(weight, key=lambda header: -weight[header])[:MOST_HEADERS]
    with ThreadPoolExecutor(tree.jobs) as pool:
        seconds = pool.map(lambda header: gcc.parse_alone(header, through[header][1]), likely)
    headers = [
        HeaderCost(tree.path(header), spent, included_by.get(tree.path(header), 1))
        for header, spent in zip(likely, seconds, strict=True)
        if spent is not None
    ]
    return Profile("", [file for file, _ in compiled], _most_expensive(headers))


def _with_clang(
    tree: ProfiledTree, commands: Sequence[CompileCommand], included_by: Mapping[str, int]
) -> Profile:
    """Profile with Clang; times of headers are the means over the traces of all profiled files."""
    traces = tree.each(clang.profile_file, commands)
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for trace in traces:
        for header, spent in trace.headers.items():
            seconds[tree.path(header)].append(spent)
    headers = [
        HeaderCost(header, sum(spent) / len(spent), included_by.get(header, len(spent)))
        for header, spent in seconds.items()
    ]
    instantiations: Counter[str] = Counter()
    for trace in traces:
        instantiations.update(trace.instantiations)
    return Profile(
        "", [trace.file for trace in traces], _most_expensive(headers), dict(instantiations)
    )


def _most_expensive(headers: Iterable[HeaderCost]) -> list[HeaderCost]:
    return sorted(headers, key=lambda header: -header.total)[:MOST_HEADERS]
