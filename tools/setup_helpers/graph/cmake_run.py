"""Running CMake, beside code generation where the reason to run it is known before."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from ..errors import BuildError
from ..failure.log import CONFIGURE, Log
from ..failure.scene import Scene
from ..process import Finished, Running
from ..table.config import Config
from ..table.options import Options
from ..tree import made_files
from ..tree.atomic import write_atomically
from ..tree.graph_records import drop_damaged_configuration, forget_configuration
from .configure import (
    RECORD,
    Toolchain,
    compiler_changed,
    components,
    reason_to_configure,
    with_generated,
)
from .handover import VARIABLE, Handover
from .options_record import record_options, written_values

# CMake finds its own records damaged, or made in another place.
_CACHE_TO_BLAME = re.compile(
    r"Parse error in cache file|where CMakeCache\.txt was created|used to generate cache"
    r"|CMake Error at \S*CMakeFiles/[\d.]+/"
)


class CMakeRun:
    """Brings the configuration up to date. Code is generated within its `with`, and then it is finished:

    with CMakeRun(config, options, toolchain, build_dir) as cmake:
        ...
        reason = cmake.finish(tell)
    """

    def __init__(
        self,
        config: Config,
        options: Options,
        toolchain: Toolchain,
        build_dir: Path,
        otherwise: str = "",
    ) -> None:
        """`otherwise` is a reason to run that the configuration's parts do not know."""
        self._config = config
        self._options = options
        self._toolchain = toolchain
        self._build_dir = build_dir
        self._parts = components(config, options, toolchain, build_dir)
        self._other_compiler = compiler_changed(self._parts, build_dir)
        self._asked = options.role_on("fresh")
        self.reason = reason_to_configure(self._parts, build_dir, self._asked) or otherwise
        self._running: Running | None = None
        self._handover: Handover | None = None

    def __enter__(self) -> CMakeRun:
        if self.reason:
            self._begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Without an end, because generation failed or was interrupted, there is nothing to wait for."""
        if self._running:
            self._running.end()
        if self._handover:
            self._handover.close()

    def finish(self, tell: Callable[[str], None]) -> str:
        """Once the code is generated: why CMake had to run, or "".

        CMake says to `tell` what it does; raises BuildError with its first error.
        """
        parts = with_generated(self._parts, self._build_dir)
        self.reason = self.reason or reason_to_configure(parts, self._build_dir, self._asked)
        if not self.reason:
            return ""
        log = Log(self._build_dir, CONFIGURE)

        def on_line(line: str) -> None:
            log.line(line)
            tell(line)

        result = self._to_the_end(on_line)
        if result.code and _CACHE_TO_BLAME.search(result.output):
            forget_configuration(self._build_dir)
            result = self._to_the_end(on_line)
        log.close()
        if result.code:
            raise self._failure(result.output, log)
        record_options(self._options, self._build_dir, written_values(self._build_dir))
        write_atomically(self._build_dir / RECORD, json.dumps(parts, indent=1).encode())
        return self.reason

    def _begin(self) -> None:
        from .cmake_interface import write_options
        from .object_files import remove_objects

        if self._other_compiler:
            remove_objects(self._build_dir)
        fresh = self._asked or self._other_compiler
        if fresh:  # here and not by CMake, which may be ended before it does
            forget_configuration(self._build_dir)
        write_options(self._config, self._options, self._build_dir, from_front_end=True)
        (self._build_dir / RECORD).unlink(missing_ok=True)
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

    def _to_the_end(self, on_line: Callable[[str], None]) -> Finished:
        if not self._running:
            self._begin()
        assert self._running and self._handover
        self._handover.generated()
        running, self._running = self._running, None
        return running.finish(on_line)

    def _failure(self, output: str, log: Log) -> BuildError:
        """The front end's own errors come through CMake as they are; CMake's get their likely cause."""
        from ..failure.diagnosis import diagnose_text, render

        scene = Scene(self._config.root, self._build_dir, options=self._config.roles)
        own = re.search(r"^error: .*(?:\n  .*|\nhint: .*)*", output, re.MULTILINE)
        found = diagnose_text("CMake", own[0] if own else output, scene)
        return BuildError(
            "CMake could not configure the build",
            cause=own[0] if own else render(found),
            hint=found.hint,
            log=log.shown(scene.root),
        )
