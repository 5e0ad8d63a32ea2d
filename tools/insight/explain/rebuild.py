"""`explain rebuild [NAME]`: which input causes what to run again, how it changed, and when."""

from __future__ import annotations

import errno
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tools.base.errors import did_you_mean, usage_error
from tools.base.globs import matching
from tools.base.process import run
from tools.setup_helpers.state.inputs import Change, read_last_build
from tools.setup_helpers.state.lock import BuildLock, command_line
from tools.setup_helpers.state.source_names import patterns_of_sources

from ..report.jobs import Classifier, Kind
from . import Question
from .file import (
    Generators,
    Readers,
    explain_file,
    files_named,
    known_outputs,
    outputs_named,
    shown,
)
from .outlook import Outlook, look_ahead
from .wording import seconds, since, what_changed, work

_OF_FILE_LISTS = (Change.ADDED, Change.REMOVED)
_VERBS = {Kind.COMPILE: "compiled", Kind.LINK: "linked", Kind.COMMAND: "built"}
_MOST = 12
_SHOWN_TARGETS = 4
_THEN = "  and then rebuild whatever that changes"
_BY_TIMES = (
    "`setup.py develop` would do nothing, since no contents changed. Ninja alone compares times."
)


def explain_rebuild(question: Question) -> str:
    """Return the explanation for the whole tree, or for the named targets and files only."""
    build_dir = question.build_dir
    if not (build_dir / "build.ninja").exists():
        if read_last_build(build_dir).began:
            return "\n".join(
                ["A build now would", "  configure, because build.ninja is missing", _THEN]
            )
        return f"a build would do everything: nothing was built in {build_dir} yet"
    with _locked(build_dir):
        outlook = look_ahead(question)
        now = time.time()
        if not question.words:
            return "\n".join(_explain_tree(outlook, now))
        answers = ("\n".join(_explain_name(outlook, word, now)) for word in question.words)
        notes = [_BY_TIMES] if outlook.as_left and outlook.out_of_date.commands else []
        return "\n\n".join([*notes, *answers])


@contextmanager
def _locked(build_dir: Path) -> Iterator[None]:
    """Hold the build lock, since a log that is being written looks damaged."""
    with ExitStack() as stack:
        try:
            stack.enter_context(BuildLock(str(build_dir), command_line()))
        except OSError as error:
            if error.errno not in (errno.EROFS, errno.EACCES):
                raise  # on a read-only tree there can be no other build
        yield


def _explain_name(outlook: Outlook, word: str, now: float) -> Iterator[str]:
    """Explain one target or file by any of its names.

    Raises:
        BuildError: Nothing has that name.
    """
    if outputs := outputs_named(outlook, word):
        yield from explain_outputs(outlook, outputs, now)
        return
    readers, generators = Readers.ask(outlook), Generators.of(outlook)
    known = dict.fromkeys((*readers.of, *generators.makers, *generators.readers))
    files = files_named(outlook, word, known)
    if not files:
        names = {Path(shown(output).split(" ")[0]).name for output in known_outputs(outlook)}
        names |= {Path(path).name for path in known}
        raise usage_error(
            f"no command writes or reads {word!r}{did_you_mean(word, names, 3)}",
            hint="give the name of a library, an object file, a source or a header",
        )
    for path in files:
        yield from explain_file(outlook, readers, generators, path, now)


def _explain_tree(outlook: Outlook, now: float) -> Iterator[str]:
    yield from _changes(outlook, now)
    yield ""
    commands = outlook.out_of_date.commands
    changed_lists = [c.path for c in outlook.changed_inputs if c.change in _OF_FILE_LISTS]
    listed = matching(changed_lists, patterns_of_sources(outlook.config))
    restored = [*_older_sources(outlook), *_outdated(outlook), *_restored(outlook)]
    if not (outlook.stages or outlook.configured or commands or listed or restored):
        yield "A build now would have nothing to do."
        return
    yield f"{_BY_TIMES} It would" if outlook.as_left else "A build now would"
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for stage, reason in outlook.stages.items():
        by_reason[reason].append(stage)
    for reason, stages in by_reason.items():
        yield f"  generate code ({', '.join(stages)}), because {reason}"
    if outlook.configured:
        yield f"  configure, because of {outlook.configured}"
    if listed:
        yield f"  let CMake search for sources again, because {listed[0]} was added or removed"
    if commands:
        yield from _commands(outlook, commands)
    if outlook.stages or outlook.configured or listed:
        yield _THEN
    yield from restored


