"""The functions that formulas may call: operators, and everything that included headers declare.

Whether a call is valid is up to the C++ compiler. A name that is neither an operator's nor in one
of those headers must be a mistake, which belongs to derivatives.yaml and is reported there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tools.codegen.model import Operators

_SKIPPED = re.compile(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/', re.DOTALL)
_CALLED = re.compile(r"((?:\w+\s*::\s*)*)\b([A-Za-z_]\w*)\s*\(")
_DECLARED = re.compile(r"\bauto\s*&?\s*(\w+)")
_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")
_MACRO = re.compile(r"#\s*define\s+\w+\(([^)]*)\)((?:.*\\\n)*.*)")
_PASTED = re.compile(r"(\w+)\s*##|##\s*(\w+)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LANGUAGE = re.compile(
    "alignof|auto|bool|catch|char|decltype|double|float|for|if|int|long|noexcept|return|short|"
    "signed|sizeof|switch|throw|typeid|unsigned|while"
)


def called_names(formula: str) -> Iterator[tuple[str, int]]:
    """Yield the functions and methods that a formula calls, each with its offset, without std's."""
    plain = _SKIPPED.sub(lambda match: " " * len(match[0]), formula)
    local = set(_DECLARED.findall(plain))
    for match in _CALLED.finditer(plain):
        name = match[2]
        if match[1].startswith("std") or name in local or _LANGUAGE.fullmatch(name):
            continue
        yield name, match.start(2)


@dataclass
class HeaderNames:
    """Every word in some headers and in their includes, which are read until a name is found."""

    folders: tuple[Path, ...]
    """Where to search for includes; other headers declare nothing that formulas call."""
    headers: tuple[str, ...]
    """The includes of a formula's file; the first declares the functions written for formulas."""
    _words: set[str] = field(default_factory=set)
    _prefixes: tuple[str, ...] = ()
    _suffixes: tuple[str, ...] = ()
    """Parts of names that macros concatenate, as in `to##type`."""
    _waiting: list[str] = field(default_factory=list)
    _visited: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._enqueue(self.headers)

    def __contains__(self, name: object) -> bool:
        assert isinstance(name, str)
        while not self._is_known(name):
            if not self._waiting:
                return False
            self._read(self._waiting.pop(0))
        return True

    def _is_known(self, name: str) -> bool:
        pasted = name.startswith(self._prefixes) or name.endswith(self._suffixes)
        return pasted or name in self._words

    def suggestions(self) -> set[str]:
        """Return the words of the first header."""
        return set(_WORD.findall(self._text(self.headers[0])))

    def _read(self, header: str) -> None:
        text = self._text(header)
        self._words.update(_WORD.findall(text))
        for parameters, body in _MACRO.findall(text) if "##" in text else ():
            given = set(_WORD.findall(parameters))
            for before, after in _PASTED.findall(body):
                self._prefixes += (before,) if before and before not in given else ()
                self._suffixes += (after,) if after and after not in given else ()
        self._enqueue(_INCLUDE.findall(text))

    def _enqueue(self, headers: Iterable[str]) -> None:
        new = [header for header in headers if header not in self._visited]
        self._visited.update(new)
        self._waiting.extend(new)

    def _text(self, header: str) -> str:
        for folder in self.folders:
            try:
                return _COMMENT.sub("", (folder / header).read_text(encoding="utf-8"))
            except OSError:
                continue
        return ""


@dataclass(frozen=True)
class FormulaCalls:
    """The functions that a model's formulas may call."""

    operators: frozenset[str]
    headers: HeaderNames

    @staticmethod
    def of(operators: Operators, headers: HeaderNames) -> FormulaCalls:
        """Combine the headers with the operators' C++ names, such as `add_` and `add_out`."""
        names = {function.func.name.name.text for function in operators.functions}
        outs = {f.func.name.name.text for f in operators.functions if f.func.is_out}
        outs = {name + suffix for name in outs for suffix in ("_out", "_outf")}
        return FormulaCalls(frozenset(names | outs), headers)

    def unknown(self, formula: str) -> Iterator[tuple[str, int]]:
        """Yield calls of undeclared functions, each name once, with its offset."""
        seen: set[str] = set()
        for name, at in called_names(formula):
            if name not in seen and name not in self.operators and name not in self.headers:
                seen.add(name)
                yield name, at

    def suggestions(self) -> list[str]:
        """Return the names that a misspelt call may have meant."""
        return sorted(self.operators | self.headers.suggestions())


def headers_of_formulas(root: Path) -> HeaderNames:
    """Return the headers of a checkout that the generated files with formulas include."""
    templates = ("tools/autograd/templates/Functions.cpp", "tools/autograd/templates/Functions.h")
    headers = ("torch/csrc/autograd/FunctionsManual.h", *templates)
    return HeaderNames((root / "aten/src", root), headers)
