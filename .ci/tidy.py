"""Run clang-tidy on the C++ files that changed since a commit, for a limited time.

    python .ci/tidy.py [BASE] [--limit SECONDS] [--jobs N]

It reads build/compile_commands.json, so a build comes first. A changed header is checked through a
source file that includes it, and findings are reported in changed files only. Files that the time
did not suffice for are listed. Without BASE it takes the last eight commits.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECENT = 8
SUFFIXES = (".cpp", ".h")
# An option that clang refuses, and one that hides that a source does not include what it uses.
LEFT_OUT = re.compile(r" (-fno-canonical-system-headers\b|-include\S+/standard_headers\.h)")


def output_of(*command: str) -> str:
    """Return the standard output of a command that must succeed."""
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def default_base() -> str:
    """Return the commit before the last few, or the first one of a shorter history."""
    commits = output_of("git", "rev-list", "--first-parent", f"-{RECENT + 1}", "HEAD").split()
    return commits[-1]


def changed_files(base: str) -> list[str]:
    """Return the C++ files that differ from the base, those of the newest commits first."""
    log = output_of("git", "log", "--format=", "--name-only", f"{base}..HEAD").split("\n")
    pending = output_of("git", "diff", "--name-only", "HEAD").split("\n")
    differing = set(output_of("git", "diff", "--name-only", "--diff-filter=d", base).split("\n"))
    names = dict.fromkeys(name for name in (*pending, *log) if name in differing)
    return [n for n in names if n.endswith(SUFFIXES) and "/templates/" not in n]


def compilations() -> dict[str, dict[str, str]]:
    """Return one entry of the compilation database for each source file of the checkout."""
    entries = json.loads((ROOT / "build/compile_commands.json").read_text())
    found: dict[str, dict[str, str]] = {}
    for entry in entries:
        file = Path(entry["file"])
        if file.is_relative_to(ROOT):
            entry["command"] = LEFT_OUT.sub("", entry["command"])
            found.setdefault(file.relative_to(ROOT).as_posix(), entry)
    return found


def includers(headers: Iterable[str], sources: Mapping[str, object]) -> dict[str, list[str]]:
    """Return the source files that include each header, from what Ninja recorded."""
    wanted = set(headers)
    found: dict[str, list[str]] = {header: [] for header in wanted}
    build = ROOT / "build"
    for block in output_of("ninja", "-C", "build", "-t", "deps").split("\n\n"):
        paths = {
            os.path.relpath(build / line.strip(), ROOT)
            for line in block.splitlines()
            if line.startswith(" ")
        }
        for source in paths & sources.keys():
            for header in paths & wanted:
                found[header].append(source)
    return found


def plan(changed: list[str], sources: Mapping[str, object]) -> list[str]:
    """Return the source files to check: the changed ones, then one for each other header."""
    chosen = [name for name in changed if name in sources]
    headers = [name for name in changed if name.endswith(".h")]
    for header, users in includers(headers, sources).items():
        if users and not set(users) & set(chosen):
            same_name = [user for user in users if Path(user).stem == Path(header).stem]
            chosen.append(sorted(same_name or users)[0])
    return chosen


def main() -> int:
    """Check the files and return 1 if there are findings."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("base", nargs="?", help="the commit to compare with")
    parser.add_argument("--limit", type=float, default=180.0, help="seconds (default: 180)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    changed = changed_files(options.base or default_base())
    sources = compilations()
    files = plan(changed, sources)
    header_filter = "|".join(f"{re.escape(name)}$" for name in changed) or "^$"
    deadline = time.monotonic() + options.limit

    with tempfile.TemporaryDirectory() as database, ThreadPoolExecutor(options.jobs) as pool:
        Path(database, "compile_commands.json").write_text(
            json.dumps([sources[name] for name in files])
        )

        def check(name: str) -> tuple[str, int | None, str]:
            if time.monotonic() > deadline:
                return name, None, ""
            command = ["clang-tidy", "-p", database, "--quiet", f"--header-filter={header_filter}"]
            done = subprocess.run(
                [*command, str(ROOT / name)], cwd=ROOT, capture_output=True, text=True, check=False
            )
            problem = done.stderr if done.returncode and not done.stdout.strip() else ""
            return name, done.returncode, done.stdout + problem

        results = list(pool.map(check, files))

    for _, status, text in results:
        if status:
            print(text.replace(f"{ROOT}/", ""), end="")
    left = [name for name, status, _ in results if status is None]
    failed = [name for name, status, _ in results if status]
    print(f"clang-tidy: {len(files) - len(left)} files checked, {len(failed)} with findings")
    if left:
        print(f"left out after {options.limit:.0f} s: {' '.join(left)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
