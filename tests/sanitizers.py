"""Build with sanitizers and run the tests under them, in one command.

    python tests/sanitizers.py address FOLDER [-- PYTEST ARGUMENT ...]
    python tests/sanitizers.py thread FOLDER

FOLDER becomes a clone of this checkout's HEAD with a build of its own; a second run there compiles
what has changed. The running Python needs what `setup.py develop` and `setup.py test` install.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ("c10_test", "aten_test", "torch_test", "jit_test")
FINDING = re.compile(r"runtime error: |ERROR: \w+Sanitizer|WARNING: ThreadSanitizer")


@dataclass(frozen=True)
class Plan:
    """The build options for one kind of sanitizer, and the tests that run under it."""

    settings: Mapping[str, str]
    """Options of the build."""
    preloaded: tuple[str, ...]
    """Libraries that must be in Python's process before its own code: the sanitizer's run time, and
    libstdc++, whose `throw` it has to find when it starts."""
    tests: tuple[str, ...]
    """pytest's arguments."""
    checks: Mapping[str, str]
    """The sanitizer's own options, by environment variable."""
    python: Mapping[str, str]
    """Further variables of Python's processes."""


PLANS = {
    "address": Plan(
        settings={"USE_ASAN": "1", "USE_UBSAN": "1"},
        preloaded=("libasan.so", "libstdc++.so"),
        tests=("tests/runtime",),
        # Some tests request more memory than there is, and expect an error.
        checks={
            "ASAN_OPTIONS": "allocator_may_return_null=1",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        },
        # Python exits with memory in use. Its small objects must come from malloc to be checked.
        python={"LSAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"},
    ),
    "thread": Plan(
        settings={"USE_TSAN": "1", "ATEN_THREADING": "NATIVE"},
        preloaded=("libtsan.so", "libstdc++.so"),
        tests=("tests/runtime/autograd",),
        # Python and OpenBLAS are not compiled with the sanitizer, which sees their memory but not
        # their locks.
        checks={"TSAN_OPTIONS": "ignore_noninstrumented_modules=1:second_deadlock_stack=1"},
        python={"OPENBLAS_NUM_THREADS": "1"},
    ),
}


@dataclass(frozen=True)
class Outcome:
    """The result of one command."""

    name: str
    code: int
    seconds: float
    findings: tuple[str, ...]

    def __str__(self) -> str:
        state = f"exit code {self.code}, {len(self.findings)} findings"
        return f"{self.name:12} {self.seconds:7.1f} s  {'clean' if self.clean else state}"

    @property
    def clean(self) -> bool:
        return self.code == 0 and not self.findings


def run(
    name: str, command: Sequence[str | Path], folder: Path, variables: Mapping[str, str]
) -> Outcome:
    """Run a command and show its output; keep the lines that a sanitizer printed."""
    print("$", *command, flush=True)
    started = time.perf_counter()
    findings = []
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if FINDING.search(line):
                findings.append(line.rstrip())
    return Outcome(name, process.returncode, time.perf_counter() - started, tuple(findings))


def prepare(folder: Path) -> None:
    """Make `folder` a clone of this checkout, at the same commit."""
    if not folder.exists():
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    git = ["git", "-C", folder]
    subprocess.run([*git, "fetch", "--quiet", ROOT, "HEAD"], check=True)
    subprocess.run([*git, "checkout", "--quiet", "--detach", "FETCH_HEAD"], check=True)


def preload(names: Sequence[str]) -> str:
    """Return the value of LD_PRELOAD for libraries that belong to the compiler."""
    compiler = os.environ.get("CXX", "c++")
    paths = []
    for name in names:
        answer = subprocess.run(
            [compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True
        )
        path = answer.stdout.strip()
        if not os.path.isabs(path):
            raise SystemExit(f"error: {compiler} has no {name}; install the sanitizer's library")
        paths.append(path)
    return ":".join(paths)


def check(plan: Plan, folder: Path, arguments: Sequence[str]) -> list[Outcome]:
    """Build, then run the programs and the tests. Exit if the build fails."""
    prepare(folder)
    # Ninja's default target copies the package into the clone, where the tests import it from.
    builds: list[list[str | Path]] = [
        [sys.executable, "setup.py", "build"],
        ["cmake", "--build", "build", "--target", "all", "unit_tests"],
    ]
    for command in builds:
        if run("build", command, folder, plan.settings).code:
            raise SystemExit("error: the build failed")
    outcomes = [
        run(name, [folder / "build" / "bin" / name, "--gtest_brief=1"], folder, plan.checks)
        for name in PROGRAMS
    ]
    # Only Python's own streams are captured, so that a sanitizer's output is visible even if the
    # test passes.
    tests = [sys.executable, "-m", "pytest", "-q", "--capture=sys", *(arguments or plan.tests)]
    variables = {
        **plan.checks,
        **plan.python,
        "LD_PRELOAD": preload(plan.preloaded),
        "PYTHONPATH": str(folder),
    }
    return [*outcomes, run("pytest", tests, folder, variables)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sanitizers", choices=PLANS)
    parser.add_argument("folder", type=Path, help="a clone of this checkout, made if missing")
    parser.add_argument("pytest_arguments", nargs="*", help="instead of the plan's tests, after --")
    parsed = parser.parse_args()
    outcomes = check(PLANS[parsed.sanitizers], parsed.folder.resolve(), parsed.pytest_arguments)
    print(*(finding for outcome in outcomes for finding in outcome.findings), sep="\n")
    print(*outcomes, sep="\n")
    return 0 if all(outcome.clean for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
