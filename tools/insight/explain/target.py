"""`explain rebuild TARGET`: why one target would be rebuilt, or that it is up to date."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator

from tools.base.process import run

from ..report.jobs import Classifier, Kind
from .file import shown
from .outlook import Outlook
from .wording import since, what_changed

_VERBS = {Kind.COMPILE: "compiled", Kind.LINK: "linked", Kind.COMMAND: "built"}


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
