"""`explain rebuild [TARGET]`: which input makes what run again, what changed in it, and since when."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from ..errors import usage_error
from ..process import run
from ..reporting.inputs import Change, ChangedInput
from ..reporting.jobs import Classifier, Kind
from ..suggest import did_you_mean
from ..tree.lock import BuildLock, command_line
from .moments import since
from .outlook import Outlook, look_ahead

_VERBS = {Kind.COMPILE: "compiled", Kind.LINK: "linked", Kind.COMMAND: "made"}
_OF_FILE_LISTS = (Change.ADDED, Change.REMOVED)
_MOST = 12
_SHOWN_TARGETS = 4


def explain_rebuild(root: Path, build_dir: Path, words: list[str]) -> str:
    """The answer as text; with words, about these targets only."""
    if not (build_dir / "build.ninja").exists():
        return f"everything: nothing was built in {build_dir} yet"
    with BuildLock(str(build_dir), command_line()):  # a log that is being written reads as damaged
        outlook = look_ahead(root, build_dir, os.environ)
    now = time.time()
    if not words:
        return "\n".join(_whole(outlook, now))
    return "\n\n".join("\n".join(_target(outlook, word, now)) for word in words)


def _whole(outlook: Outlook, now: float) -> Iterator[str]:
    yield from _changes(outlook, now)
    yield ""
    commands = outlook.out_of_date.commands
    came_or_went = [c.path for c in outlook.changed_inputs if c.change in _OF_FILE_LISTS]
    if not (outlook.stages or outlook.configured or commands or came_or_went):
        yield "A build now would find nothing to do."
        return
    yield "A build now would"
    for stage, reason in outlook.stages.items():
        yield f"  generate code: {stage}, because {reason}"
    if outlook.configured:
        yield f"  configure, because of {outlook.configured}"
    if came_or_went:
        yield f"  have CMake look for sources again, because {came_or_went[0]} came or went"
    if commands:
        yield from _commands(outlook, commands)
    if outlook.stages or outlook.configured or came_or_went:
        yield "  and then whatever that changes"


def _changes(outlook: Outlook, now: float) -> Iterator[str]:
    if not outlook.last.began:
        yield "No build of this tree has ended well yet."
        return
    yield f"Since the last build that ended well ({since(outlook.last.began, now)}):"
    rows = [
        (change.now.option.name, str(change).partition(": ")[2])
        for change in outlook.changed_options
    ]
    rows += [(change.path, _what(change, now)) for change in outlook.changed_inputs]
    width = max((len(name) for name, _ in rows[:_MOST]), default=0)
    for name, what in rows[:_MOST]:
        yield f"  {name:<{width}}  {what}"
    if len(rows) > _MOST:
        yield f"  and {len(rows) - _MOST} more"
    if not rows:
        yield "  no option and no input changed"


def _what(change: ChangedInput, now: float) -> str:
    before, after = change.sizes
    match change.change:
        case Change.TOUCHED:
            return f"touched {since(change.time, now)}: the same bytes"
        case Change.EDITED:
            size = f": {after - before:+,} bytes" if after != before else ": the same size"
            return f"edited {since(change.time, now)}{size}"
        case Change.ADDED:
            return f"added {since(change.time, now)}"
        case Change.REMOVED:
            return "removed"


def _commands(outlook: Outlook, commands: list[str]) -> Iterator[str]:
    """Grouped by first cause, the dearest first by what the commands took last."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for output in commands:
        groups[outlook.wording.cause(outlook.out_of_date, output)].append(output)
    known = sum(_seconds(outlook, output) for output in commands)
    yield f"  run {_count(len(commands))}, which took {known:.1f} s of work when they ran last"
    for cause, outputs in sorted(
        groups.items(), key=lambda group: -sum(_seconds(outlook, output) for output in group[1])
    ):
        yield f"    {len(outputs)} because {cause}"
        yield from (f"        {_short(output)}" for output in outputs[::-1][:_SHOWN_TARGETS])
        if len(outputs) > _SHOWN_TARGETS:
            yield f"        and {len(outputs) - _SHOWN_TARGETS} more"


