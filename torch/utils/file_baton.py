"""A lock between processes that is a file."""

from __future__ import annotations

import os
import time
import warnings

__all__ = ["FileBaton"]


class FileBaton:
    """A lock that a process holds as long as a file exists that it has created.

    Args:
        lock_file_path: The path of the file.
        wait_seconds: How often a process that waits looks again.
        warn_after_seconds: After how long it warns, once, that it still waits.

    Example:
        >>> from torch.utils.file_baton import FileBaton
        >>> baton = FileBaton("lock")
        >>> baton.try_acquire(), FileBaton("lock").try_acquire()
        (True, False)
        >>> baton.release()
    """

    def __init__(
        self,
        lock_file_path: str | os.PathLike[str],
        wait_seconds: float = 0.1,
        warn_after_seconds: float | None = None,
    ) -> None:
        self.lock_file_path = lock_file_path
        self.wait_seconds, self.warn_after_seconds = wait_seconds, warn_after_seconds
        self.fd: int | None = None

    def try_acquire(self) -> bool:
        """Create the file; return whether this process has the lock now."""
        try:
            self.fd = os.open(self.lock_file_path, os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            return False
        return True

    def wait(self) -> None:
        """Wait until no process has the lock."""
        start, warned = time.monotonic(), self.warn_after_seconds is None
        while os.path.exists(self.lock_file_path):
            time.sleep(self.wait_seconds)
            waited = time.monotonic() - start
            if not warned and waited > (self.warn_after_seconds or 0):
                warnings.warn(
                    f"Waited on lock file {self.lock_file_path} for {waited:.1f} seconds. If no "
                    "other process holds it, remove it.",
                    stacklevel=2,
                )
                warned = True

    def release(self) -> None:
        """Remove the file."""
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None
        os.remove(self.lock_file_path)
