"""Running programs: the one place where processes are started by the pipeline."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import environment_error


@dataclass(frozen=True)
class Finished:
    """What a program left behind; output holds both streams in order."""

    code: int
    output: str


def run(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    on_line: Callable[[str], None] | None = None,
) -> Finished:
    """Runs to the end. `on_line` sees each line as it comes; Ctrl-C reaches the child and waits for it."""
    try:
        process = subprocess.Popen(
            list(command),
            cwd=cwd,
            env=dict(environ) if environ is not None else None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise environment_error(f"cannot run {command[0]}", cause=str(error)) from error
    lines = []
    assert process.stdout is not None
    with process:
        try:
            for line in process.stdout:
                lines.append(line)
                if on_line:
                    on_line(line.rstrip("\n"))
        except KeyboardInterrupt:
            process.wait()
            raise
        code = process.wait()
    return Finished(code, "".join(lines))
