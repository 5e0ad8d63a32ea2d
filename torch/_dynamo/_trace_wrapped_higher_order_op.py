"""A mode of PyTorch's graph capture that libraries enter around torch.vmap."""

from torch.compiler import Decorator


class TransformGetItemToIndex(Decorator):
    """Context manager that changes nothing, as nothing is captured."""
