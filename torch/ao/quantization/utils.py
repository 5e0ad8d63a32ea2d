"""Questions about QConfigs and schemes."""

from __future__ import annotations

from typing import Any

import torch
from torch.ao.quantization._qparams import PER_CHANNEL


def get_combined_dict(
    default_dict: dict[Any, Any], additional_dict: dict[Any, Any]
) -> dict[Any, Any]:
    """Return the entries of both dictionaries; those of the second come first.

    Example:
        >>> torch.ao.quantization.utils.get_combined_dict({"a": 1, "b": 2}, {"b": 3})
        {'a': 1, 'b': 3}
    """
    return {**default_dict, **additional_dict}


def is_per_tensor(qscheme: Any) -> bool:
    """Return whether a scheme has one scale for all elements.

    Example:
        >>> torch.ao.quantization.utils.is_per_tensor(torch.per_tensor_affine)
        True
    """
    return qscheme in (torch.per_tensor_affine, torch.per_tensor_symmetric)


def is_per_channel(qscheme: Any) -> bool:
    """Return whether a scheme has a scale for each channel.

    Example:
        >>> torch.ao.quantization.utils.is_per_channel(torch.per_tensor_affine)
        False
    """
    return qscheme in PER_CHANNEL


def activation_dtype(qconfig: Any) -> Any:
    """Return the dtype of results under a QConfig.

    Example:
        >>> torch.ao.quantization.utils.activation_dtype(torch.ao.quantization.default_qconfig)
        torch.quint8
    """
    return qconfig.activation().dtype


def weight_dtype(qconfig: Any) -> Any:
    """Return the dtype of weights under a QConfig.

    Example:
        >>> torch.ao.quantization.utils.weight_dtype(torch.ao.quantization.default_qconfig)
        torch.qint8
    """
    return qconfig.weight().dtype
