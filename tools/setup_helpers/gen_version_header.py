"""The version as Python and C++ read it. The commit stands in version.py only, so that none rebuilds C++."""

from __future__ import annotations

import re

from .code_generation.stages import StageContext

_PYTHON = """# Made by tools/setup_helpers/gen_version_header.py from {version_file}.
__version__ = {runtime!r}
distribution_version = {version!r}
debug = {debug}
cuda = None
hip = None
git_version = {revision!r}
"""

_HEADER = """// Made by tools/setup_helpers/gen_version_header.py from {version_file}.
#pragma once

#define {prefix}_VERSION_MAJOR {major}
#define {prefix}_VERSION_MINOR {minor}
#define {prefix}_VERSION_PATCH {patch}
#define {prefix}_VERSION "{runtime}"
"""


def distribution_version(base: str, override: str = "", number: str = "") -> str:
    """version.txt's version, or the given one with its post-release number."""
    if not override:
        return base
    return f"{override}.post{number}" if int(number or "0") > 1 else override


def stage(context: StageContext) -> None:
    """Writes version.py and version.h of the package."""
    project = context.config.project
    version = distribution_version(
        context.config.version, context.role("version"), context.role("version_number")
    )
    runtime = project.runtime_version.format(version=version)
    numbers = [*re.findall(r"\d+", runtime.partition("+")[0]), "0", "0", "0"]
    fields = {
        "version_file": project.version_file,
        "runtime": runtime,
        "version": version,
        "debug": context.role("debug") == "ON",
        "revision": context.facts["git_revision"],
        "prefix": project.package.upper(),
        "major": numbers[0],
        "minor": numbers[1],
        "patch": numbers[2],
    }
    context.files.write(f"{project.package}/version.py", _PYTHON.format(**fields))
    context.files.write(f"{project.package}/version.h", _HEADER.format(**fields))
