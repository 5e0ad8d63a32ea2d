"""Which definitions of the kernels' sources some operators need, and the sources with only these.

A definition needs what its text names. Files that hold no kernel (`others`) need everything that they
name and that kernels define, since they are compiled as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from tools.code_analyzer.definitions import Definition, Macro, SourceFile

_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_LABEL = re.compile(r"\bcase\s+(?:c10::|at::)?(?:ScalarType::(\w+)|k([A-Z]\w*))\s*:(?!:)")
_NEXT = re.compile(r"[{}]|\bcase\b|\bdefault\s*:")


@dataclass(frozen=True)
class SourceGraph:
    """The kernels' sources and headers, and the names that the rest of the library takes from them."""

    sources: tuple[SourceFile, ...]
    headers: tuple[SourceFile, ...]
    roots: frozenset[str]

    @staticmethod
    def of(
        sources: Mapping[str, str], headers: Mapping[str, str], others: Iterable[str]
    ) -> SourceGraph:
        """Return the graph of files, given by name and text; `others` are texts."""
        macros: dict[str, Macro] = {}
        included = tuple(SourceFile(name, text) for name, text in headers.items())
        for file in included:
            macros.update(file.own_macros)
        files = tuple(SourceFile(name, text, macros) for name, text in sources.items())
        roots = frozenset[str]().union(*(words(text) for text in others))
        return SourceGraph(files, included, roots)

    def defines(self, name: str) -> bool:
        """Return whether a source defines a kernel of this name."""
        return name in self._shared

    def needed(self, kernels: Iterable[str]) -> Mapping[str, frozenset[Definition]]:
        """Return the definitions that each source needs to have for some kernels.

        A file of which nothing is needed is missing.
        """
        kept: dict[str, set[Definition]] = {}
        pending: list[tuple[str, Definition]] = []

        def keep(found: Iterable[tuple[str, Definition]]) -> None:
            for name, definition in found:
                known = kept.get(name)
                if known is None:  # what must stay in a file that is compiled
                    known = kept[name] = set()
                    keep((name, each) for each in self._fixed.get(name, ()))
                if definition not in known:
                    known.add(definition)
                    pending.append((name, definition))

        for name in {*self.roots, *kernels}:
            keep(self._shared.get(name, ()))
        while pending:
            file, definition = pending.pop()
            for name in definition.uses:
                keep(self._local.get((file, name), ()))
                for other, each in self._shared.get(name, ()):
                    if other == file or not each.is_function or name in definition.calls:
                        keep([(other, each)])
        names = {file.name for file in self.sources}
        return {name: frozenset(each) for name, each in kept.items() if name in names}

    @cached_property
    def _fixed(self) -> Mapping[str, list[Definition]]:
        """What must stay: nameless pieces, and a piece that stands for the macros of the file."""
        found = {}
        for file in (*self.sources, *self.headers):
            macros = Definition(0, 0, frozenset(), file.macro_uses, file.macro_uses, False, True)
            found[file.name] = [macros, *(each for each in file.definitions if not each.names)]
        return found

    @cached_property
    def _shared(self) -> Mapping[str, list[tuple[str, Definition]]]:
        found: dict[str, list[tuple[str, Definition]]] = {}
        for file in (*self.sources, *self.headers):
            for definition in file.definitions:
                if not definition.local:
                    for name in definition.names:
                        found.setdefault(name, []).append((file.name, definition))
        return found

    @cached_property
    def _local(self) -> Mapping[tuple[str, str], list[tuple[str, Definition]]]:
        found: dict[tuple[str, str], list[tuple[str, Definition]]] = {}
        for file in (*self.sources, *self.headers):
            for definition in file.definitions:
                if definition.local:
                    for name in definition.names:
                        found.setdefault((file.name, name), []).append((file.name, definition))
        return found


def words(text: str) -> frozenset[str]:
    """Return the identifiers of a text."""
    return frozenset(_WORD.findall(text))


def reduced(file: SourceFile, kept: frozenset[Definition]) -> str:
    """Return the text of a file without the other definitions; lines keep their numbers."""
    text = file.text
    for definition in reversed(file.definitions):
        if definition not in kept:
            blank = re.sub(r"[^\n]", "", text[definition.begin : definition.end])
            text = text[: definition.begin] + blank + text[definition.end :]
    return text


def without_dtypes(text: str, dtypes: frozenset[str]) -> str:
    """Return a text whose `case`s of other dtypes only raise an error that names the dtype."""
    masked = SourceFile("", text).masked
    pieces, position = [], 0
    for label in _LABEL.finditer(masked):
        dtype = label[1] or label[2]
        if dtype in dtypes or label.start() < position:
            continue
        end = _end_of_case(masked, label.end())
        if not masked[label.end() : end].strip():
            continue  # it shares the statements of the next case
        shared = re.search(rf"(?:{_LABEL.pattern}\s*)+\Z", masked[: label.end()])
        assert shared is not None
        if any((each[1] or each[2]) in dtypes for each in _LABEL.finditer(shared[0])):
            continue
        lines = re.sub(r"[^\n]", "", text[label.end() : end])
        call = f" ::at::detail::dtype_left_out(::c10::ScalarType::{dtype});"
        pieces.append(text[position : label.end()] + call + lines)
        position = end
    return "".join(pieces) + text[position:]


def _end_of_case(text: str, begin: int) -> int:
    """Return where the statements of a case end."""
    depth = 0
    for mark in _NEXT.finditer(text, begin):
        if mark[0] == "{":
            depth += 1
        elif mark[0] == "}":
            if depth == 0:
                return mark.start()
            depth -= 1
        elif depth == 0:
            return mark.start()
    return begin
