"""Whether mixed precision on CUDA devices can work here."""

import torch

__all__ = ["amp_definitely_not_available"]


def amp_definitely_not_available() -> bool:
    """Return whether there is no CUDA device.

    Example:
        >>> torch.cuda.amp.amp_definitely_not_available() == (not torch.cuda.is_available())
        True
    """
    return not torch.cuda.is_available()
