"""Which commands read a file: by the build graph, and by what compilers said they included."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..process import run
from ..reporting.reasons import OutOfDate, Reason
from .outlook import Outlook


@dataclass(frozen=True)
class Readers:
    """Path as seen from the source root -> the outputs whose commands read it."""

    of: Mapping[str, tuple[str, ...]]

    @classmethod
    def ask(cls, outlook: Outlook) -> Readers:
        """Takes Ninja's word for what was included when each object was made last."""
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
        """The commands that a change of the file makes run, those that follow from them included."""
        changed = dict.fromkeys(self.of[path], Reason(f"{path} changed", path))
        return OutOfDate(changed, outlook.graph).commands


def _pairs(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Output and included path, of `ninja -t deps`: a line for the output, then one for each path."""
    output = ""
    for line in lines:
        if line.startswith(" "):
            yield output, line.strip()
        else:
            output = line.partition(": #deps")[0]
