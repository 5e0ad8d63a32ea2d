"""Command line of code generation: `python tools/setup_helpers/generate_code.py`, which CMake calls.

Runs the stages that are out of date for a build directory; stage_runner does the work.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # called as a script
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from tools.setup_helpers.code_generation.stage_runner import run_stages
from tools.setup_helpers.errors import BuildError, usage_error
from tools.setup_helpers.graph.cmake_interface import recorded_options
from tools.setup_helpers.suggest import did_you_mean
from tools.setup_helpers.table.config_reader import load
from tools.setup_helpers.terminal.printing import print_error


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=Path.cwd(), help="the checkout")
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build directory")
    parser.add_argument("--force", nargs="*", metavar="STAGE", help="run these stages, or all")
    parser.add_argument("--everything", action="store_true", help="also the files for people")
    parsed = parser.parse_args(arguments)
    try:
        _generate(parsed.source.resolve(), parsed.build.resolve(), parsed.force, parsed.everything)
    except BuildError as error:
        print_error(error)
        return error.exit_code
    return 0


def _generate(source: Path, build_dir: Path, force: list[str] | None, everything: bool) -> None:
    config = load(source)
    names = [stage.name for stage in config.stages]
    for name in force or ():
        if name not in names:
            raise usage_error(f"unknown stage {name!r}{did_you_mean(name, names)}")
    options = recorded_options(config, build_dir)
    results = run_stages(
        config,
        options.values_and_facts(),
        {name: options.text(name) for name in options},
        build_dir,
        forced=() if force is None else force or names,
        everything=everything,
    )
    for result in results:
        if result.reason:
            print(f"-- generated {result.name}: {result.reason}, {result.changed} files changed")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
