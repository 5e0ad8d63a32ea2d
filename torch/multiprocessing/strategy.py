"""How processes share memory with each other: by file descriptor (the default) or by name."""

from __future__ import annotations

_STRATEGIES = {"file_descriptor", "file_system"}
_strategy = "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """Return the strategies that this system supports.

    Example:
        >>> sorted(torch.multiprocessing.get_all_sharing_strategies())
        ['file_descriptor', 'file_system']
    """
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    """Return the strategy for tensors that are shared from now on.

    Example:
        >>> torch.multiprocessing.get_sharing_strategy()
        'file_descriptor'
    """
    return _strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Choose how processes share the memory of tensors from now on.

    Args:
        new_strategy: "file_descriptor" keeps one descriptor open for each storage and leaves no
            files behind. "file_system" names a file in /dev/shm for each storage, which suits
            programs that share more storages than they may open descriptors.

    Raises:
        AssertionError: If the strategy is unknown.

    Example:
        >>> torch.multiprocessing.set_sharing_strategy("file_descriptor")
    """
    global _strategy
    if new_strategy not in _STRATEGIES:
        raise AssertionError(
            f"invalid sharing strategy '{new_strategy}', expected one of {_STRATEGIES}"
        )
    _strategy = new_strategy
