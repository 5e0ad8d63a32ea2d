"""Settings of the process: determinism, the precision of products, how often warnings come."""

from torch import _C

_DEBUG_MODES = ("default", "warn", "error")


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Makes an operator that has no deterministic algorithm raise, or warn with `warn_only`.

    Every operator of this build is deterministic on the CPU: none has to.
    """
    _C._set_deterministic_algorithms(mode, warn_only=warn_only)


def are_deterministic_algorithms_enabled():
    """Whether use_deterministic_algorithms is on."""
    return _C._get_deterministic_algorithms()


def is_deterministic_algorithms_warn_only_enabled():
    """Whether an operator without a deterministic algorithm warns instead of raising."""
    return _C._get_deterministic_algorithms_warn_only()


def set_deterministic_debug_mode(debug_mode):
    """use_deterministic_algorithms by one word or number: default (0), warn (1) or error (2)."""
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
    """0, 1 or 2, as set_deterministic_debug_mode takes them."""
    if not _C._get_deterministic_algorithms():
        return 0
    return 1 if _C._get_deterministic_algorithms_warn_only() else 2


def set_float32_matmul_precision(precision):
    """'highest', 'high' or 'medium'. The products of this build are always of the highest."""
    _C._set_float32_matmul_precision(precision)


def get_float32_matmul_precision():
    """The precision that was asked for."""
    return _C._get_float32_matmul_precision()


def set_warn_always(b, /):
    """Whether a warning that is given once is given each time."""
    _C._set_warnAlways(b)


def is_warn_always_enabled():
    """Whether set_warn_always is on."""
    return _C._get_warnAlways()
