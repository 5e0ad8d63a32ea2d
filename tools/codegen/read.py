"""From the texts of native_functions.yaml and tags.yaml to the model, or to every problem in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

from tools.codegen.complete import complete
from tools.codegen.entry import EntryReader
from tools.codegen.errors import InputError, Problem, suggest
from tools.codegen.model import NativeFunction, Operators, StructuredGroup
from tools.codegen.schema import SchemaKind
from tools.codegen.source import read_text
from tools.codegen.yaml_reader import Entry, Text, read_entries


@dataclass(frozen=True)
class OperatorFile:
    """A file of entries, read but not yet understood."""

    name: str
    text: str
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    readable: bool = True
    """Whether it is text at all; if not, nothing can be said about its entries."""

    @staticmethod
    def parse(text: str, name: str) -> OperatorFile:
        problems: list[Problem] = []
        entries = read_entries(text, name, problems)
        return OperatorFile(name, text, tuple(entries), tuple(problems))

    @staticmethod
    def read(path: Path, name: str = "") -> OperatorFile:
        """From disk; messages use the given name, or else the path."""
        name = name or str(path)
        problems: list[Problem] = []
        text = read_text(path, name, problems)
        if problems:
            return OperatorFile(name, text, (), tuple(problems), readable=False)
        return OperatorFile.parse(text, name)

    @cached_property
    def meaning(self) -> str:
        """Digest of what the entries say, without comments and places; empty when unreadable."""
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
    """The model that both texts declare; raises InputError with all problems."""
    return build_operators(
        OperatorFile.parse(native_functions, native_functions_file),
        OperatorFile.parse(tags, tags_file),
    )


def build_operators(native_functions: OperatorFile, tags: OperatorFile) -> Operators:
    """The model that both files declare; raises InputError with all problems."""
    problems = [*native_functions.problems, *tags.problems]
    sources = {file.name: file.text for file in (native_functions, tags)}
    if not (native_functions.readable and tags.readable):
        raise InputError(problems, sources)
    known_tags = _read_tags(tags, problems)
    reader = EntryReader(native_functions.name, frozenset(known_tags), problems)
    functions = _declared(native_functions, reader)
    _check_delegates(functions, reader, problems)
    if problems:
        raise InputError(problems, sources)
    groups = _structured_groups(functions, problems)
    completed = complete(functions, problems)
    if problems:
        raise InputError(problems, sources)
    return Operators(completed, groups, tuple(known_tags))


def declared_functions(native_functions: OperatorFile, tags: OperatorFile) -> list[NativeFunction]:
    """The operators whose entries can be read, whatever is wrong with the others."""
    reader = EntryReader(native_functions.name, frozenset(_read_tags(tags, [])), [])
    return _declared(native_functions, reader)


def _declared(native_functions: OperatorFile, reader: EntryReader) -> list[NativeFunction]:
    read = [reader.read(entry) for entry in native_functions.entries]
    return _without_repeats((f for f in read if f is not None), reader.problems)


def _read_tags(tag_file: OperatorFile, problems: list[Problem]) -> list[str]:
    file = tag_file.name
    tags: list[str] = []
    for entry in tag_file.entries:
        for name, (key, _) in entry.fields.items():
            if name not in ("tag", "desc"):
                message = f'unknown field "{name}"{suggest(name, ["tag", "desc"])}'
                problems.append(Problem(file, key.line, key.column, message, len(name)))
        _, tag = entry.fields.get("tag", (None, None))
        if not isinstance(tag, Text) or not tag.text.isidentifier():
            problems.append(Problem(file, entry.line, 1, "a tag entry needs `tag: name`"))
        elif tag.text in tags:
            message = f'a second tag "{tag.text}"'
            problems.append(Problem(file, tag.line, tag.column, message, len(tag.text)))
        elif "desc" not in entry.fields:
            message = f'tag "{tag.text}" needs a `desc:`'
            problems.append(Problem(file, tag.line, tag.column, message, len(tag.text)))
        else:
            tags.append(tag.text)
    return tags


def _without_repeats(
    functions: Iterable[NativeFunction], problems: list[Problem]
) -> list[NativeFunction]:
    first: dict[tuple[str, str], NativeFunction] = {}
    for function in functions:
        name = function.full_name
        key = (function.namespace, name)
        if key in first:
            message = f'"{name}" is already declared at line {first[key].location.line}'
            where = function.location
            problems.append(Problem(where.file, where.line, 9, message, len(name)))
        else:
            first[key] = function
    return list(first.values())


def _check_delegates(
    functions: list[NativeFunction], reader: EntryReader, problems: list[Problem]
) -> None:
    structured = {f.full_name: f for f in functions if f.structured}
    for function in functions:
        if function.structured_delegate is None:
            continue
        name = str(function.structured_delegate)
        at = reader.delegate_texts[function.full_name]
        target = structured.get(name)
        if target is None:
            message = f'no structured operator "{name}"{suggest(name, structured)}'
        elif function.func.signature() != target.func.signature():
            message = f'"{name}" has other arguments or results than "{function.func.name}"'
        else:
            continue
        problems.append(Problem(reader.file, at.line, at.column, message, len(name)))


def _structured_groups(
    functions: list[NativeFunction], problems: list[Problem]
) -> tuple[StructuredGroup, ...]:
    members: dict[str, dict[SchemaKind, NativeFunction]] = {
        f.full_name: {SchemaKind.out: f} for f in functions if f.structured
    }
    for function in functions:
        if function.structured_delegate is not None:
            members[str(function.structured_delegate)][function.func.kind] = function
    groups: list[StructuredGroup] = []
    for name, variants in members.items():
        out, functional = variants[SchemaKind.out], variants.get(SchemaKind.functional)
        if functional is None:
            where = out.location
            message = f'no functional operator delegates to the structured "{name}"'
            problems.append(Problem(where.file, where.line, 9, message, len(name)))
            continue
        groups.append(
            StructuredGroup(
                functional, out, variants.get(SchemaKind.inplace), variants.get(SchemaKind.mutable)
            )
        )
    return tuple(groups)
