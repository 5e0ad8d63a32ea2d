"""Layers whose operators do not exist yet: programs can name them, but not create them.

Libraries compare modules with these classes, which is False for every module that exists.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from torch.nn.modules.module import Module

NEEDED_OPERATORS = {
    "AdaptiveAvgPool3d": "adaptive_avg_pool3d",
    "AdaptiveLogSoftmaxWithLoss": "index_fill",
    "AdaptiveMaxPool1d": "adaptive_max_pool1d",
    "AdaptiveMaxPool3d": "adaptive_max_pool3d",
    "AvgPool3d": "avg_pool3d",
    "CTCLoss": "ctc_loss",
    "ChannelShuffle": "channel_shuffle",
    "Conv3d": "conv3d",
    "ConvTranspose3d": "conv_transpose3d",
    "CrossMapLRN2d": "avg_pool3d",
    "EmbeddingBag": "embedding_bag",
    "Fold": "col2im",
    "FractionalMaxPool2d": "fractional_max_pool2d",
    "FractionalMaxPool3d": "fractional_max_pool3d",
    "Hardshrink": "hardshrink",
    "LPPool3d": "avg_pool3d",
    "LazyConv1d": "lazy parameters",
    "LazyConv2d": "lazy parameters",
    "LazyConv3d": "lazy parameters",
    "LazyLinear": "lazy parameters",
    "MaxPool3d": "max_pool3d_with_indices",
    "MaxUnpool1d": "max_unpool2d",
    "MaxUnpool2d": "max_unpool2d",
    "MaxUnpool3d": "max_unpool3d",
    "MultiLabelMarginLoss": "multilabel_margin_loss",
    "MultiMarginLoss": "multi_margin_loss",
    "RReLU": "rrelu",
    "ReflectionPad3d": "reflection_pad3d",
    "ReplicationPad3d": "replication_pad3d",
    "Softshrink": "softshrink",
    "SyncBatchNorm": "torch.distributed",
    "Unfold": "im2col",
}
"""What each layer waits for."""


@cache
def layer(name: str) -> type[Module]:
    """Return the class of a layer that cannot be created yet."""
    needed = NEEDED_OPERATORS[name]
    message = f"nn.{name} does not exist in this build yet: it needs {needed}"

    def __init__(self: Module, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(message)

    text = f"The class nn.{name}, of which no module can be created yet: it needs {needed}."
    values = {"__init__": __init__, "__doc__": text, "__module__": "torch.nn", "_absent": True}
    return type(name, (Module,), values)
