"""Where an option is mentioned: in the table, in CMake's files, in the sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..globs import find_files
from ..table.config import CONFIG_FILE, Config
from ..table.predicates import Predicate, names

# What it says of options is advice, not use: it acts on roles.
_FRONT_END = "/".join(__package__.split(".")[:-1]) + "/**"
_READ_BY_CMAKE = ("CMakeLists.txt", "cmake/**/*")


# Prose is no use of an option. What a line of it begins with, in the languages where that is no `#`.
_COMMENTS = dict.fromkeys((".c", ".h", ".cpp", ".cu", ".cuh"), ("//", "/*", "* "))


@dataclass(frozen=True)
class Use:
    """One line that uses the option."""

    path: str
    line: int
    text: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


def uses(config: Config, name: str) -> list[Use]:
    """In reading order: its row, CMake's files, then the sources that the table names as inputs."""
    inputs = [pattern for path in config.project.inputs for pattern in (path, f"{path}/**")]
    paths = find_files(config.root, [CONFIG_FILE, *_READ_BY_CMAKE, *inputs], [_FRONT_END])
    order = sorted(paths, key=lambda path: (path != CONFIG_FILE, not _is_cmake(path), path))
    mention = re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9_])")
    return [use for path in order for use in _mentions(config.root, path, name, mention)]


def _is_cmake(path: str) -> bool:
    return path == "CMakeLists.txt" or path.startswith("cmake/")


def _mentions(root: Path, path: str, name: str, mention: re.Pattern[str]) -> Iterator[Use]:
    try:
        text = (root / path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    if name not in text:
        return
    comment = _COMMENTS.get(Path(path).suffix, "#")
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if mention.search(line) and not line.startswith(comment):
            yield Use(path, number, line)


def rows_that_depend(config: Config, name: str) -> list[str]:
    """Parts of the table whose condition asks for the option."""
    rows: list[tuple[str, Predicate | None]] = [
        *((f"library {row.name}", row.when) for row in config.libraries),
        *((f"extension {row.name}", row.when) for row in config.extensions),
        *((f"program {row.name}", row.when) for row in config.programs),
        *((f"kernels for {row.name}", row.when) for row in config.capabilities),
        *((f"code generation stage {row.name}", row.when) for row in config.stages),
        *((f"files of the package under {row.root}", row.when) for row in config.packaging.files),
    ]
    return [text for text, when in rows if when is not None and name in set(names(when))]
