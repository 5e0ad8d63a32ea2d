"""`explain rebuild FILE`: how a file changed, which commands read it, and what a change would cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tools.base.generation import read_records

from .names import shown
from .outlook import Outlook
from .readers import Readers
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
