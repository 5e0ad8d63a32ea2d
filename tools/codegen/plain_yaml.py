"""A fast reader for plain entries: one field a line, plain values, at most one nested mapping.

An entry of one field with a literal block (`- name: |`) is plain as well.

Nearly all entries are plain. An entry that is not certainly plain is left to libyaml; for plain
entries both readers give the same result.
"""

from __future__ import annotations

import re

from tools.codegen.yaml_values import Entry, Text, Value

_FIELD = re.compile(r"(- | +)([A-Za-z_]\w*(?:, \w+)*):(?: +([A-Za-z0-9_(\[#].*)?)?", re.ASCII)
_LIST = re.compile(r"\[[A-Za-z_][\w.]*(?:, [A-Za-z_][\w.]*)*\]", re.ASCII)
_WORD = re.compile(r"[\w.]+", re.ASCII)
_BLOCK = re.compile(r"- ([A-Za-z_]\w*): \|", re.ASCII)
_BLOCK_INDENT = " " * 4
_FIELD_INDENT = 2


class _NotPlain(Exception):
    """Raised for entries that libyaml must read."""


def plain_entry(lines: list[str], first: int) -> Entry | None:
    """Read an entry from its lines, which begin at line `first`; return None if it is not plain."""
    try:
        block = _BLOCK.fullmatch(lines[0])
        return _block_entry(block, lines, first) if block else _entry(lines, first)
    except _NotPlain:
        return None


def _entry(lines: list[str], first: int) -> Entry:
    entry = Entry(first)
    pairs: list[tuple[Text, Value]] = []
    pairs_open, pairs_indent = False, 0
    for number, line in enumerate(lines, first):
        field = _FIELD.fullmatch(line)
        if field is None and number > first and _ignored(line):
            continue
        if field is None or not (line.isascii() and line.isprintable()):
            raise _NotPlain
        key = Text(field[2], number, field.start(2) + 1)
        value = _value(field, number)
        indent = field.end(1)
        if indent == _FIELD_INDENT:
            if (field[1] == "- ") != (number == first) or key.text in entry.fields:
                raise _NotPlain
            if pairs_open and not pairs:
                raise _NotPlain
            pairs, pairs_open, pairs_indent = [], value is None, 0
            entry.fields[key.text] = (key, pairs if value is None else value)
            continue
        repeated = any(key.text == known.text for known, _ in pairs)
        shallow = indent < _FIELD_INDENT or pairs_indent not in (0, indent)
        if not pairs_open or not isinstance(value, Text) or repeated or shallow:
            raise _NotPlain
        pairs_indent = indent
        pairs.append((key, value))
    if pairs_open and not pairs:
        raise _NotPlain
    return entry


def _block_entry(block: re.Match[str], lines: list[str], first: int) -> Entry:
    """Read an entry whose only value is a block of lines, indented by four columns or more."""
    text: list[str] = []
    for line in lines[1:]:
        indented = line.startswith(_BLOCK_INDENT) and line[-1] != " "
        if line and not (indented and line.isascii() and line.isprintable()):
            raise _NotPlain
        text.append(line[len(_BLOCK_INDENT) :])
    if not text or not text[0] or text[0][0] == " ":
        raise _NotPlain
    entry = Entry(first)
    key = Text(block[1], first, block.start(1) + 1)
    value = Text("\n".join(text).rstrip("\n"), first, block.end(0))
    entry.fields[key.text] = (key, value)
    return entry


def _ignored(line: str) -> bool:
    """Return whether the line is empty or a comment."""
    rest = line.lstrip(" ")
    return not rest or (rest[0] == "#" and rest.isascii() and rest.isprintable())


def _value(field: re.Match[str], number: int) -> Text | list[Text] | None:
    """Return the value after the colon, or None if there is none."""
    text: str | None = field[3]
    if text is None or text[0] == "#":
        return None
    text = text.partition(" #")[0].rstrip(" ")
    column = field.start(3) + 1
    if text[0] == "[":
        if _LIST.fullmatch(text) is None:
            raise _NotPlain
        return [Text(word[0], number, column + word.start()) for word in _WORD.finditer(text)]
    if ": " in text or text[-1] == ":":
        raise _NotPlain
    return Text(text, number, column)
