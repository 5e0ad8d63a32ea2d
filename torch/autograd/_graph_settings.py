"""Settings of torch.autograd.graph that a compiler or graphs of CUDA have in PyTorch."""

from torch.utils._contextlib import _DecoratorContextManager


class region_activation_memory_budget(_DecoratorContextManager):
    """Context manager that gives a budget of memory to a compiler; it changes nothing here.

    PyTorch refuses it outside of what torch.compile compiles.

    Args:
        budget: The share of the saved activations to keep, from 0 to 1.

    Raises:
        ValueError: If the budget is not in that range; on entering, as in PyTorch.

    Example:
        >>> with torch.autograd.graph.region_activation_memory_budget(0.5):  # doctest: +SKIP
        ...     torch.ones(1)
        tensor([1.])
    """

    def __init__(self, budget):
        self.budget = budget

    def __enter__(self):
        if not 0 <= self.budget <= 1:
            raise ValueError(
                "torch.autograd.graph.region_activation_memory_budget: "
                f"must be in [0, 1], got {self.budget}"
            )

    def __exit__(self, *error):
        pass

    def clone(self):
        """Return a context manager with the same budget."""
        return type(self)(self.budget)


def set_override_stale_capture_stream(enabled):
    """Accept a setting for graphs of CUDA; backward here never runs on a stream that is stale.

    The engine runs each node on the stream of its forward call, which is part of the capture.

    Args:
        enabled: Whether the stream of the capture would take the place of a stale one.

    Raises:
        TypeError: If the argument is not a bool.

    Example:
        >>> torch.autograd.graph.set_override_stale_capture_stream(False)
    """
    if not isinstance(enabled, bool):
        raise TypeError(f"enabled must be a bool (got {type(enabled).__name__})")
