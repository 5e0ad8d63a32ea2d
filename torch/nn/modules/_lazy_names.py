"""Layers that are imported at their first use, since few programs use them.

A layer reports the module that PyTorch defines it in, where pickles look for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# The file that defines the layers: the module that each one is known in, and their names.
_FILES = {
    "_convolutions3d": {"conv": ("Conv3d", "ConvTranspose3d")},
    "_lazy_layers": {
        "linear": ("LazyLinear",),
        "conv": (
            "LazyConv1d",
            "LazyConv2d",
            "LazyConv3d",
            "LazyConvTranspose1d",
            "LazyConvTranspose2d",
            "LazyConvTranspose3d",
        ),
    },
    "_lazy_norms": {
        "batchnorm": ("LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d"),
        "instancenorm": ("LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d"),
    },
    "_linear_cross_entropy": {"loss": ("LinearCrossEntropyLoss",)},
    "linear_cross_entropy_options": {
        "linear_cross_entropy_options": ("LinearCrossEntropyOptions",),
    },
    "_margin_losses": {
        "loss": (
            "CosineEmbeddingLoss",
            "HingeEmbeddingLoss",
            "MarginRankingLoss",
            "TripletMarginLoss",
        ),
    },
    "_parameter_containers": {"container": ("ParameterDict", "ParameterList")},
    "_pooling3d": {
        "pooling": (
            "AdaptiveAvgPool3d",
            "AdaptiveMaxPool1d",
            "AdaptiveMaxPool3d",
            "AvgPool3d",
            "FractionalMaxPool2d",
            "FractionalMaxPool3d",
            "LPPool3d",
            "MaxPool3d",
            "MaxUnpool1d",
            "MaxUnpool2d",
            "MaxUnpool3d",
            "_MaxUnpoolNd",
        ),
    },
    "_rare_layers": {
        "activation": ("Hardshrink", "RReLU", "Softshrink"),
        "normalization": ("CrossMapLRN2d",),
        "padding": ("ReflectionPad3d", "ReplicationPad3d"),
    },
    "_rare_losses": {
        "loss": (
            "CTCLoss",
            "MultiLabelMarginLoss",
            "MultiLabelSoftMarginLoss",
            "MultiMarginLoss",
            "TripletMarginWithDistanceLoss",
        ),
    },
    "_recurrent_cells": {"rnn": ("GRUCell", "LSTMCell", "RNNCell", "RNNCellBase")},
    "_sync_batchnorm": {"batchnorm": ("SyncBatchNorm",)},
    "adaptive": {"adaptive": ("AdaptiveLogSoftmaxWithLoss",)},
    "channelshuffle": {"channelshuffle": ("ChannelShuffle",)},
    "embedding_bag": {"sparse": ("EmbeddingBag",)},
    "fold": {"fold": ("Fold", "Unfold")},
}
HOMES = {
    name: (file, module)
    for file, modules in _FILES.items()
    for module, names in modules.items()
    for name in names
}


def find(name: str, asked: str) -> Any:
    """Return a layer, or raise AttributeError for the module that was asked for it."""
    if name not in HOMES:
        raise AttributeError(f"module {asked!r} has no attribute {name!r}")
    file, module = HOMES[name]
    layer = getattr(import_module(f"torch.nn.modules.{file}"), name)
    layer.__module__ = f"torch.nn.modules.{module}"
    return layer