def _older_sources(outlook: Outlook) -> Iterator[str]:
    """Yield edited sources that Ninja does not notice, since their time is older than the last build's."""
    edited = (c for c in outlook.changed_inputs if c.change is Change.EDITED)
    older = [change.path for change in edited if change.time < outlook.last.began]
    readers = Readers.ask(outlook).of if older else {}
    for path in older:
        if outputs := readers.get(path):
            number = f"{len(outputs)} command{'s read' if len(outputs) > 1 else ' reads'} it"
            yield f"  date {path} now, because it is older than its last build: {number}"


def _outdated(outlook: Outlook) -> Iterator[str]:
    """Yield the files outside the checkout that changed without Ninja noticing it."""
    for path, outputs in outlook.outdated.items():
        number = f"{len(outputs)} output{'s' if len(outputs) > 1 else ''} made from it"
        yield f"  make {number} again, because {path} changed"
        yield from (
            f"    {shown(str(x.relative_to(outlook.build_dir)))}" for x in outputs[:_SHOWN_TARGETS]
        )
        if len(outputs) > _SHOWN_TARGETS:
            yield f"    and {len(outputs) - _SHOWN_TARGETS} more"


def _restored(outlook: Outlook) -> Iterator[str]:
    """Yield what would be done for copies in the source tree and for the editable install."""
    for verb, paths in (("copy", outlook.copies), ("delete the copy", outlook.copies_removed)):
        if paths:
            more = f" and {len(paths) - _SHOWN_TARGETS} more" * (len(paths) > _SHOWN_TARGETS)
            yield f"  {verb} {', '.join(paths[:_SHOWN_TARGETS])}{more}"
    if outlook.unregistered:
        state = "was changed" if os.path.lexists(outlook.unregistered) else "is missing"
        yield f"  register the package, because {outlook.unregistered} {state}"


def _changes(outlook: Outlook, now: float) -> Iterator[str]:
    if not outlook.last.began:
        yield "No build of this tree has succeeded yet."
        return
    yield f"Changes since the last successful build ({since(outlook.last.began, now)}):"
    rows = [
        (change.now.option.name, str(change).partition(": ")[2])
        for change in outlook.changed_options
    ]
    changed = [*outlook.changed_inputs, *outlook.changed_outside]
    rows += [(change.path, what_changed(change, now)) for change in changed]
    width = max((len(name) for name, _ in rows[:_MOST]), default=0)
    for name, what in rows[:_MOST]:
        yield f"  {name:<{width}}  {what}"
    if len(rows) > _MOST:
        yield f"  and {len(rows) - _MOST} more"
    if not rows:
        yield "  none: no option and no input changed"


