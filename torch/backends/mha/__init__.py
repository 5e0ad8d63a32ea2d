"""The fast path of nn.MultiheadAttention and of the transformer layers in evaluation mode."""

_is_fastpath_enabled = True


def get_fastpath_enabled():
    """Return whether the fast path may be taken.

    This build computes attention in one way, so the setting changes nothing.

    Example:
        >>> torch.backends.mha.get_fastpath_enabled()
        True
    """
    return _is_fastpath_enabled


def set_fastpath_enabled(value):
    """Choose whether the fast path may be taken.

    Args:
        value: True or False.

    Example:
        >>> torch.backends.mha.set_fastpath_enabled(True)
    """
    global _is_fastpath_enabled
    _is_fastpath_enabled = value
