"""Linear layers that round their weights, for models that quantize inputs for each call."""

from __future__ import annotations

from typing import Any

from torch.ao.nn.qat.modules import linear


class Linear(linear.Linear):
    """A linear layer that rounds its weight; its input is rounded with parameters of each call.

    Raises:
        AssertionError: If the qconfig keeps the range of earlier inputs.

    Example:
        >>> qconfig = torch.ao.quantization.qconfig.default_dynamic_qat_qconfig
        >>> layer = torch.ao.nn.qat.dynamic.Linear(3, 4, qconfig=qconfig)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        from torch.ao.quantization.qconfig import _activation_is_memoryless

        super().__init__(in_features, out_features, bias, qconfig, device, dtype)
        if not _activation_is_memoryless(qconfig):
            raise ValueError(
                "Dynamic QAT requires a memoryless observer.This means a MovingAverage observer "
                "with averaging constant equal to 1"
            )
