"""Run CMake if the configuration is out of date."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from tools.base.errors import BuildError
from tools.base.process import Finished, run

from ..env.options import Options
from ..env.record import record_options, written_values
from ..ninja.failures import Diagnostician, FailureContext
from ..state.folders import record_present_files
from ..state.graph_records import (
    configured_since,
    drop_damaged_configuration,
    forget_configuration,
    remember,
)
from ..state.logs import CONFIGURE, Log
from ..table.config import Config
from .configure import (
    CONFIGURED,
    VARIABLE,
    changed_compilers,
    components,
    links_again,
    reason_to_configure,
    write_record,
)
from .interface import write_options
from .object_files import remove_linked_files, remove_objects
from .toolchain import Toolchain

# Errors with which CMake reports that its records are damaged or belong to another folder.
_CACHE_TO_BLAME = re.compile(
    r"Parse error in cache file|where CMakeCache\.txt was created|used to generate cache"
    r"|CMake Error at \S*CMakeFiles/[\d.]+/"
)


class CMakeRun:
    """A run of CMake, if one is needed. Create it when the code is generated."""

    def __init__(
        self,
        config: Config,
        options: Options,
        toolchain: Toolchain,
        build_dir: Path,
        diagnostician: Diagnostician,
        other_reason: str = "",
    ) -> None:
        """Decide whether CMake must run; `other_reason` is one that the parts do not show."""
        self._config = config
        self._options = options
        self._toolchain = toolchain
        self._build_dir = build_dir
        self._diagnostician = diagnostician
        self._parts = components(config, options, toolchain, build_dir)
        self._links_again = links_again(self._parts, build_dir)
        self._other_compilers = changed_compilers(config, self._parts, build_dir)
        fresh = options.role_on("fresh")
        self._fresh = fresh or bool(self._other_compilers)
        self.reason = reason_to_configure(self._parts, build_dir, fresh) or other_reason

    def run(self, show: Callable[[str], None]) -> None:
        """Run CMake if there is a reason to; `show` receives each line of its output.

        Raises:
            BuildError: With CMake's first error.
        """
        if not self.reason:
            if configured_since(self._build_dir):  # Ninja had CMake configure; record that
                write_record(self._parts, self._build_dir)
            if self._record_options():  # CMake does not see them all; code generation does
                remember(self._build_dir)
            return
        log = Log(self._build_dir, CONFIGURE)

        def on_line(line: str) -> None:
            log.line(line)
            show(line)

        result = self._configure(on_line)
        if result.code and _CACHE_TO_BLAME.search(result.output):
            forget_configuration(self._build_dir)
            result = self._configure(on_line)
        log.close()
        if result.code:
            raise self._failure(result.output, log)
        self._record_options()
        remember(self._build_dir)
        write_record(self._parts, self._build_dir)

    def _record_options(self) -> bool:
        return record_options(self._options, self._build_dir, written_values(self._build_dir))

    def _configure(self, on_line: Callable[[str], None]) -> Finished:
        if self._other_compilers:
            suffixes = (s for language in self._other_compilers for s in language.suffixes)
            remove_objects(self._build_dir, tuple(suffixes))
        if self._links_again:
            remove_linked_files(self._build_dir)
        if self._fresh:  # not left to CMake, which may be killed before it deletes them
            forget_configuration(self._build_dir)
        write_options(self._config, self._options, self._build_dir, from_front_end=True)
        CONFIGURED.delete(self._build_dir)
        drop_damaged_configuration(self._build_dir)
        record_present_files(self._build_dir)
        command = [
            self._toolchain.cmake.path,
            *("-G", "Ninja"),
            *("-S", str(self._config.root)),
            *("-B", str(self._build_dir)),
            f"-DPython_EXECUTABLE={sys.executable}",
            f"-DCMAKE_MAKE_PROGRAM={self._toolchain.ninja.path}",
            *(["--fresh"] if self._fresh else []),
            *shlex.split(self._options.role("cmake_arguments")),
        ]
        return run(command, environ={**os.environ, VARIABLE: "1"}, on_line=on_line)

    def _failure(self, output: str, log: Log) -> BuildError:
        """Return the error: unchanged if it is the front end's own, else with the likely cause."""
        context = FailureContext(self._config.root, self._build_dir, options=self._config.roles)
        own = re.search(r"^error: .*(?:\n  .*|\nhint: .*)*", output, re.MULTILINE)
        found = self._diagnostician.diagnose_text("CMake", own[0] if own else output, context)
        return BuildError(
            "CMake could not configure the build",
            cause=own[0] if own else found.render(),
            hint=found.hint,
            log=log.shown(context.root),
        )
