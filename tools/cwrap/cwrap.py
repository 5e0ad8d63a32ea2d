"""Wraps C functions for Python: each plug-in contributes to the text of every wrapper.

`python -m tools.cwrap.cwrap FILE.cwrap OUTPUT.cpp` wraps the functions of one file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tools.codegen.command import run_command
from tools.codegen.errors import InputError, Problem
from tools.cwrap.declarations import Argument, Declaration, read_declarations
from tools.cwrap.libraries import library_of
from tools.cwrap.plugins import Plugin

_ROOT = Path(__file__).parent


def cwrap(text: str, file: str, plugins: Sequence[Plugin]) -> str:
    """Return the C++ that wraps the declarations of a .cwrap file.

    Raises:
        InputError: If the file has mistakes.
    """
    declarations = read_declarations(text, file)
    wrapped: list[str] = []
    problems: list[Problem] = []
    for declaration in declarations:
        try:
            wrapped.append(_wrapper(declaration, plugins))
        except ValueError as error:
            problems.append(Problem(file, declaration.line, 1, str(error), 2))
    if problems:
        raise InputError(problems, {file: text})
    code = "\n".join(wrapped)
    for plugin in plugins:
        code = plugin.process_all(code, declarations)
    return code


def _wrapper(declaration: Declaration, plugins: Sequence[Plugin]) -> str:
    def unpacked(argument: Argument, index: int) -> str:
        code = ""
        for plugin in plugins:
            code = plugin.process_argument(code, argument, index, declaration)
        return f"const auto {argument.name} = {code};"

    lines = [unpacked(argument, i) for i, argument in enumerate(declaration.arguments)]
    names = ", ".join(argument.name for argument in declaration.arguments)
    call = f"{declaration.cname}({names});"
    for plugin in plugins:
        call = plugin.process_call(call, declaration)
    body = "\n".join([*lines, call])
    for plugin in plugins:
        body = plugin.process_wrapper(body, declaration)
    return body


def main(arguments: list[str]) -> int:
    """Wrap the functions of one file as a Python module's methods."""
    from tools.cwrap.plugins.defaults import module_plugins

    if len(arguments) != 2:
        print("usage: python -m tools.cwrap.cwrap FILE.cwrap OUTPUT.cpp", file=sys.stderr)
        return 2
    source, destination = map(Path, arguments)

    def wrap() -> None:
        plugins = module_plugins(library_of(source))
        code = cwrap(source.read_text(encoding="utf-8"), str(source), plugins)
        destination.write_text(code, encoding="utf-8")

    return run_command("cwrap", wrap)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
