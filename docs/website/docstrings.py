"""Turn the light markup of docstrings into reStructuredText: `code` is code, and nothing else is markup."""

from __future__ import annotations

import re

# Inline code that no role precedes; a role such as :func:`torch.add` stays.
_CODE = re.compile(r"(?<![:`\w])`([^`\n]+(?:\n[^`\n]+)?)`(?!`)")
_ROLE_OR_CODE = re.compile(r"(:[\w:]+:`[^`]+`|``[^`]+``)")
_MARKUP = re.compile(r"[*|\\]|(?<=\w)_(?!\w)")
_STARRED_PARAMETER = re.compile(r"^(\s*)(\*{1,2})(?=\w+( \([^)]*\))?: )")
_SECTION = re.compile(r"^\s*[A-Z]\w+:$")
_LIST = re.compile(r"^\s*([-*]|\d+\.) ")
_PROMPT = re.compile(r"^\s*(>>>|\.\.\.)( |$)")


def to_rst(text: str) -> str:
    """Convert a docstring. Examples and indented formulas keep their text."""
    out: list[str] = []
    base = 0
    for paragraph in re.split(r"\n[ \t]*\n", text.rstrip()):
        lines = paragraph.strip("\n").split("\n")
        indent = min((_indent(line) for line in lines if line.strip()), default=base)
        if _PROMPT.match(lines[0]) or _LIST.match(lines[0]):
            out += [*_convert_before_examples(lines), ""]
        elif indent >= base + 2:
            out += [f"{' ' * base}::", "", *lines, ""]
        else:
            base = indent + 4 if _SECTION.match(lines[0]) else indent
            out += [*_convert_before_examples(lines), ""]
    return "\n".join(out)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _convert_before_examples(lines: list[str]) -> list[str]:
    first = next((n for n, line in enumerate(lines) if _PROMPT.match(line)), len(lines))
    return [*_convert(lines[:first]), *lines[first:]]


def _convert(lines: list[str]) -> list[str]:
    if not lines:
        return []
    text = _CODE.sub(lambda found: f"``{' '.join(found[1].split())}``", "\n".join(lines))
    parts = _ROLE_OR_CODE.split(text)
    parts[::2] = ["\n".join(map(_escape, part.split("\n"))) for part in parts[::2]]
    return "".join(parts).split("\n")


def _escape(line: str) -> str:
    starred = _STARRED_PARAMETER.match(line)
    head = starred[0] if starred else ""
    return head + _MARKUP.sub(lambda found: f"\\{found[0]}", line[len(head) :])


def summary(text: str | None) -> str:
    """Return the first sentence of a docstring without its signature lines, in reStructuredText."""
    lines = [line.strip() for line in (text or "").strip().split("\n")]
    while lines and re.match(r"[\w.]+\(.*\)( -> .*)?$", lines[0]):
        lines.pop(0)
    paragraph: list[str] = []
    for line in lines:
        if line:
            paragraph.append(line)
        elif paragraph:
            break
    return to_rst(" ".join(paragraph)).rstrip()


def connect(app) -> None:
    """Convert every docstring before napoleon reads its sections."""

    def convert(app, what, name, obj, options, lines: list[str]) -> None:
        lines[:] = to_rst("\n".join(lines)).split("\n")

    app.connect("autodoc-process-docstring", convert, priority=400)
