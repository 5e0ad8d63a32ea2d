"""FileWriter: appends events to a file."""

from __future__ import annotations

import os
import socket
import threading
import time
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import _events

_created = 0


class FileWriter:
    """Appends events to a file in a folder.

    Args:
        log_dir: The folder.
        max_queue: The number of events to keep in memory before they are written.
        flush_secs: The seconds after which they are written in any case.
        filename_suffix: The end of the file's name.

    Example:
        >>> import tempfile
        >>> from torch.utils.tensorboard import FileWriter
        >>> writer = FileWriter(tempfile.mkdtemp())
        >>> writer.close()
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        global _created
        self._folder = Path(log_dir)
        self._folder.mkdir(parents=True, exist_ok=True)
        name = f"events.out.tfevents.{time.time():.0f}.{socket.gethostname()}.{os.getpid()}"
        self._path = self._folder / f"{name}.{_created}{filename_suffix}"
        _created += 1
        self._max_queue, self._flush_secs = max_queue, flush_secs
        self._lock = threading.Lock()
        self._queue: list[bytes] = []
        self._flushed = time.monotonic()
        self._file = open(self._path, "ab")  # noqa: SIM115 (close() closes it)
        self._write(_events.event(time.time(), None, _events.FILE_VERSION))

    def get_logdir(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def _write(self, event: bytes) -> None:
        with self._lock:
            self._queue.append(_events.record(event))
            due = time.monotonic() - self._flushed > self._flush_secs
            if len(self._queue) >= self._max_queue or due:
                self._empty_queue()

    def _empty_queue(self) -> None:
        self._file.write(b"".join(self._queue))
        self._queue.clear()
        self._flushed = time.monotonic()

    def add_event(self, event: Any, step: int | None = None, walltime: float | None = None) -> None:
        """Add an event, a message of TensorBoard's class Event.

        Args:
            event: The event; its time and step are replaced.
            step: The step that it belongs to.
            walltime: The time in seconds; now by default.
        """
        moment = time.time() if walltime is None else walltime
        self._write(_events.event(moment, step, event.SerializeToString()))

    def add_summary(
        self, summary: Any, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Add a summary: one of torch.utils.tensorboard.summary, or a message of TensorBoard's class.

        Args:
            summary: The summary.
            global_step: The step that it belongs to.
            walltime: The time in seconds; now by default.
        """
        moment = time.time() if walltime is None else walltime
        content = _events.message(5, summary.SerializeToString())
        self._write(_events.event(moment, global_step, content))

    def flush(self) -> None:
        """Write pending events."""
        with self._lock:
            if not self._file.closed:
                self._empty_queue()
                self._file.flush()

    def close(self) -> None:
        """Write pending events and close the file."""
        self.flush()
        self._file.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self.close()

    def reopen(self) -> None:
        """Continue the file after `close`."""
        if self._file.closed:
            self._file = open(self._path, "ab")  # noqa: SIM115


FileWriter.__module__ = "torch.utils.tensorboard.writer"
