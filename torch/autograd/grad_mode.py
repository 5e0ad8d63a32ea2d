"""Context managers and decorators for the autograd switches of the current thread."""

from torch import _C
from torch.utils._contextlib import _DecoratorContextManager, _NoParamDecoratorContextManager

TYPE_CHECKING = False  # `import torch` does not pay for typing
if TYPE_CHECKING:
    from typing import Self, overload

    from torch.utils._contextlib import _Function

__all__ = [
    "enable_grad",
    "enforce_grad_layout_policy",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


class no_grad(_NoParamDecoratorContextManager):
    """Context manager or decorator under which operators record no graph for gradients.

    Results have `requires_grad=False`, even where an input requires gradients.

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.no_grad():
        ...     y = x * 2
        >>> y.requires_grad
        False
        >>> @torch.no_grad()
        ... def double(x):
        ...     return x * 2
        >>> double(x).requires_grad
        False
    """

    def __enter__(self):
        self.prev = _C.is_grad_enabled()
        _C._set_grad_enabled(False)

    def __exit__(self, exc_type, exc_value, traceback):
        _C._set_grad_enabled(self.prev)


class enable_grad(_NoParamDecoratorContextManager):
    """Context manager or decorator that records the graph again inside `no_grad`.

    It has no effect inside `inference_mode`.

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.no_grad(), torch.enable_grad():
        ...     y = x * 2
        >>> y.requires_grad
        True
    """

    def __enter__(self):
        self.prev = _C.is_grad_enabled()
        _C._set_grad_enabled(True)

    def __exit__(self, exc_type, exc_value, traceback):
        _C._set_grad_enabled(self.prev)


class set_grad_enabled(_DecoratorContextManager):
    """Turn the recording of graphs on or off.

    The setting takes effect immediately. Used as a context manager, it is restored at the end of
    the block; used as a decorator, it holds during each call of the function.

    Args:
        mode: Whether operators record the graph that gradients need.

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> training = False
        >>> with torch.set_grad_enabled(training):
        ...     y = x * 2
        >>> y.requires_grad
        False
    """

    def __init__(self, mode: "bool") -> None:
        self.prev = _C.is_grad_enabled()
        self.mode = mode
        _C._set_grad_enabled(mode)

    def __call__(self, orig_func: "_Function") -> "_Function":
        """Decorate a function; the mode set on construction is undone first."""
        _C._set_grad_enabled(self.prev)
        return super().__call__(orig_func)

    def __enter__(self):
        _C._set_grad_enabled(self.mode)

    def __exit__(self, exc_type, exc_value, traceback):
        _C._set_grad_enabled(self.prev)

    def __repr__(self):
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def clone(self):
        """Return a new instance with the same mode; creating it sets the mode."""
        return type(self)(self.mode)


class inference_mode(_DecoratorContextManager):
    """Context manager or decorator for code whose results never take part in autograd.

    It does what `no_grad` does at a lower cost per operator: tensors created inside have no
    version counter, and views of them have no history. A later operator that has to save such a
    tensor for backward raises a RuntimeError.

    Args:
        mode: Whether to turn inference mode on or off for the block.

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.inference_mode():
        ...     y = x * 2
        >>> y.requires_grad, y.is_inference()
        (False, True)
    """

    if TYPE_CHECKING:
        mode: bool

        @overload
        def __new__(cls, mode: _Function) -> _Function: ...  # type: ignore[misc]
        @overload
        def __new__(cls, mode: bool = True) -> Self: ...
    else:

        def __new__(cls, mode=True):
            """Create a context, or decorate the function that takes the place of `mode`."""
            if isinstance(mode, bool):
                return super().__new__(cls)
            return cls()(mode)

        def __init__(self, mode=True):
            self.mode = mode

    def __enter__(self):
        self._guard = _C._InferenceMode(self.mode)
        self._guard.__enter__()

    def __exit__(self, exc_type, exc_value, traceback):
        self._guard.__exit__(exc_type, exc_value, traceback)

    def clone(self):
        """Return a new instance with the same mode."""
        return type(self)(self.mode)


class enforce_grad_layout_policy(_DecoratorContextManager):
    """Make backward passes store gradients in the dimension order of their leaves, or not.

    Without it, a gradient that nothing else uses becomes `.grad` as it is, which saves a copy. The
    setting belongs to the thread and takes effect immediately; used as a context manager, it is
    restored at the end of the block.

    Args:
        enable: Whether to enforce the order, as is the default.

    Example:
        >>> x = torch.ones(2, 3, requires_grad=True)
        >>> with torch.autograd.enforce_grad_layout_policy(False):
        ...     x.T.clone(memory_format=torch.contiguous_format).sum().backward()
    """

    def __init__(self, enable=True):
        self.prev = _C._is_grad_layout_enforced()
        self.enable = enable
        _C._set_grad_layout_enforced(enable)

    def __enter__(self):
        pass

    def __exit__(self, exc_type, exc_value, traceback):
        _C._set_grad_layout_enforced(self.prev)

    def clone(self):
        """Return a new instance with the same setting; creating it makes the setting."""
        return type(self)(self.enable)


class set_multithreading_enabled(_DecoratorContextManager):
    """Allow or forbid backward passes to use additional threads.

    The setting takes effect immediately; used as a context manager, it is restored at the end
    of the block.

    Args:
        mode: Whether backward passes may start threads.

    Example:
        >>> with torch.autograd.set_multithreading_enabled(False):
        ...     torch.autograd.is_multithreading_enabled()
        False
    """

    def __init__(self, mode):
        self.prev = _C._is_multithreading_enabled()
        self.mode = mode
        _C._set_multithreading_enabled(mode)

    def __enter__(self):
        pass

    def __exit__(self, exc_type, exc_value, traceback):
        _C._set_multithreading_enabled(self.prev)

    def clone(self):
        """Return a new instance with the same mode; creating it sets the mode."""
        return type(self)(self.mode)
