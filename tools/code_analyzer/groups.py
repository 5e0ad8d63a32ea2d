"""Groups of sources that can be compiled together, as one translation unit.

Most of the time to compile a small file goes into headers, so a build from nothing is faster with
groups. The hazard are names that only one file may see (unnamed namespaces, macros), and functions of
ATen that only one file includes, which an unqualified call in another may find. A file joins a group
only if no other file of the group mentions such a name of it, and it none of theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tools.code_analyzer.definitions import SourceFile

_ALONE = re.compile(
    r"^\s*using\s+namespace\b|^#define\s+\w+[^\n]*\n(?:[^\n]*\n)*?#include", re.MULTILINE
)
_OPERATOR_HEADER = re.compile(r"#include <ATen/ops/(\w+)\.h>")
_CALL = re.compile(r"(?<![\w.:>])(\w+)\s*\(")
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")


@dataclass(frozen=True)
class GroupedFile:
    """What matters of a file for joining a group."""

    name: str
    size: int
    hidden: frozenset[str]
    words: frozenset[str]
    alone: bool

    @staticmethod
    def of(name: str, text: str) -> GroupedFile:
        file = SourceFile(name, text)
        local = (each.names for each in file.definitions if each.local)
        macros = re.findall(r"^\s*#\s*define\s+(\w+)", text, re.MULTILINE)
        hidden = frozenset[str]().union(*local, macros)
        included = frozenset(f"{name}()" for name in _OPERATOR_HEADER.findall(text))
        hidden |= included
        calls = frozenset(f"{name}()" for name in _CALL.findall(file.masked)) - included
        words = frozenset(_WORD.findall(file.masked)) | file.macro_uses | calls
        return GroupedFile(name, len(text), hidden, words, bool(_ALONE.search(text)))


@dataclass
class _Group:
    files: list[str] = field(default_factory=list)
    size: int = 0
    hidden: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def accepts(self, file: GroupedFile, limit: int) -> bool:
        if self.size + file.size > limit:
            return False
        return self.hidden.isdisjoint(file.words) and self.words.isdisjoint(file.hidden)

    def add(self, file: GroupedFile) -> None:
        self.files.append(file.name)
        self.size += file.size
        self.hidden |= file.hidden
        self.words |= file.words


def groups_of(files: Iterable[GroupedFile], limit: int) -> list[list[str]]:
    """Distribute files over groups of at most `limit` characters; a file may be alone."""
    groups: list[_Group] = []
    for file in files:
        if file.alone:
            groups.append(_Group([file.name], limit))
            continue
        group = next((each for each in groups if each.accepts(file, limit)), None)
        if group is None:
            groups.append(group := _Group())
        group.add(file)
    return [group.files for group in groups]
