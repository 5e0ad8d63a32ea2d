"""Count the hits and misses of ccache or sccache during a build."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from tools.base.cmake_text import read_cache
from tools.base.errors import BuildError, environment_error, usage_error
from tools.base.process import Answer, ask
from tools.base.store import build_file

from ..env.options import Options

LOG = build_file("logs/compiler_cache.log")
# Set by cmake/Modules/CompilerCache.cmake in CMake's cache: the program, or nothing, and the names of the
# programs to use if they are installed later.
_PROGRAM = "COMPILER_CACHE_IN_USE"
_CANDIDATES = "COMPILER_CACHE_CANDIDATES"
_CCACHE_HITS = frozenset(("direct_cache_hit", "preprocessed_cache_hit"))
_CCACHE_MISS = "cache_miss"
SERVER_PORTS = {"redis": 6379, "http": 80}
"""The kinds of shared caches that both programs know, by the scheme of the URL, with the default port."""
_IN_USE = re.compile(r"[Aa]ddress (?:already )?in use")


@dataclass(frozen=True)
class Counters:
    """How many compilations were answered from the cache, and how many were not."""

    hits: int
    misses: int

    @property
    def rate(self) -> float | None:
        """The hit rate from 0 to 1; None before the first compilation."""
        return self.hits / asked if (asked := self.hits + self.misses) else None


class CompilerCache(Protocol):
    """A cache whose hits and misses are counted from `begin` on."""

    def begin(self) -> Mapping[str, str]:
        """Start counting. Return the environment variables that the build has to set.

        Raises:
            BuildError: If the cache does not work.
        """

    def counters(self) -> Counters: ...


@dataclass
class Ccache:
    """Counts ccache's results from a log for this build, as other builds may use the same cache."""

    log: Path
    server: str = ""
    """The URL of a cache that other machines use too."""

    def begin(self) -> Mapping[str, str]:
        self.log.parent.mkdir(exist_ok=True)
        self.log.unlink(missing_ok=True)
        # The second name is that of versions before 4.7.
        names = ("CCACHE_REMOTE_STORAGE", "CCACHE_SECONDARY_STORAGE") if self.server else ()
        return {"CCACHE_STATSLOG": str(self.log), **dict.fromkeys(names, self.server)}

    def counters(self) -> Counters:
        hits = [hit for _, hit in self.outcomes()]
        return Counters(hits.count(True), hits.count(False))

    def outcomes(self) -> list[tuple[str, bool]]:
        """Return for each compilation the source, as passed to ccache, and whether it was a hit."""
        try:
            lines = self.log.read_text(errors="replace").splitlines()
        except OSError:
            return []
        outcomes = []
        source = ""
        for line in lines:
            if line.startswith("# "):
                source = line.removeprefix("# ")
            elif line in _CCACHE_HITS:
                outcomes.append((source, True))
            elif line == _CCACHE_MISS:
                outcomes.append((source, False))
        return outcomes


@dataclass
class Sccache:
    """Counts sccache's results by its server's statistics, which cover all builds that use it."""

    program: str
    environ: Mapping[str, str]
    server: str = ""
    """The URL of a cache that other machines use too; a server that runs already keeps its own."""
    before: Counters = field(default_factory=lambda: Counters(0, 0))
    patience: float = 20.0
    """Seconds that the server may take to start; another program may occupy its port."""

    def begin(self) -> Mapping[str, str]:
        """Start the server. One that a compilation started would inherit and hold the build's lock."""
        try:
            started = self._start(self._shared()) if self.server else None
            if started is None or started.code:  # a cache that is away must not stop the build
                started = self._start({})
            if started.code:
                raise self._without_server(started.err.strip())
            self.before = self._counts()
        except OSError as error:
            raise self._without_server(str(error)) from error
        return {}

    def _start(self, variables: Mapping[str, str]) -> Answer:
        """Start the server; one that runs already is as good."""
        command = [self.program, "--start-server"]
        answer = ask(command, environ={**self.environ, **variables}, timeout=self.patience)
        return Answer(0, "", "") if _IN_USE.search(answer.err) else answer

    def _shared(self) -> Mapping[str, str]:
        kind = "WEBDAV" if self.server.startswith("http") else "REDIS"
        return {f"SCCACHE_{kind}_ENDPOINT": self.server}

    def _without_server(self, output: str) -> BuildError:
        return environment_error(
            "sccache has no server that works",
            cause=f"{self.program} --start-server\n{output}",
            hint="run that command to see the error, stop a broken server with `sccache --stop-server`, or build without sccache",
        )

    def counters(self) -> Counters:
        try:
            now = self._counts()
        except OSError:
            return Counters(0, 0)
        return Counters(now.hits - self.before.hits, now.misses - self.before.misses)

    def _counts(self) -> Counters:
        """Return the counts of all builds since the server started."""
        answer = self._ask("--show-stats", "--stats-format=json", patience=self.patience / 4)
        try:
            stats = json.loads(answer.out)["stats"]
            hits, misses = (
                sum(stats[kind]["counts"].values()) for kind in ("cache_hits", "cache_misses")
            )
        except (ValueError, KeyError, TypeError):
            return Counters(0, 0)
        return Counters(hits, misses)

    def _ask(self, *arguments: str, patience: float) -> Answer:
        return ask([self.program, *arguments], environ=self.environ, timeout=patience)


def changed_cache(build_dir: Path, environ: Mapping[str, str]) -> str:
    """Return which cache was installed or uninstalled since the configuration, as a sentence; else ""."""
    values = read_cache(build_dir)
    program = values.get(_PROGRAM, "")
    if program and not shutil.which(program):
        return f"{program} is gone"
    candidates = filter(None, values.get(_CANDIDATES, "").split(";"))
    found = (shutil.which(name, path=environ.get("PATH")) for name in candidates)
    return next((f"{program} was installed" for program in found if program), "")


def server_of(options: Options) -> str:
    """Return the URL of the shared cache, or "".

    Raises:
        BuildError: It is not a URL of a cache.
    """
    url = options.role("cache_server")
    parts = urlsplit(url)
    if url and (parts.scheme not in SERVER_PORTS or not parts.hostname):
        name = next(r.option.name for r in options.resolved if r.option.role == "cache_server")
        expected = " or ".join(f"{scheme}://HOST[:PORT]" for scheme in SERVER_PORTS)
        raise usage_error(f"{name}={url} is not the URL of a cache", hint=f"{name}={expected}")
    return url


def configured_cache(
    build_dir: Path, environ: Mapping[str, str], server: str = ""
) -> CompilerCache | None:
    """Return the cache that a configured tree uses, or None. It shares its results through `server`."""
    named = read_cache(build_dir).get(_PROGRAM, "")
    program = shutil.which(named, path=environ.get("PATH"))
    if program is None:
        return None
    if Path(program).name == "sccache":
        return Sccache(program, environ, server)
    if environ.get("CCACHE_DISABLE"):
        return None
    return Ccache((build_dir / LOG).absolute(), server)


def hit_rate(cache: CompilerCache | None, period: float = 1.0) -> Callable[[], float | None]:
    """Return a function that gives the current hit rate, and asks the cache at most once per period."""
    asked_at = time.monotonic()
    rate: float | None = None

    def current() -> float | None:
        nonlocal asked_at, rate
        if cache and time.monotonic() - asked_at >= period:
            rate = cache.counters().rate
            asked_at = time.monotonic()
        return rate

    return current