def _seconds(outlook: Outlook, output: str) -> float:
    entry = outlook.made.get(output)
    return entry.seconds if entry else 0.0


def _count(commands: int) -> str:
    return f"{commands} command{'' if commands == 1 else 's'}"


def _short(output: str) -> str:
    """CMake's object paths as source and target."""
    folder, _, source = output.partition(".dir/")
    if source and folder.startswith("CMakeFiles/"):
        return f"{source.removesuffix('.o')} ({folder.removeprefix('CMakeFiles/')})"
    return output


def _target(outlook: Outlook, word: str, now: float) -> Iterator[str]:
    classify = Classifier.of(outlook.config, outlook.out_of_date.graph)
    for output in find_outputs(outlook, word):
        chain = outlook.out_of_date.why(output)
        if not chain:
            yield from _up_to_date(outlook, output, now)
            continue
        for depth, link in enumerate(chain):
            verb = _VERBS[classify(link)[0]]
            yield f"{'  ' * depth}{_short(link)} would be {verb}{_made(outlook, link, now)}, because"
        indent = "  " * len(chain)
        yield f"{indent}{outlook.wording.cause(outlook.out_of_date, chain[-1])}"
        for path in _inputs(outlook, chain[-1]):
            if _written(outlook, path) > _written(outlook, chain[-1]):
                yield f"{indent}  {_newer(outlook, path, now)}"
    if outlook.configured:
        yield f"Before that CMake would run ({outlook.configured}), and may change this."


def _up_to_date(outlook: Outlook, output: str, now: float) -> Iterator[str]:
    name = f"{_short(output)}{_made(outlook, output, now)}"
    inside = (
        os.path.relpath(outlook.path(path), outlook.build_dir) for path in _inputs(outlook, output)
    )
    generated = next((path for path in inside if path in outlook.wording.stages), None)
    if generated:
        yield f"{name} would be made again if code generation changes {generated}, which would run:"
        yield f"  {outlook.wording.stages[generated]}"
        return
    yield f"{name} is up to date"
    if cause := outlook.last_causes.get(output):
        yield f"  the last build made it, because {cause}"


def _made(outlook: Outlook, output: str, now: float) -> str:
    if not outlook.path(output).exists():
        return ""
    entry = outlook.made.get(output)
    took = f" in {entry.seconds:.2f} s" if entry else ""
    return f" (made {since(_written(outlook, output), now)}{took})"


def _newer(outlook: Outlook, path: str, now: float) -> str:
    name = outlook.wording.path(path)
    change = next((change for change in outlook.changed_inputs if change.path == name), None)
    what = _what(change, now) if change else f"written {since(_written(outlook, path), now)}"
    return f"{name}: {what}"


def _inputs(outlook: Outlook, output: str) -> list[str]:
    """What the output is made of: the edge's inputs, and what the compiler said it included."""
    asked = run([outlook.ninja, "-C", str(outlook.build_dir), "-t", "deps", output])
    included = [line.strip() for line in asked.output.splitlines()[1:]] if not asked.code else []
    edge = outlook.out_of_date.graph.makers.get(output)
    return list(dict.fromkeys([*(edge.inputs if edge else ()), *filter(None, included)]))


def _written(outlook: Outlook, path: str) -> float:
    try:
        return outlook.path(path).stat().st_mtime
    except OSError:
        return 0.0


def find_outputs(outlook: Outlook, word: str) -> list[str]:
    """Outputs that a person may mean: a path, a file name, a source, a library's name."""
    known = [
        output
        for edge in outlook.out_of_date.graph.edges
        if edge.rule != "phony"
        for output in edge.outputs
    ]
    ways = (
        lambda output: output in (word, os.path.relpath(word, outlook.build_dir)),
        lambda output: output.endswith((f"/{word}", f"/{word}.o")),
        lambda output: Path(output).name.split(".")[0] in (f"lib{word}", word),
    )
    for way in ways:
        if found := [output for output in known if way(output)]:
            return found
    names = {Path(_short(output).split(" ")[0]).name for output in known}
    raise usage_error(
        f"no command makes {word!r}{did_you_mean(word, names, 3)}",
        hint="name a library, an object file, or a source file that is compiled",
    )
