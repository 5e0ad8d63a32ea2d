"""Reads native_functions.yaml and tags.yaml into the model, or reports every problem in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

from tools.codegen import crosscheck, rules
from tools.codegen.cache import Cache
from tools.codegen.complete import complete
from tools.codegen.entry import EntryReader
from tools.codegen.errors import InputError, Problem
from tools.codegen.model import NativeFunction, Operators
from tools.codegen.names import root_name
from tools.codegen.source import read_text
from tools.codegen.yaml_reader import read_entries
from tools.codegen.yaml_values import Entry, Text, unknown

_TAG_FIELDS = frozenset({"tag", "desc"})
_TAG = re.compile(r"[A-Za-z]\w*", re.ASCII)
_FUNC = re.compile(r"- func: *[\"']?(?:\w+::)?([A-Za-z_]\w*)", re.ASCII)


@dataclass(frozen=True)
class OperatorFile:
    """A file of entries, decoded but not yet interpreted."""

    name: str
    text: str
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    readable: bool = True
    """Whether the file is text; otherwise its entries are unknown."""

    @staticmethod
    def parse(text: str, name: str) -> OperatorFile:
        problems: list[Problem] = []
        entries = read_entries(text, name, problems)
        return OperatorFile(name, text, tuple(entries), tuple(problems))

    @staticmethod
    def read(path: Path, name: str = "") -> OperatorFile:
        """Read a file from disk; messages use `name`, or else the path."""
        name = name or str(path)
        problems: list[Problem] = []
        text = read_text(path, name, problems)
        if problems:
            return OperatorFile(name, text, (), tuple(problems), readable=False)
        return OperatorFile.parse(text, name)

    @cached_property
    def unread(self) -> frozenset[str]:
        """Root names of the operators in whose entries the YAML is broken."""
        lines = self.text.split("\n")
        roots: set[str] = set()
        for problem in self.problems:
            number = min(problem.line, len(lines)) - 1
            while number > 0 and not lines[number].startswith("- "):
                number -= 1
            if match := _FUNC.match(lines[number]):
                roots.add(root_name(match[1]))
        return frozenset(roots)

    @cached_property
    def meaning(self) -> str:
        """A digest of the entries' content, without comments and positions; empty if unreadable."""
        if self.problems:
            return ""
        digest = blake2b(digest_size=16)
        for entry in self.entries:
            digest.update(entry.fingerprint.encode())
        return digest.hexdigest()


def read_operators(
    native_functions: str,
    tags: str,
    *,
    native_functions_file: str = "native_functions.yaml",
    tags_file: str = "tags.yaml",
) -> Operators:
    """Return the model that both texts declare.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    return build_operators(
        OperatorFile.parse(native_functions, native_functions_file),
        OperatorFile.parse(tags, tags_file),
    )


def build_operators(
    native_functions: OperatorFile, tags: OperatorFile, cache: Cache | None = None
) -> Operators:
    """Return the model that both files declare, reusing entries that `cache` has.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    cache = cache or Cache()
    problems = [*native_functions.problems, *tags.problems]
    sources = {file.name: file.text for file in (native_functions, tags)}
    if not (native_functions.readable and tags.readable):
        raise InputError(problems, sources)
    known_tags = _read_tags(tags, problems)
    tags_are_known = not any(problem.file == tags.name for problem in problems)
    reader = EntryReader(
        native_functions.name,
        problems,
        frozenset(known_tags) if tags_are_known else None,
        known=dict(cache.functions) if tags_are_known else {},
    )
    reader.broken_roots.update(native_functions.unread)
    functions = _declared(native_functions, reader)
    crosscheck.check_overloads(functions, reader)
    crosscheck.check_out_variants(functions, reader)
    groups = crosscheck.structured_groups(functions, reader)
    completed = complete(functions, reader)
    if problems:
        raise InputError(problems, sources)
    cache.keep(functions)
    return Operators(completed, groups, tuple(known_tags))


def declared_functions(
    native_functions: OperatorFile, tags: OperatorFile
) -> tuple[list[NativeFunction], frozenset[str] | None]:
    """Return the readable operators, and the root names that may have more operators.

    The root names are None if any operator may be missing.
    """
    reader = EntryReader(native_functions.name, [], frozenset(_read_tags(tags, [])))
    functions = [f for f in _declared(native_functions, reader) if not any(rules.mistakes(f.func))]
    if not native_functions.readable:
        return functions, None
    completed = {function.root_name for function in functions if function.autogen}
    return functions, native_functions.unread.union(reader.broken_roots, completed)


def _declared(native_functions: OperatorFile, reader: EntryReader) -> list[NativeFunction]:
    read = [reader.read(entry) for entry in native_functions.entries]
    return crosscheck.drop_duplicates((f for f in read if f is not None), reader)


def _read_tags(tag_file: OperatorFile, problems: list[Problem]) -> list[str]:
    tags: list[str] = []
    for entry in tag_file.entries:
        unknown_fields = [key for name, (key, _) in entry.fields.items() if name not in _TAG_FIELDS]
        problems.extend(unknown("field", key, _TAG_FIELDS, tag_file.name) for key in unknown_fields)
        _, tag = entry.fields.get("tag", (None, None))
        message = ""
        if not isinstance(tag, Text):
            if not unknown_fields:
                message = "a tag entry needs a name: `tag: name`"
                problems.append(Problem(tag_file.name, entry.line, 1, message))
            continue
        if not _TAG.fullmatch(tag.text):
            message = f'"{tag.text}" is not the name of a tag'
        elif tag.text in tags:
            message = f'duplicate tag "{tag.text}"'
        elif not isinstance(entry.fields.get("desc", (None, None))[1], Text):
            message = f'tag "{tag.text}" needs a description, `desc:`'
        if message:
            problems.append(tag.problem(tag_file.name, message))
        else:
            tags.append(tag.text)
    return tags
