"""A terminal for tests: programs run in a real pseudo-terminal, and pyte renders the screen."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyte

# Limit of each wait in seconds, generous because the machine may be busy.
PATIENCE = 60.0


class PseudoTerminal:
    """A command that runs in the foreground of its own terminal."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        environ: Mapping[str, str],
        columns: int = 80,
        rows: int = 24,
        screen: pyte.Screen | None = None,
    ) -> None:
        self.raw = b""
        self.screen = screen or pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._master, slave = os.openpty()
        self._set_size(columns, rows)
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env={
                "TERM": "xterm-256color",
                "XTERM_VERSION": "pyte cuts lines as xterm does",
                **environ,
            },
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.close()

    @property
    def text(self) -> str:
        return self.raw.decode(errors="replace")

    def lines(self) -> list[str]:
        """Return the rows of the screen without trailing blanks and empty rows."""
        rows = [row.rstrip() for row in self.screen.display]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    def until(
        self, seen: Callable[[list[str]], bool], what: str, patience: float = PATIENCE
    ) -> list[str]:
        """Read output until the screen satisfies the condition, and return it."""
        deadline = time.monotonic() + patience
        while not seen(self.lines()):
            if not self._read(0.05) and self.process.poll() is not None:
                raise AssertionError(f"ended without {what}:\n" + "\n".join(self.lines()))
            if time.monotonic() > deadline:
                raise AssertionError(f"never saw {what}:\n" + "\n".join(self.lines()))
        return self.lines()

    def end(self, patience: float = PATIENCE) -> int:
        """Read output until the program has ended, and return its exit code."""
        deadline = time.monotonic() + patience
        while self._read(0.05) or self.process.poll() is None:
            assert time.monotonic() < deadline, "never ended:\n" + "\n".join(self.lines())
        return self.process.wait()

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def close(self) -> None:
        """Hang up, as a terminal does when its window is closed."""
        if self._master >= 0:
            os.close(self._master)
        self._master = -1

    def resize(self, columns: int, rows: int) -> None:
        """Resize the screen, then signal the program: the order in which a real terminal does it."""
        self.screen.resize(rows, columns)
        self._set_size(columns, rows)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self, patience: float) -> bool:
        if not select.select([self._master], [], [], patience)[0]:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:  # the last process has closed the terminal
            return False
        self.raw += data
        self._stream.feed(data)
        return bool(data)
