"""A lock on an open file, which the kernel releases when the last process that has it open ends."""

from __future__ import annotations


def try_lock(file: int) -> bool:
    """Take the lock without waiting. Return whether it was free."""
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
