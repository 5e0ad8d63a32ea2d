"""Find where an option is used: in the table, in CMake's files, in the sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.base.globs import find_files
from tools.setup_helpers.table.config import CONFIG_FILE, Config
from tools.setup_helpers.table.predicates import Predicate, names

# The front end uses roles; where it names an option, that is advice.
_FRONT_END = "/".join(__package__.split(".")[:-1]) + "/**"
_READ_BY_CMAKE = ("CMakeLists.txt", "cmake/**/*")


# Comments do not count as uses. The markers at the start of a comment line, where that is not `#`.
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
    """Return the uses in reading order: the option's row, CMake's files, then the table's inputs."""
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
    """Return the rows of the table whose condition depends on the option."""
    rows: list[tuple[str, Predicate | None]] = [
        *((f"library {row.name}", row.when) for row in config.libraries),
        *((f"extension {row.name}", row.when) for row in config.extensions),
        *((f"program {row.name}", row.when) for row in config.programs),
        *((f"kernels for {row.name}", row.when) for row in config.capabilities),
        *((f"code generation stage {row.name}", row.when) for row in config.stages),
        *((f"files of the package under {row.root}", row.when) for row in config.packaging.files),
    ]
    return [text for text, when in rows if when is not None and name in set(names(when))]
