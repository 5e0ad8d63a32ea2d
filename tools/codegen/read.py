"""From the texts of native_functions.yaml and tags.yaml to the model, or to every problem in them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tools.codegen.complete import complete
from tools.codegen.entry import EntryReader
from tools.codegen.errors import InputError, Problem, suggest
from tools.codegen.model import NativeFunction, Operators, StructuredGroup
from tools.codegen.schema import SchemaKind
from tools.codegen.source import read_text
from tools.codegen.yaml_reader import Text, read_entries


def read_files(
    native_functions: Path,
    tags: Path,
    *,
    native_functions_name: str = "",
    tags_name: str = "",
) -> Operators:
    """Read both files from disk; messages use the given names, or else the paths."""
    problems: list[Problem] = []
    names = [native_functions_name or str(native_functions), tags_name or str(tags)]
    native_text = read_text(native_functions, names[0], problems)
    tags_text = read_text(tags, names[1], problems)
    if problems:
        raise InputError(problems, dict(zip(names, [native_text, tags_text], strict=True)))
    return read_operators(
        native_text, tags_text, native_functions_file=names[0], tags_file=names[1]
    )


def read_operators(
    native_functions: str,
    tags: str,
    *,
    native_functions_file: str = "native_functions.yaml",
    tags_file: str = "tags.yaml",
) -> Operators:
    """Parse both texts; raises InputError with all problems."""
    problems: list[Problem] = []
    sources = {native_functions_file: native_functions, tags_file: tags}
    known_tags = _read_tags(tags, tags_file, problems)
    reader = EntryReader(native_functions_file, frozenset(known_tags), problems)
    functions: list[NativeFunction] = []
    for entry in read_entries(native_functions, native_functions_file, problems):
        function = reader.read(entry)
        if function is not None:
            functions.append(function)
    functions = _without_repeats(functions, problems)
    _check_delegates(functions, reader, problems)
    if problems:
        raise InputError(problems, sources)
    groups = _structured_groups(functions, problems)
    completed = complete(functions, problems)
    if problems:
        raise InputError(problems, sources)
    return Operators(completed, groups, tuple(known_tags))


def _read_tags(text: str, file: str, problems: list[Problem]) -> list[str]:
    tags: list[str] = []
    for entry in read_entries(text, file, problems):
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
        name = str(function.func.name)
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
    structured = {str(f.func.name): f for f in functions if f.structured}
    for function in functions:
        if function.structured_delegate is None:
            continue
        name = str(function.structured_delegate)
        at = reader.delegate_texts[str(function.func.name)]
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
        str(f.func.name): {SchemaKind.out: f} for f in functions if f.structured
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
