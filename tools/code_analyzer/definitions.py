"""The definitions at namespace scope of a C++ file: their names, and the names that they use.

This is no C++ parser. It reads the sources of this repository, formatted by clang-format, and prefers
to find one use too many: the worst outcome is a definition that is kept without need.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

_LITERAL = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*(?:\\\n(?:[^\n\\]|\\.)*)*", re.MULTILINE)
_DEFINE = re.compile(r"\s*#\s*define\s+(\w+)(\(([^)]*)\))?(.*)", re.DOTALL)
_NAMESPACE = re.compile(r"(?:inline\s+)?namespace\b\s*([\w:]*)\s*\{|extern\s+\{")
_CALL = re.compile(r"([A-Z][A-Z0-9_]*[A-Z0-9])\s*\(")
_TOKEN = re.compile(r"[A-Za-z_]\w*|::|->|\S")
_NEVER_NATIVE = frozenset({"at", "std", "c10", "ops", "methods", "vec"})
"""Namespaces whose names are not those of kernels: `at::add` calls the dispatcher."""
_TYPE = re.compile(r"(?:template\s*<.*>\s*)?(?:struct|class|union|enum(?:\s+class)?)\b", re.DOTALL)
_TYPE_NAME = re.compile(
    r"(?:struct|class|union|enum(?:\s+class)?)\s+(?:\w+\s*\([^)]*\)\s*|[A-Z]+_API\s+)?(\w+)"
)
_ALIAS = re.compile(r"(?:template\s*<.*?>\s*)?using\s+(\w+)\s*=", re.DOTALL)
_ENDS_CALL = (";", "(", "{", ":")
_REGISTRATION = re.compile(r"(?:REGISTER\w*|DEFINE|DECLARE)_DISPATCH$")
_MAX_EXPANSIONS = 4


@dataclass(frozen=True)
class Definition:
    """A piece of a file at namespace scope."""

    begin: int
    end: int
    names: frozenset[str]
    """What it defines; empty for a piece that must stay, such as an operator or a static object."""
    uses: frozenset[str]
    """The names in its text."""
    calls: frozenset[str]
    """Those of `uses` that can name a function of another file: not mere variables."""
    is_function: bool
    local: bool
    """Whether only its own file can use it."""


@dataclass(frozen=True)
class Macro:
    """A function-like macro."""

    parameters: tuple[str, ...]
    body: str

    def expand(self, arguments: list[str]) -> str:
        values = dict(zip(self.parameters, arguments, strict=False))
        text = re.sub(r"\\\n", " ", self.body)
        text = re.sub(r"\b\w+\b", lambda word: values.get(word[0], word[0]), text)
        return re.sub(r"\s*##\s*", "", text)


@dataclass(frozen=True)
class SourceFile:
    """A file, and what it defines."""

    name: str
    text: str
    macros: Mapping[str, Macro] = field(default_factory=dict)
    """Macros of headers; those of the file itself are added."""

    @cached_property
    def masked(self) -> str:
        """Return the text with blanks for comments, literals and directives."""
        text = _LITERAL.sub(_blank, self.text)
        return _DIRECTIVE.sub(_blank, text)

    @cached_property
    def own_macros(self) -> Mapping[str, Macro]:
        """Return the function-like macros that the file defines."""
        found = {}
        text = _LITERAL.sub(_blank, self.text)
        for directive in _DIRECTIVE.finditer(text):
            if (match := _DEFINE.match(directive[0])) and match[2]:
                parameters = tuple(part.strip() for part in match[3].split(","))
                found[match[1]] = Macro(parameters, match[4])
        return found

    @cached_property
    def macro_uses(self) -> frozenset[str]:
        """Return the names in the bodies of all macros of the file."""
        text = _LITERAL.sub(_blank, self.text)
        bodies = (_DEFINE.match(directive[0]) for directive in _DIRECTIVE.finditer(text))
        return frozenset[str]().union(*(_uses(body[4])[0] for body in bodies if body))

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """Return the definitions in the order of the file."""
        return tuple(_definitions(self.masked, {**self.macros, **self.own_macros}))


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _definitions(text: str, macros: Mapping[str, Macro], depth: int = 0) -> Iterator[Definition]:
    position, scopes = 0, list[bool]()
    while True:
        while position < len(text) and (text[position].isspace() or text[position] == ";"):
            position += 1
        if position == len(text):
            return
        if text[position] == "}":
            if scopes:
                scopes.pop()
            position += 1
            continue
        if match := _NAMESPACE.match(text, position):
            scopes.append(not match[1] and match[0].lstrip().startswith("namespace"))
            position = match.end()
            continue
        end = _end(text, position)
        piece = text[position:end]
        local = any(scopes) or piece.startswith("static ")
        yield from _meaning(piece, position, local, macros, depth)
        position = end


def _end(text: str, begin: int) -> int:
    """Return where the piece that begins at `begin` ends."""
    position = begin
    if call := _CALL.match(text, begin):
        position = matching(text, call.end() - 1)
        after = re.compile(r"\s*").match(text, position)
        assert after is not None
        if text[after.end() : after.end() + 1] not in _ENDS_CALL:
            return position
    if template := re.compile(r"template\s*(?=<)").match(text, position):
        position = _after_angles(text, template.end())
    assigned = False
    while position < len(text):
        each = text[position]
        if each == ";":
            return position + 1
        if each in "([{":
            position = matching(text, position)
            if each == "{" and not assigned and not _goes_on(text, position):
                return _after_semicolon(text, position)
            continue
        if each == "}":
            return position
        if each == "=" and text[position - 8 : position] != "operator":
            assigned = True
        position += 1
    return position


def _goes_on(text: str, position: int) -> bool:
    """Return whether a piece goes on after a closing brace: `A() : x{1}, y{2} {`."""
    rest = text[position : position + 200].lstrip()
    return rest[:1] in (",", "{", "(", ")", "=", "[")


def _after_semicolon(text: str, position: int) -> int:
    match = re.compile(r"\s*;").match(text, position)
    if match:
        return match.end()
    # `struct Name {...} variable;` is rare, and ends at its own semicolon.
    return position


def matching(text: str, position: int) -> int:
    """Return the position after the bracket that closes the one at `position`."""
    depth = 0
    while position < len(text):
        if text[position] in "([{":
            depth += 1
        elif text[position] in ")]}":
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return position


def _after_angles(text: str, position: int) -> int:
    depth = 0
    while position < len(text):
        each = text[position]
        if each == "<":
            depth += 1
        elif each == ">" and text[position - 1] != "-":
            depth -= 1
            if depth == 0:
                return position + 1
        elif each in "([{":
            position = matching(text, position)
            continue
        position += 1
    return position


def _meaning(
    piece: str, begin: int, local: bool, macros: Mapping[str, Macro], depth: int
) -> Iterator[Definition]:
    end = begin + len(piece)
    call = _CALL.match(piece)
    if call and _REGISTRATION.match(call[1]):
        if call[1] != "DECLARE_DISPATCH":
            name = re.findall(r"\w+", piece[call.end() :])[0]
            yield Definition(begin, end, frozenset({name}), *_uses(piece), False, False)
        return
    if call and call[1] in macros and depth < _MAX_EXPANSIONS:
        close = matching(piece, call.end() - 1)
        arguments = [part.strip() for part in _split(piece[call.end() : close - 1])]
        expanded = macros[call[1]].expand(arguments) + piece[close:]
        inner = list(_definitions(expanded, macros, depth + 1))
        names = frozenset[str]().union(*(each.names for each in inner))
        if not all(each.names for each in inner):
            names = frozenset()  # a part must stay
        uses = frozenset[str]().union(*(each.uses for each in inner))
        calls = frozenset[str]().union(*(each.calls for each in inner))
        yield Definition(begin, end, names, uses, calls, True, local)
        return
    is_function = "(" in _head(piece)
    yield Definition(begin, end, _names(piece), *_uses(piece), is_function, local)


def _split(text: str) -> Iterator[str]:
    """Split the arguments of a macro at the commas outside of brackets."""
    begin = position = 0
    while position < len(text):
        if text[position] in "([{":
            position = matching(text, position)
            continue
        if text[position] == ",":
            yield text[begin:position]
            begin = position + 1
        position += 1
    yield text[begin:]


def _names(piece: str) -> frozenset[str]:
    """Return what a piece defines."""
    if alias := _ALIAS.match(piece):
        return frozenset({alias[1]})
    if piece.startswith("using"):
        return frozenset()
    head = _head(piece)
    if _TYPE.match(head) and not re.search(r"\)\s*(?:const\s*)?$", head):
        found = _TYPE_NAME.search(head)
        return frozenset({found[1]}) if found else frozenset()
    if re.search(r"\boperator\b", head):
        return frozenset()
    if "(" in head:
        name = head[: head.index("(")].rstrip()
        words = re.findall(
            r"[A-Za-z_]\w*", re.sub(r"<[^<>]*(?:<[^<>]*>)?[^<>]*>\s*(?=::|$)", "", name)
        )
        if not words:
            return frozenset()
        # `Type::method` belongs to its type; a function does not belong to its namespace.
        scoped = re.search(r"(\w+)(?:<[^()]*>)?\s*::\s*~?\w+$", name)
        is_type = scoped and (scoped[1][0].isupper() or scoped[1].startswith("structured_"))
        return frozenset({scoped[1] if scoped and is_type else words[-1]})
    variable = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|\{|;|$)", head)
    return frozenset({variable[1]}) if variable else frozenset()


def _head(piece: str) -> str:
    """Return a piece without its template parameters, attributes, and body."""
    begin = 0
    while template := re.compile(r"\s*template\s*(?=<)").match(piece, begin):
        begin = _after_angles(piece, template.end())
    text = re.sub(
        r"__attribute__\s*\(\([^)]*\)\)|alignas\s*\([^)]*\)|\[\[.*?\]\]", " ", piece[begin:]
    )
    stop = len(text)
    position = 0
    while position < len(text):
        if text[position] == "(":
            position = matching(text, position)
            continue
        if text[position] in "{=;":
            stop = position
            break
        position += 1
    return text[:stop].strip()


def _uses(piece: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that may be those of definitions, and those that may name functions."""
    uses, calls = set[str](), set[str]()
    tokens = ["", "", *_TOKEN.findall(piece), ""]
    for index in range(2, len(tokens) - 1):
        name, before, after = tokens[index], tokens[index - 1], tokens[index + 1]
        if not (name[0].isalpha() or name[0] == "_") or before in (".", "->"):
            continue
        scope = tokens[index - 2] if before == "::" else ""
        if scope in _NEVER_NATIVE or scope == ">" or name in _NEVER_NATIVE:
            continue
        uses.add(name)
        if after in ("(", "<") or before in ("&", "::"):
            calls.add(name)
    return frozenset(uses), frozenset(calls)
