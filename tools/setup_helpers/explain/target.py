"""`explain rebuild TARGET`: why one target would be made again, or what a change of one file would cost."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..code_generation.generation import read_records
from ..errors import usage_error
from ..process import run
from ..reporting.jobs import Classifier, Kind
from ..suggest import did_you_mean
from .moments import since
from .names import files_named, known_outputs, outputs_named, shown
from .outlook import Outlook
from .readers import Readers
from .wording import what_changed, work

_VERBS = {Kind.COMPILE: "compiled", Kind.LINK: "linked", Kind.COMMAND: "made"}
_SHOWN_READERS = 4


def explain_target(outlook: Outlook, word: str, now: float) -> str:
    """By whatever name a person may have for it. Raises BuildError when nothing has that name."""
    if outputs := outputs_named(outlook, word):
        return "\n".join(_made(outlook, outputs, now))
    readers = Readers.ask(outlook)
    generators = Generators.of(outlook)
    known = dict.fromkeys((*readers.of, *generators.makers, *generators.readers))
    if files := files_named(outlook, word, known):
        answers = (_file(outlook, readers, generators, path, now) for path in files)
        return "\n".join(line for answer in answers for line in answer)
    names = {Path(shown(output).split(" ")[0]).name for output in known_outputs(outlook)}
    names |= {Path(path).name for path in known}
    raise usage_error(
        f"no command makes or reads {word!r}{did_you_mean(word, names, 3)}",
        hint="name a library, an object file, a source or a header",
    )


def _made(outlook: Outlook, outputs: list[str], now: float) -> Iterator[str]:
    """Outputs with the same story, such as one source compiled for several capabilities, share it."""
    stories: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for output in outputs:
        head, *story = _story(outlook, output, now)
        stories[tuple(story)].append(head)
    for story_lines, heads in stories.items():
        yield from (*heads, *story_lines)
    if outlook.configured:
        yield f"Before that CMake would run ({outlook.configured}), and may change this."


def _story(outlook: Outlook, output: str, now: float) -> Iterator[str]:
    chain = outlook.out_of_date.why(output)
    if not chain:
        yield from _up_to_date(outlook, output, now)
        return
    classify = Classifier.of(outlook.config, outlook.graph)
    for depth, link in enumerate(chain):
        last = "" if depth else _last_time(outlook, link, now, " (made {})")
        yield f"{'  ' * depth}{shown(link)} would be {_VERBS[classify(link)[0]]}{last}, because"
    yield from (f"{'  ' * len(chain)}{line}" for line in _first_cause(outlook, chain[-1], now))


def _first_cause(outlook: Outlook, output: str, now: float) -> Iterator[str]:
    """The inputs that are newer than the output; what Ninja says, where that is not all."""
    newer: dict[str, str] = {}
    made = _written(outlook, output)
    for path in _inputs(outlook, output) if made else ():
        if _written(outlook, path) > made:
            name = outlook.wording.path(path)
            newer[name] = f"{name} was {_change(outlook, name, path, now)}"
    cause = outlook.wording.cause(outlook.out_of_date, output)
    if cause.removesuffix(" changed") not in newer:
        yield cause
    yield from newer.values()


def _up_to_date(outlook: Outlook, output: str, now: float) -> Iterator[str]:
    inside = (
        os.path.relpath(outlook.path(path), outlook.build_dir) for path in _inputs(outlook, output)
    )
    generated = next((path for path in inside if path in outlook.wording.stages), None)
    if generated:
        yield f"{shown(output)} would be made again if code generation changes {generated}, which would run:"
        yield f"  {outlook.wording.stages[generated]}"
        return
    yield f"{shown(output)} is up to date{_last_time(outlook, output, now, ': made {}')}"
    if cause := outlook.last_causes.get(output):
        yield f"  the last build made it, because {cause}"


def _last_time(outlook: Outlook, output: str, now: float, form: str) -> str:
    """When it was made, and how long that took; empty when it is not there."""
    if not outlook.path(output).exists():
        return ""
    entry = outlook.made.get(output)
    took = f", in {entry.seconds:.2f} s" if entry else ""
    return form.format(f"{since(_written(outlook, output), now)}{took}")


def _file(
    outlook: Outlook, readers: Readers, generators: Generators, path: str, now: float
) -> Iterator[str]:
    """A source, a header or a generated file: what became of it, who reads it, what that costs."""
    change = next((change for change in outlook.changed_inputs if change.path == path), None)
    if maker := generators.makers.get(path):
        why = outlook.stages.get(maker)
        yield f"{path} is written by code generation ({maker})"
        yield from [f"  which would run: {why}"] if why else []
    elif change:
        yield f"{path} was {what_changed(change, now)}"
    else:
        yield f"{path} is as the last build read it"
    if stages := generators.readers.get(path, ()):
        yield f"  code generation reads it: {', '.join(stages)}"
    outputs = readers.of.get(path, ())
    if outputs:
        yield f"  {len(outputs)} command{' reads' if len(outputs) == 1 else 's read'} it:"
    yield from (f"    {shown(output)}" for output in outputs[:_SHOWN_READERS])
    if len(outputs) > _SHOWN_READERS:
        yield f"    and {len(outputs) - _SHOWN_READERS} more"
    if outputs:
        yield f"  a change makes Ninja run {work(outlook, readers.commands_after(path, outlook))}"


@dataclass(frozen=True)
class Generators:
    """The stages of code generation, by files as seen from the source root."""

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


def _change(outlook: Outlook, name: str, path: str, now: float) -> str:
    change = next((change for change in outlook.changed_inputs if change.path == name), None)
    return what_changed(change, now) if change else f"written {since(_written(outlook, path), now)}"


def _inputs(outlook: Outlook, output: str) -> list[str]:
    """What the output is made of: the edge's inputs, and what the compiler said it included."""
    asked = run([outlook.ninja, "-C", str(outlook.build_dir), "-t", "deps", output])
    included = [line.strip() for line in asked.output.splitlines()[1:]] if not asked.code else []
    edge = outlook.graph.makers.get(output)
    return list(dict.fromkeys([*(edge.inputs if edge else ()), *filter(None, included)]))


def _written(outlook: Outlook, path: str) -> float:
    try:
        return outlook.path(path).stat().st_mtime
    except OSError:
        return 0.0
