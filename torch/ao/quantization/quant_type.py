"""The kinds of quantization."""

import enum

__all__ = ["QuantType"]


class QuantType(enum.IntEnum):
    """A kind of quantization.

    Example:
        >>> from torch.ao.quantization.quant_type import QuantType
        >>> QuantType.STATIC.value
        1
    """

    DYNAMIC = 0
    STATIC = 1
    QAT = 2
    WEIGHT_ONLY = 3
