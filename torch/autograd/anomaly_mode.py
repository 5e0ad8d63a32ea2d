"""Anomaly mode: errors in backward name the forward call, and NaN gradients raise."""

import warnings

from torch import _C

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class detect_anomaly:
    """Context manager that traces an error in backward to the forward call that caused it.

    The traceback of the forward call is issued as a warning. The mode is slow: use it only for
    debugging.

    Args:
        check_nan: Whether a node that computes a NaN gradient raises a RuntimeError.

    Example:
        >>> import warnings
        >>> x = torch.zeros(1, requires_grad=True)
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     with torch.autograd.detect_anomaly():
        ...         (x.sqrt() * 0).sum().backward()
        Traceback (most recent call last):
            ...
        RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan=True):
        self.prev = _C.is_anomaly_enabled()
        self.check_nan = check_nan
        self.prev_check_nan = _C.is_anomaly_check_nan_enabled()
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self):
        _C.set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *args):
        _C.set_anomaly_enabled(self.prev, self.prev_check_nan)


class set_detect_anomaly:
    """Turn anomaly mode on or off.

    The setting takes effect immediately; used as a context manager, it is restored at the end
    of the block. `detect_anomaly` describes the mode.

    Args:
        mode: Whether to turn anomaly mode on.
        check_nan: Whether a node that computes a NaN gradient raises a RuntimeError.

    Example:
        >>> with torch.autograd.set_detect_anomaly(True, check_nan=False):
        ...     torch.ones(1, requires_grad=True).sqrt().backward()
    """

    def __init__(self, mode, check_nan=True):
        self.prev = _C.is_anomaly_enabled()
        self.prev_check_nan = _C.is_anomaly_check_nan_enabled()
        _C.set_anomaly_enabled(mode, check_nan)

    def __enter__(self):
        pass

    def __exit__(self, *args):
        _C.set_anomaly_enabled(self.prev, self.prev_check_nan)
