"""Run CMake, in parallel with code generation if the reason to run it is known before."""

from __future__ import annotations

import fcntl
import os
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from tools.base.errors import BuildError
from tools.base.process import Finished, Running

from ..env.options import Options
from ..env.record import record_options, written_values
from ..ninja.failures import Diagnostician, FailureContext
from ..state import made_files
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
    changed_compilers,
    components,
    reason_to_configure,
    with_generated,
    write_record,
)
from .toolchain import Toolchain

# Errors with which CMake reports that its records are damaged or belong to another folder.
_CACHE_TO_BLAME = re.compile(
    r"Parse error in cache file|where CMakeCache\.txt was created|used to generate cache"
    r"|CMake Error at \S*CMakeFiles/[\d.]+/"
)
LOCK = "generation.lock"
PENDING = "generation.pending"
VARIABLE = "BUILD_FRONT_END_CONFIGURES"


class CMakeRun:
    """A run of CMake, if one is needed, that starts before code is generated and is finished after.

    Example:
        with CMakeRun(config, options, toolchain, build_dir, diagnostician) as cmake:
            ...  # generate code
            reason = cmake.finish(show)
    """

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
        self._other_compilers = changed_compilers(config, self._parts, build_dir)
        self._wants_fresh = options.role_on("fresh")
        self.reason = reason_to_configure(self._parts, build_dir, self._wants_fresh) or other_reason
        self._running: Running | None = None
        self._handover: Handover | None = None

    def __enter__(self) -> CMakeRun:
        if self.reason:
            self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End CMake if it was not finished, because code generation failed or was interrupted."""
        if self._running:
            self._running.end()
        if self._handover:
            self._handover.close()

    def finish(self, show: Callable[[str], None]) -> str:
        """Let CMake finish after the code is generated. Return why it had to run, or "".

        `show` receives each line of CMake's output.

        Raises:
            BuildError: With CMake's first error.
        """
        parts = with_generated(self._parts, self._build_dir)
        self.reason = self.reason or reason_to_configure(parts, self._build_dir, self._wants_fresh)
        if not self.reason:
            if configured_since(self._build_dir):  # Ninja had CMake configure; record that
                write_record(parts, self._build_dir)
            if self._record_options():  # CMake does not see them all; code generation does
                remember(self._build_dir)
            return ""
        log = Log(self._build_dir, CONFIGURE)

        def on_line(line: str) -> None:
            log.line(line)
            show(line)

        result = self._run_to_end(on_line)
        if result.code and _CACHE_TO_BLAME.search(result.output):
            forget_configuration(self._build_dir)
            result = self._run_to_end(on_line)
        log.close()
        if result.code:
            raise self._failure(result.output, log)
        self._record_options()
        remember(self._build_dir)
        write_record(parts, self._build_dir)
        return self.reason

    def _record_options(self) -> bool:
        return record_options(self._options, self._build_dir, written_values(self._build_dir))

    def _start(self) -> None:
        from .interface import write_options
        from .object_files import remove_objects

        suffixes = tuple(s for language in self._other_compilers for s in language.suffixes)
        if suffixes:
            remove_objects(self._build_dir, suffixes)
        fresh = self._wants_fresh or bool(suffixes)
        if fresh:  # not left to CMake, which may be killed before it deletes them
            forget_configuration(self._build_dir)
        write_options(self._config, self._options, self._build_dir, from_front_end=True)
        CONFIGURED.delete(self._build_dir)
        drop_damaged_configuration(self._build_dir)
        made_files.begin(self._build_dir)
        self._handover = Handover(self._build_dir)
        command = [
            self._toolchain.cmake.path,
            *("-G", "Ninja"),
            *("-S", str(self._config.root)),
            *("-B", str(self._build_dir)),
            f"-DPython_EXECUTABLE={sys.executable}",
            f"-DCMAKE_MAKE_PROGRAM={self._toolchain.ninja.path}",
            *(["--fresh"] if fresh else []),
            *shlex.split(self._options.role("cmake_arguments")),
        ]
        self._running = Running(command, environ={**os.environ, VARIABLE: "1"})

    def _run_to_end(self, on_line: Callable[[str], None]) -> Finished:
        if not self._running:
            self._start()
        assert self._running and self._handover
        self._handover.generated()
        running, self._running = self._running, None
        return running.finish(on_line)

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


class Handover:
    """The lock, held from before CMake starts until the code is generated.

    CMake started by hand or by Ninja runs Python to resolve the options and generate the code. When the
    front end starts CMake, the options are resolved already, and cmake/Codegen.cmake waits for the code at
    a lock file. The kernel releases the lock when this process ends. If a second file still exists then,
    the code is not complete, and CMake generates it itself. The lock file is never deleted, because CMake
    opens it before it locks it.
    """

    def __init__(self, build_dir: Path) -> None:
        self._pending = build_dir / PENDING
        self._file = os.open(build_dir / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        fcntl.lockf(self._file, fcntl.LOCK_EX)  # the kind of lock that CMake's file(LOCK) takes
        self._pending.touch()

    def generated(self) -> None:
        """Let CMake read the source lists, which are complete."""
        self._pending.unlink()
        self.close()

    def close(self) -> None:
        """Let CMake continue, if it is still running. Later calls have no effect."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
