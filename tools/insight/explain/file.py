"""Explain one file: find it by its name, why it would be built, and who reads it."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.base.generation import read_records
from tools.base.process import run
from tools.setup_helpers.ninja.reasons import OutOfDate, Reason

from .outlook import Outlook
from .wording import what_changed, work

_SHOWN_READERS = 4


@dataclass(frozen=True)
class Generators:
    """The code generation stages that write and read each file; paths are relative to the root."""

    makers: Mapping[str, str]
    readers: Mapping[str, list[str]]

    @classmethod
    def of(cls, outlook: Outlook) -> Generators:
        makers: dict[str, str] = {}
        readers: defaultdict[str, list[str]] = defaultdict(list)
        for stage, record in read_records(outlook.build_dir).items():
            makers |= {outlook.wording.path(path): stage for path in record["outputs"]}
            for path in record["inputs"]:
                readers[path].append(stage)
        return cls(makers, readers)


def explain_file(
    outlook: Outlook, readers: Readers, generators: Generators, path: str, now: float
) -> Iterator[str]:
    """Explain a source, a header or a generated file, line by line."""
    change = next((change for change in outlook.changed_inputs if change.path == path), None)
    if maker := generators.makers.get(path):
        why = outlook.stages.get(maker)
        yield f"{path} is written by code generation ({maker})"
        yield from [f"  which would run: {why}"] if why else []
    elif change:
        yield f"{path} was {what_changed(change, now)}"
    else:
        yield f"{path} has not changed since the last build"
    if stages := generators.readers.get(path, ()):
        yield f"  code generation reads it: {', '.join(stages)}"
    outputs = readers.of.get(path, ())
    if outputs:
        yield f"  {len(outputs)} command{' reads' if len(outputs) == 1 else 's read'} it:"
    yield from (f"    {shown(output)}" for output in outputs[:_SHOWN_READERS])
    if len(outputs) > _SHOWN_READERS:
        yield f"    and {len(outputs) - _SHOWN_READERS} more"
    if outputs:
        yield f"  a change would run {work(outlook, readers.commands_after(path, outlook))}"


def outputs_named(outlook: Outlook, word: str) -> list[str]:
    """Return the outputs that match a path, a file name, a source or a library name, tried in this order."""
    known = known_outputs(outlook)
    ways = (
        lambda output: output in (word, os.path.relpath(word, outlook.build_dir)),
        lambda output: output.endswith((f"/{word}", f"/{word}.o")),
        lambda output: Path(output).name.split(".")[0] in (f"lib{word}", word),
    )
    for way in ways:
        if found := [output for output in known if way(output)]:
            return found
    return []


def known_outputs(outlook: Outlook) -> list[str]:
    """Return the outputs of all commands."""
    return [o for edge in outlook.graph.edges if edge.rule != "phony" for o in edge.outputs]


def files_named(outlook: Outlook, word: str, paths: Iterable[str]) -> list[str]:
    """Return the path that equals the word, or all paths that end in it.

    `paths` are relative to the source root.
    """
    inside = os.path.relpath(word, outlook.config.root)
    known = list(paths)
    exact = [path for path in known if path in (word, inside)]
    return exact or [path for path in known if path.endswith(f"/{word}")]


def shown(output: str) -> str:
    """Return an output for display, with CMake's object paths as source and target."""
    folder, _, source = output.partition(".dir/")
    if source and folder.startswith("CMakeFiles/"):
        return f"{source.removesuffix('.o')} ({folder.removeprefix('CMakeFiles/')})"
    return output


@dataclass(frozen=True)
class Readers:
    """Path relative to the source root -> the outputs whose commands read it."""

    of: Mapping[str, tuple[str, ...]]

    @classmethod
    def ask(cls, outlook: Outlook) -> Readers:
        """Collect the readers; the includes of each object are those that Ninja recorded last."""
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        edges = [edge for edge in outlook.graph.edges if edge.rule != "phony"]
        for edge in edges:
            for path in edge.inputs:
                found[outlook.wording.path(path)][edge.outputs[0]] = None
        commands = {output: edge.outputs[0] for edge in edges for output in edge.outputs}
        asked = run([outlook.ninja, "-C", str(outlook.build_dir), "-t", "deps"])
        names: dict[str, str] = {}
        for output, path in _pairs(asked.output.splitlines()):
            if output in commands:
                name = names.get(path) or names.setdefault(path, outlook.wording.path(path))
                found[name][commands[output]] = None
        return cls({path: tuple(outputs) for path, outputs in found.items()})

    def commands_after(self, path: str, outlook: Outlook) -> list[str]:
        """Return the commands that run after a change to the file, directly or indirectly."""
        changed = dict.fromkeys(self.of[path], Reason(f"{path} changed", path))
        return OutOfDate(changed, outlook.graph).commands


def _pairs(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Yield pairs of output and included path from `ninja -t deps`.

    It prints a line for each output, then an indented line for each path.
    """
    output = ""
    for line in lines:
        if line.startswith(" "):
            yield output, line.strip()
        else:
            output = line.partition(": #deps")[0]
