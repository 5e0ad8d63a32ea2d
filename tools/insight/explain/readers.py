"""Find the commands that read a file, from the build graph and the includes that compilers reported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tools.base.process import run
from tools.setup_helpers.ninja.reasons import OutOfDate, Reason

from .outlook import Outlook


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
