"""Layers for a ModelHelper: operators with parameters and their initialization.

Each function takes the model, the names of the input and the output, and the operator's arguments.
"""

from __future__ import annotations

from typing import Any

from caffe2.python.core import BlobReference
from caffe2.python.model_helper import ModelHelper

Initializer = tuple[str, dict[str, Any]]
_XAVIER: Initializer = ("XavierFill", {})
_ZEROS: Initializer = ("ConstantFill", {"value": 0.0})


def conv(
    model: ModelHelper,
    blob_in: str | BlobReference,
    blob_out: str,
    dim_in: int,
    dim_out: int,
    kernel: int,
    weight_init: Initializer = _XAVIER,
    bias_init: Initializer = _ZEROS,
    group: int = 1,
    no_bias: bool = False,
    **arguments: Any,
) -> BlobReference:
    """Add a convolution with the parameters `<blob_out>_w` and `<blob_out>_b`."""
    shape = (dim_out, dim_in // group, kernel, kernel)
    inputs = [blob_in, model.create_param(f"{blob_out}_w", shape, weight_init)]
    if not no_bias:
        inputs.append(model.create_param(f"{blob_out}_b", (dim_out,), bias_init))
    if group != 1:
        arguments["group"] = group
    added: BlobReference = model.net.Conv(inputs, blob_out, kernel=kernel, **arguments)
    return added


def fc(
    model: ModelHelper,
    blob_in: str | BlobReference,
    blob_out: str,
    dim_in: int,
    dim_out: int,
    weight_init: Initializer = _XAVIER,
    bias_init: Initializer = _ZEROS,
    **arguments: Any,
) -> BlobReference:
    """Add a fully connected layer with the parameters `<blob_out>_w` and `<blob_out>_b`."""
    weight = model.create_param(f"{blob_out}_w", (dim_out, dim_in), weight_init)
    bias = model.create_param(f"{blob_out}_b", (dim_out,), bias_init)
    added: BlobReference = model.net.FC([blob_in, weight, bias], blob_out, **arguments)
    return added


def _add(model: ModelHelper, type: str, blobs_in: Any, blob_out: Any, arguments: Any) -> Any:
    return getattr(model.net, type)(blobs_in, blob_out, **arguments)


def max_pool(model: ModelHelper, blob_in: Any, blob_out: str, **arguments: Any) -> BlobReference:
    """Add a MaxPool."""
    added: BlobReference = _add(model, "MaxPool", blob_in, blob_out, arguments)
    return added


def average_pool(
    model: ModelHelper, blob_in: Any, blob_out: str, **arguments: Any
) -> BlobReference:
    """Add an AveragePool."""
    added: BlobReference = _add(model, "AveragePool", blob_in, blob_out, arguments)
    return added


def relu(model: ModelHelper, blob_in: Any, blob_out: Any, **arguments: Any) -> BlobReference:
    """Add a Relu; the output may be the input."""
    added: BlobReference = _add(model, "Relu", blob_in, blob_out, arguments)
    return added


def softmax(model: ModelHelper, blob_in: Any, blob_out: str, **arguments: Any) -> BlobReference:
    """Add a Softmax."""
    added: BlobReference = _add(model, "Softmax", blob_in, blob_out, arguments)
    return added


def accuracy(model: ModelHelper, blobs_in: Any, blob_out: str, **arguments: Any) -> BlobReference:
    """Add an Accuracy of scores and labels."""
    added: BlobReference = _add(model, "Accuracy", blobs_in, blob_out, arguments)
    return added


def iter(model: ModelHelper, blob_out: str) -> BlobReference:
    """Add a counter of the net's runs: 1 in the first."""
    if model.init_params:
        model.param_init_net.ConstantFill([], blob_out, shape=[1], value=0, dtype=10)
    added: BlobReference = model.net.Iter(blob_out, blob_out)
    return added
