"""How processes find each other's memory: by file descriptor (the default) or by name."""

from __future__ import annotations

_STRATEGIES = {"file_descriptor", "file_system"}
_strategy = "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """The strategies of this system."""
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    """The strategy for tensors that are shared from now on."""
    return _strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """`file_descriptor`: an open descriptor for each storage, and no name that could be left
    behind. `file_system`: a name in /dev/shm, and no descriptor.
    """
    global _strategy
    if new_strategy not in _STRATEGIES:
        raise AssertionError(
            f"invalid sharing strategy '{new_strategy}', expected one of {_STRATEGIES}"
        )
    _strategy = new_strategy
