"""The context of Meta kernels that users write."""

import functools


class _FakeContext:
    """The services that a Meta kernel can use."""

    def new_dynamic_size(self, *, min=0, max=None):
        raise RuntimeError(
            "new_dynamic_size(): sizes that depend on data need symbolic shapes, which this build "
            "does not have"
        )


_fake_context = None


def get_ctx():
    """Return the context of the Meta kernel that runs, or None.

    Example:
        >>> print(torch.library.get_ctx())
        None
    """
    return _fake_context


def with_context(function):
    """Wrap a Meta kernel so that `get_ctx` works in it."""

    @functools.wraps(function)
    def kernel(*args, **kwargs):
        global _fake_context
        before, _fake_context = _fake_context, _FakeContext()
        try:
            return function(*args, **kwargs)
        finally:
            _fake_context = before

    return kernel
