"""How gradients of several functions are combined: the enumeration and its members as names of torch."""

import enum


class AggregationType(enum.Enum):
    """How gradients of several functions are combined.

    Example:
        >>> torch.AggregationType.AVG.value
        1
    """

    SUM = 0
    AVG = 1


SUM, AVG = AggregationType
