"""Settings of the process: determinism, the precision of matrix products, repeated warnings."""

from torch import _C

_DEBUG_MODES = ("default", "warn", "error")


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Choose whether operators without a deterministic algorithm raise.

    All operators of this build are deterministic on the CPU, so none raises.

    Args:
        mode: Whether to demand deterministic algorithms.
        warn_only: Whether to warn instead of raising.

    Example:
        >>> torch.use_deterministic_algorithms(True)
        >>> torch.are_deterministic_algorithms_enabled()
        True
        >>> torch.use_deterministic_algorithms(False)
    """
    _C._set_deterministic_algorithms(mode, warn_only=warn_only)


def are_deterministic_algorithms_enabled():
    """Return whether `use_deterministic_algorithms` is on.

    Example:
        >>> torch.are_deterministic_algorithms_enabled()
        False
    """
    return _C._get_deterministic_algorithms()


def is_deterministic_algorithms_warn_only_enabled():
    """Return whether operators without a deterministic algorithm warn instead of raising.

    Example:
        >>> torch.use_deterministic_algorithms(True, warn_only=True)
        >>> torch.is_deterministic_algorithms_warn_only_enabled()
        True
        >>> torch.use_deterministic_algorithms(False)
    """
    return _C._get_deterministic_algorithms_warn_only()


def set_deterministic_debug_mode(debug_mode):
    """Set what `use_deterministic_algorithms` sets, by one word or number.

    Args:
        debug_mode: "default" or 0 turns it off, "warn" or 1 warns, "error" or 2 raises.

    Raises:
        TypeError: If `debug_mode` is neither a string nor an integer.
        RuntimeError: If it is another word or number.

    Example:
        >>> torch.set_deterministic_debug_mode("warn")
        >>> torch.get_deterministic_debug_mode()
        1
        >>> torch.set_deterministic_debug_mode("default")
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise RuntimeError(
                "invalid value of debug_mode, expected one of `default`, `warn`, `error`, "
                f"but got {debug_mode}"
            )
        debug_mode = _DEBUG_MODES.index(debug_mode)
    if debug_mode not in range(len(_DEBUG_MODES)):
        raise RuntimeError(
            f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}"
        )
    _C._set_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode():
    """Return the mode that `set_deterministic_debug_mode` sets, as 0, 1 or 2.

    Example:
        >>> torch.get_deterministic_debug_mode()
        0
    """
    if not _C._get_deterministic_algorithms():
        return 0
    return 1 if _C._get_deterministic_algorithms_warn_only() else 2


def set_float32_matmul_precision(precision):
    """Set the precision that float32 matrix products may be reduced to.

    This build always computes with the highest precision.

    Args:
        precision: "highest", "high" or "medium".

    Example:
        >>> torch.set_float32_matmul_precision("high")
        >>> torch.get_float32_matmul_precision()
        'high'
        >>> torch.set_float32_matmul_precision("highest")
    """
    _C._set_float32_matmul_precision(precision)


def get_float32_matmul_precision():
    """Return the precision that `set_float32_matmul_precision` set.

    Example:
        >>> torch.get_float32_matmul_precision()
        'highest'
    """
    return _C._get_float32_matmul_precision()


def set_warn_always(b, /):
    """Choose whether warnings that are issued once per process are repeated each time.

    Args:
        b: True to repeat them.

    Example:
        >>> torch.set_warn_always(True)
        >>> torch.is_warn_always_enabled()
        True
        >>> torch.set_warn_always(False)
    """
    _C._set_warnAlways(b)


def is_warn_always_enabled():
    """Return whether `set_warn_always` is on.

    Example:
        >>> torch.is_warn_always_enabled()
        False
    """
    return _C._get_warnAlways()


def init_num_threads():
    """Do nothing: threads share the number of threads of the process, so none has to be prepared.

    Example:
        >>> torch.init_num_threads()
    """
