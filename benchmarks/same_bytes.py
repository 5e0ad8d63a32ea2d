"""Compares the results of builds with each compiler cache, in several build directories.

    python benchmarks/same_bytes.py [--caches none ccache sccache] [--jobs 2]
                                    [--docs docs/building.md] [--check]

Every build packs a wheel in the same temporary worktree of HEAD, from an empty build directory. Three
directories are in the worktree, each deeper than the previous one, and one is outside. The first build
with a cache fills it; later builds must find every compilation in it. Without a cache every build compiles
everything, so that only two of the directories are tried.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from build_checkout import Checkout

from documents import marks_missing, put_table

CACHES = ("none", "ccache", "sccache")
MARK = "same bytes"
PRODUCTS = ("lib/libc10.so", "lib/libtorch_cpu.so")


@dataclass(frozen=True)
class Build:
    """One row of the table."""

    cache: str
    place: str
    digests: tuple[str, ...]
    """Digests of the build's products and of the wheel."""
    hits: int
    lookups: int

    @property
    def cells(self) -> list[str]:
        cell = f"{self.hits} of {self.lookups}" if self.lookups else ""
        return [f"`{self.cache}`", f"`{self.place}`", *self.digests, cell]


def build(checkout: Checkout, cache: str, place: str) -> Build:
    """Build, and delete the results, so that no build profits from an earlier one."""
    folder = checkout.root / place
    checkout.variables |= {"COMPILER_CACHE": cache, "BUILD_DIR": place}
    checkout.run(str(checkout.python), "setup.py", "bdist_wheel")
    (wheel,) = (checkout.root / "dist").glob("torchsmith-*.whl")
    report = json.loads((folder / "report.json").read_bytes())
    counts = report.get("compiler_cache") or {"hits": 0, "misses": 0}
    files = [*(folder / name for name in PRODUCTS), wheel]
    digests = tuple(hashlib.sha256(file.read_bytes()).hexdigest()[:12] for file in files)
    checkout.run("git", "clean", "-dffqx")
    shutil.rmtree(folder, ignore_errors=True)
    return Build(cache, place, digests, counts["hits"], counts["hits"] + counts["misses"])


def build_all(checkout: Checkout, caches: Sequence[str]) -> Iterator[Build]:
    places = ("build", "x/build", "x/y/build", "../outside/build")
    for cache in caches:
        for place in places if cache != "none" else (places[0], places[-1]):
            yield build(checkout, cache, place)


def misses(builds: Sequence[Build]) -> list[str]:
    """List the differences between the builds, and the misses of filled caches."""
    found = [
        f"{row.cache} in {row.place} has other bytes than {builds[0].cache} in {builds[0].place}"
        for row in builds
        if row.digests != builds[0].digests
    ]
    for before, row in pairwise(builds):
        if row.cache == before.cache and row.hits < row.lookups:
            found.append(f"{row.cache} in {row.place} missed {row.lookups - row.hits} times")
    return found


def table(builds: Sequence[Build]) -> list[str]:
    names = [f"`{Path(name).name}`" for name in PRODUCTS]
    head = ["cache", "build directory", *names, "wheel", "hits"]
    rows = [head, ["---"] * len(head), *(row.cells for row in builds)]
    return [f"| {' | '.join(row)} |" for row in rows]


def main() -> int:
    """Build and print; with --check, return 1 if bytes differ or a filled cache misses."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--caches", nargs="+", choices=CACHES, default=CACHES)
    parser.add_argument("--jobs", type=int, default=2, help="number of parallel jobs (default 2)")
    parser.add_argument("--docs", type=Path, help="insert the table into this file")
    parser.add_argument("--check", action="store_true", help="exit with 1 if anything differs")
    options = parser.parse_args()
    if options.docs and marks_missing(options.docs.read_text(), [MARK]):
        sys.exit(f"{options.docs} has no markers for the table {MARK}")
    folder = Path(tempfile.mkdtemp(prefix="same-bytes-"))
    checkout = Checkout(folder, options.jobs, cached=True)
    builds: list[Build] = []
    try:
        for row in build_all(checkout, options.caches):
            builds.append(row)
            print(*row.cells, sep="  ", flush=True)
    finally:
        checkout.remove()
        shutil.rmtree(folder, ignore_errors=True)
    found = misses(builds)
    print(*(found or ["the same bytes everywhere"]), sep="\n")
    if options.docs:
        text = put_table(options.docs.read_text(), MARK, "\n".join(table(builds)))
        options.docs.write_text(text)
    return 1 if options.check and found else 0


if __name__ == "__main__":
    sys.exit(main())