def _commands(outlook: Outlook, commands: list[str]) -> Iterator[str]:
    """Yield the commands grouped by first cause, the slowest group first."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for output in commands:
        groups[outlook.wording.cause(outlook.out_of_date, output)].append(output)
    yield f"  run {work(outlook, commands)}"
    for cause, outputs in sorted(groups.items(), key=lambda group: -seconds(outlook, group[1])):
        yield f"    {len(outputs)} because {cause}"
        yield from (f"        {shown(output)}" for output in outputs[::-1][:_SHOWN_TARGETS])
        if len(outputs) > _SHOWN_TARGETS:
            yield f"        and {len(outputs) - _SHOWN_TARGETS} more"


def explain_outputs(outlook: Outlook, outputs: list[str], now: float) -> Iterator[str]:
    """Explain the outputs line by line.

    Outputs with the same explanation, such as one source compiled for several capabilities, share it.
    """
    reasons: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for output in outputs:
        head, *reason = _explanation(outlook, output, now)
        reasons[tuple(reason)].append(head)
    for reason_lines, heads in reasons.items():
        yield from (*heads, *reason_lines)
    if outlook.configured:
        yield f"CMake would run first ({outlook.configured}), which may change this."


def _explanation(outlook: Outlook, output: str, now: float) -> Iterator[str]:
    chain = outlook.out_of_date.why(output)
    if not chain:
        yield from _up_to_date(outlook, output, now)
        return
    classify = Classifier.of(outlook.config, outlook.graph)
    for depth, link in enumerate(chain):
        because = "  " * depth + "because " if depth else ""
        last = "" if depth else _last_time(outlook, link, now, " (built {})")
        yield f"{because}{shown(link)} would be {_VERBS[classify(link)[0]]}{last}"
    for number, cause in enumerate(_first_cause(outlook, chain[-1], now)):
        yield f"{'  ' * len(chain)}{'and' if number else 'because'} {cause}"


def _first_cause(outlook: Outlook, output: str, now: float) -> Iterator[str]:
    """Yield the inputs that are newer than the output, and Ninja's reason if it is another one."""
    newer: dict[str, str] = {}
    built = _written(outlook, output)
    for path in _inputs(outlook, output) if built else ():
        if _written(outlook, path) > built:
            name = outlook.wording.path(path)
            newer[name] = f"{name} was {_change(outlook, name, path, now)}"
    reason = outlook.out_of_date.reasons[output]
    if not reason.input or outlook.wording.path(reason.input) not in newer:
        yield outlook.wording.describe(reason)
    yield from newer.values()


def _up_to_date(outlook: Outlook, output: str, now: float) -> Iterator[str]:
    for path, outputs in outlook.outdated.items():
        if outlook.path(output) in outputs:
            yield f"{shown(output)} would be built again, because {path} changed"
            return
    inside = (
        os.path.relpath(outlook.path(path), outlook.build_dir) for path in _inputs(outlook, output)
    )
    generated = next((path for path in inside if path in outlook.wording.stages), None)
    if generated:
        yield f"{shown(output)} would be rebuilt if code generation changes {generated}"
        yield f"  which would run: {outlook.wording.stages[generated]}"
        return
    yield f"{shown(output)} is up to date{_last_time(outlook, output, now, ': built {}')}"
    if cause := outlook.last_causes.get(output):
        yield f"  the last build rebuilt it because {cause}"


def _last_time(outlook: Outlook, output: str, now: float, form: str) -> str:
    """Format when an output was built and how long that took; empty if it does not exist."""
    if not outlook.path(output).exists():
        return ""
    entry = outlook.made.get(output)
    took = f", in {entry.seconds:.2f} s" if entry else ""
    return form.format(f"{since(_written(outlook, output), now)}{took}")


def _change(outlook: Outlook, name: str, path: str, now: float) -> str:
    change = next((change for change in outlook.changed_inputs if change.path == name), None)
    return what_changed(change, now) if change else f"written {since(_written(outlook, path), now)}"


def _inputs(outlook: Outlook, output: str) -> list[str]:
    """Return the inputs of an output: those of its edge, and the includes that the compiler reported."""
    asked = run([outlook.ninja, "-C", str(outlook.build_dir), "-t", "deps", output])
    included = [line.strip() for line in asked.output.splitlines()[1:]] if not asked.code else []
    edge = outlook.graph.makers.get(output)
    return list(dict.fromkeys([*(edge.inputs if edge else ()), *filter(None, included)]))


def _written(outlook: Outlook, path: str) -> float:
    try:
        return outlook.path(path).stat().st_mtime
    except OSError:
        return 0.0
