"""The hooks of the build backend for a Python that is too old to run it.

The metadata hooks write just enough for pip to report which Python the package requires. The hooks that
build fail with the same message as setup.py. This module must run under Python 3.8.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, NoReturn

EXIT_CODE = 3  # equal to errors.ENVIRONMENT, whose module needs a newer Python


def minimum() -> str:
    """Return the oldest Python that can build the project, from its pyproject.toml."""
    project = Path(__file__).parents[2] / "pyproject.toml"
    return _value(project.read_text(encoding="utf-8"), "requires-python").lstrip(">= ")


def is_too_old() -> bool:
    """Return whether the running Python is older than that."""
    return list(sys.version_info[:2]) < [int(part) for part in minimum().split(".")]


def _refuse(*_: Any, **__: Any) -> NoReturn:
    version = sys.version.split()[0]
    print(f"error: Python {minimum()} or newer is needed; this is {version}", file=sys.stderr)
    raise SystemExit(EXIT_CODE)


build_wheel = build_editable = build_sdist = _refuse


def _requires_nothing(config_settings: Any = None) -> list[str]:
    return []


get_requires_for_build_wheel = _requires_nothing
get_requires_for_build_editable = _requires_nothing
get_requires_for_build_sdist = _requires_nothing


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """Write the name, version and required Python; pip then refuses to install the package."""
    project = Path("pyproject.toml").read_text(encoding="utf-8")
    table = Path("build_config.toml").read_text(encoding="utf-8")
    name = _value(project, "name")
    version = Path(_value(table, "version_file")).read_text(encoding="utf-8").strip()
    info = "{}-{}.dist-info".format(re.sub(r"[-_.]+", "_", name), version)
    folder = Path(metadata_directory, info)
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        f"Requires-Python: {_value(project, 'requires-python')}\n",
        encoding="utf-8",
    )
    wheel = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n"
    (folder / "WHEEL").write_text(wheel, encoding="utf-8")
    return info


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def _value(text: str, key: str) -> str:
    """Return the text of the first `key = "..."`; such a Python has no TOML parser."""
    found = re.search(rf'^{key}\s*=\s*"([^"]*)"', text, re.MULTILINE)
    if not found:
        raise SystemExit(f"error: pyproject.toml and build_config.toml do not state {key}")
    return found[1]
