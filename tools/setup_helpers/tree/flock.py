"""The lock that the kernel keeps on an open file, until the last process that has it open ends."""

from __future__ import annotations


def try_lock(file: int) -> bool:
    """Whether the lock on an open file could be had at once."""
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
