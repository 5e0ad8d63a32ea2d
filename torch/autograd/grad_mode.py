"""Context managers and decorators for the gradient mode of the current thread."""

from torch import _C


class _Mode:
    """A context manager that also decorates functions; each call enters a fresh copy."""

    def _copy(self):
        return type(self)()

    def __call__(self, function):
        from functools import wraps

        @wraps(function)
        def decorated(*args, **kwargs):
            with self._copy():
                return function(*args, **kwargs)

        return decorated


class _BareMode(_Mode):
    """A mode that decorates with or without parentheses."""

    def __new__(cls, function=None):
        self = super().__new__(cls)
        return self if function is None else self(function)


class no_grad(_BareMode):
    """Inside, operators record nothing for gradients."""

    def __enter__(self):
        self._before = _C.is_grad_enabled()
        _C._set_grad_enabled(False)

    def __exit__(self, *error):
        _C._set_grad_enabled(self._before)


class enable_grad(_BareMode):
    """Inside, operators record again."""

    def __enter__(self):
        self._before = _C.is_grad_enabled()
        _C._set_grad_enabled(True)

    def __exit__(self, *error):
        _C._set_grad_enabled(self._before)


class set_grad_enabled(_Mode):
    """Sets the mode at once; as a context manager it is undone at the end."""

    def __init__(self, mode):
        self._before = _C.is_grad_enabled()
        self.mode = bool(mode)
        _C._set_grad_enabled(mode)

    def _copy(self):
        return type(self)(self.mode)

    def __call__(self, function):
        _C._set_grad_enabled(self._before)
        return super().__call__(function)

    def __enter__(self):
        _C._set_grad_enabled(self.mode)

    def __exit__(self, *error):
        _C._set_grad_enabled(self._before)


class inference_mode(_Mode):
    """As no_grad; without autograd there is nothing more to save."""

    def __new__(cls, mode=True):
        if callable(mode):
            return cls()(mode)
        return super().__new__(cls)

    def __init__(self, mode=True):
        self.mode = bool(mode)

    def _copy(self):
        return type(self)(self.mode)

    def __enter__(self):
        self._before = _C.is_grad_enabled()
        if self.mode:
            _C._set_grad_enabled(False)

    def __exit__(self, *error):
        _C._set_grad_enabled(self._before)
