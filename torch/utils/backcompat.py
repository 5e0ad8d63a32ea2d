"""Warnings of PyTorch 0.1 about broadcasting and `keepdim`, which can be switched on but never appear."""

__all__ = ["Warning"]


class Warning:
    """The switch of a warning.

    Example:
        >>> from torch.utils.backcompat import keepdim_warning
        >>> keepdim_warning.enabled
        False
    """

    enabled = False


broadcast_warning, keepdim_warning = Warning(), Warning()
