"""Run code generation from the command line: `python tools/setup_helpers/generate_code.py`.

CMake calls this to run the stages that are out of date in a build directory.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # called as a script
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from tools.base.console import report
from tools.base.errors import BuildError, did_you_mean, usage_error
from tools.setup_helpers.cmake.interface import recorded_options
from tools.setup_helpers.generation.graph_step import GraphStep
from tools.setup_helpers.generation.stage_runner import run_stages
from tools.setup_helpers.table.config_reader import load


def main(arguments: list[str]) -> int:
    """Run the stages and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=Path.cwd(), help="the checkout")
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build directory")
    parser.add_argument(
        "--force",
        nargs="*",
        metavar="STAGE",
        help="run these stages (default: all) even if they are up to date",
    )
    parser.add_argument(
        "--subset", default="", metavar="JOB", help="run only the stages of a job, such as libtorch"
    )
    parser.add_argument(
        "--everything", action="store_true", help="also write the files that exist only for reading"
    )
    for name in ("--declarations-path", "--nn-path"):
        parser.add_argument(
            name,
            type=_existing,
            metavar="PATH",
            help="accepted if it exists: stages read the inputs that the table gives them",
        )
    parser.add_argument("--step", action="store_true", help="called by a step of the build graph")
    parsed = parser.parse_args(arguments)
    try:
        _generate(parsed)
    except (BuildError, OSError) as error:
        return report(error)
    return 0


def _existing(text: str) -> Path:
    path = Path(text)
    if not path.exists():
        raise argparse.ArgumentTypeError(f"{path} does not exist")
    return path


def _generate(parsed: argparse.Namespace) -> None:
    source, build_dir, force = parsed.source.resolve(), parsed.build.resolve(), parsed.force
    config = load(source)
    names = [stage.name for stage in config.stages]
    for name in force or ():
        if name not in names:
            raise usage_error(f"unknown stage {name!r}{did_you_mean(name, names)}")
    jobs = sorted({stage.job for stage in config.stages if stage.job})
    if parsed.subset not in ("", *jobs):
        hint = did_you_mean(parsed.subset, jobs)
        raise usage_error(
            f"unknown job {parsed.subset!r}{hint}", cause="there are: " + ", ".join(jobs)
        )
    options = recorded_options(config, build_dir)
    step = GraphStep(config, build_dir)
    results = run_stages(
        config,
        options.values_and_facts(),
        {name: options.text(name) for name in options},
        build_dir,
        forced=() if force is None else force or names,
        everything=parsed.everything,
        job=parsed.subset,
    )
    for result in results:
        if result.reason:
            print(f"-- generated {result.name}: {result.reason}, {result.changed} files changed")
    if parsed.step:
        step.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
