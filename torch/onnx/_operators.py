"""How layers, functions and methods become operators of ONNX.

A rule is a function of an Exporter's call and the arguments of the layer or function; it returns the name of the result.
Values of the graph are names, and everything else is what the program passes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

Rule = Callable[..., str]
LAYERS: dict[type, Rule] = {}
"""Rules of layers: rule(call, layer, input...)."""
FUNCTIONS: dict[str, Rule] = {}
"""Rules of functions and methods by name: rule(call, *args, **kwargs)."""


def _layer(*classes: type) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        LAYERS.update(dict.fromkeys(classes, rule))
        return rule

    return register


def _function(*names: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        FUNCTIONS.update(dict.fromkeys(names, rule))
        return rule

    return register


def _pair(value: Any, count: int) -> list[int]:
    return list(value) if isinstance(value, (tuple, list)) else [value] * count


# ---------------------------------------------------------------- functions of one tensor

for _names, _op in {
    ("relu", "relu_"): "Relu",
    ("sigmoid",): "Sigmoid",
    ("tanh",): "Tanh",
    ("exp",): "Exp",
    ("log",): "Log",
    ("sqrt",): "Sqrt",
    ("abs",): "Abs",
    ("neg",): "Neg",
    ("erf",): "Erf",
    ("sin",): "Sin",
    ("cos",): "Cos",
    ("floor",): "Floor",
    ("ceil",): "Ceil",
    ("reciprocal",): "Reciprocal",
    ("sign",): "Sign",
}.items():

    def _unary(call, input, inplace=False, *, op=_op):
        return call.emit(op, input)

    _function(*_names)(_unary)


@_function("identity", "contiguous", "clone", "detach", "dropout", "to", "float")
def _identity(call, input, *args, **kwargs):
    if call.result.dtype == call.value(input).dtype:
        return call.emit("Identity", input)
    return call.emit("Cast", input, to=call.element_type(call.result.dtype))


@_function("leaky_relu")
def _leaky_relu(call, input, negative_slope=0.01, inplace=False):
    return call.emit("LeakyRelu", input, alpha=float(negative_slope))


@_function("elu")
def _elu(call, input, alpha=1.0, inplace=False):
    return call.emit("Elu", input, alpha=float(alpha))


@_function("softplus")
def _softplus(call, input, beta=1.0, threshold=20.0):
    if beta != 1:
        scaled = call.emit("Mul", input, beta)
        return call.emit("Div", call.emit("Softplus", scaled), beta)
    return call.emit("Softplus", input)


@_function("silu")
def _silu(call, input, inplace=False):
    return call.emit("Mul", input, call.emit("Sigmoid", input))


@_function("hardtanh", "clamp", "relu6")
def _clamp(call, input, min=None, max=None, inplace=False, *, min_val=None, max_val=None):
    least = min if min is not None else min_val
    greatest = max if max is not None else max_val
    dtype = call.value(input).dtype
    bounds = ["" if bound is None else call.scalar(bound, dtype) for bound in (least, greatest)]
    return call.emit("Clip", input, *bounds)


@_function("gelu")
def _gelu(call, input, approximate="none"):
    if approximate == "tanh":  # 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
        cube = call.emit("Mul", input, call.emit("Mul", input, input))
        inner = call.emit("Add", input, call.emit("Mul", cube, 0.044715))
        gate = call.emit("Tanh", call.emit("Mul", inner, math.sqrt(2 / math.pi)))
    else:  # 0.5 x (1 + erf(x / sqrt(2)))
        gate = call.emit("Erf", call.emit("Mul", input, math.sqrt(0.5)))
    return call.emit("Mul", call.emit("Mul", input, 0.5), call.emit("Add", gate, 1.0))


@_function("softmax")
def _softmax(call, input, dim=-1, **kwargs):
    return call.emit("Softmax", input, axis=dim)


@_function("log_softmax")
def _log_softmax(call, input, dim=-1, **kwargs):
    return call.emit("LogSoftmax", input, axis=dim)


# ---------------------------------------------------------------- functions of two tensors

for _names, _op in {
    ("add", "add_", "iadd"): "Add",
    ("sub", "sub_", "isub"): "Sub",
    ("mul", "mul_", "imul"): "Mul",
    ("div", "div_", "truediv", "itruediv"): "Div",
    ("pow",): "Pow",
    ("maximum",): "Max",
    ("minimum",): "Min",
    ("matmul", "bmm", "mm"): "MatMul",
    ("eq",): "Equal",
    ("lt",): "Less",
    ("gt",): "Greater",
}.items():

    def _binary(call, left, right, *, op=_op):
        return call.emit(op, left, right)

    _function(*_names)(_binary)


@_function("where")
def _where(call, condition, left, right):
    return call.emit("Where", condition, left, right)


@_function("linear")
def _linear(call, input, weight, bias=None):
    if call.value(input).dim() == 2:
        more = [] if bias is None else [bias]
        return call.emit("Gemm", input, weight, *more, transB=1)
    product = call.emit("MatMul", input, call.emit("Transpose", weight, perm=[1, 0]))
    return product if bias is None else call.emit("Add", product, bias)


@_function("embedding")
def _embedding(call, input, weight, *args, **kwargs):
    return call.emit("Gather", weight, input, axis=0)


# ---------------------------------------------------------------- shapes


@_function("flatten")
def _flatten(call, input, start_dim=0, end_dim=-1):
    dims = call.value(input).dim()
    if start_dim % dims == 1 and end_dim % dims == dims - 1:
        return call.emit("Flatten", input, axis=1)
    return call.reshape(input, call.result.shape)


@_function("reshape", "view")
def _reshape(call, input, *shape):
    sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    return call.reshape(input, sizes)


@_function("permute")
def _permute(call, input, *dims):
    order = dims[0] if len(dims) == 1 else dims
    return call.emit("Transpose", input, perm=[d % len(order) for d in order])


@_function("transpose")
def _transpose(call, input, first, second):
    order = list(range(call.value(input).dim()))
    order[first], order[second] = order[second], order[first]
    return call.emit("Transpose", input, perm=order)


@_function("t")
def _t(call, input):
    return call.emit("Transpose", input, perm=[1, 0])


@_function("unsqueeze")
def _unsqueeze(call, input, dim):
    return call.emit("Unsqueeze", input, call.integers([dim]))


@_function("squeeze")
def _squeeze(call, input, dim):
    return call.emit("Squeeze", input, call.integers([dim]))


@_function("cat", "concat")
def _cat(call, tensors, dim=0):
    return call.emit("Concat", *tensors, axis=dim)


@_function("mean", "sum")
def _reduce(call, input, dim=None, keepdim=False, **kwargs):
    op = {"mean": "ReduceMean", "sum": "ReduceSum"}[call.name]
    axes = [] if dim is None else [call.integers(_pair(dim, 1))]
    return call.emit(op, input, *axes, keepdims=int(keepdim))


# ---------------------------------------------------------------- layers

for _class, _name, _fields in (
    (nn.ReLU, "relu", ()),
    (nn.Sigmoid, "sigmoid", ()),
    (nn.Tanh, "tanh", ()),
    (nn.SiLU, "silu", ()),
    (nn.GELU, "gelu", ("approximate",)),
    (nn.LeakyReLU, "leaky_relu", ("negative_slope",)),
    (nn.ELU, "elu", ("alpha",)),
    (nn.Softplus, "softplus", ("beta", "threshold")),
    (nn.Hardtanh, "hardtanh", ("min_val", "max_val")),
    (nn.Softmax, "softmax", ("dim",)),
    (nn.LogSoftmax, "log_softmax", ("dim",)),
    (nn.Flatten, "flatten", ("start_dim", "end_dim")),
    (nn.Identity, "identity", ()),
    (nn.Dropout, "dropout", ()),
    (nn.Dropout2d, "dropout", ()),
):

    def _of_layer(call, layer, input, *, rule=FUNCTIONS[_name], fields=_fields):
        return rule(call, input, **{field: getattr(layer, field) for field in fields})

    _layer(_class)(_of_layer)


@_layer(nn.ReLU6)
def _relu6_layer(call, layer, input):
    return _clamp(call, input, 0.0, 6.0)


@_layer(nn.Linear)
def _linear_layer(call, layer, input):
    bias = None if layer.bias is None else call.parameter("bias")
    return _linear(call, input, call.parameter("weight"), bias)


@_layer(nn.Embedding)
def _embedding_layer(call, layer, input):
    return _embedding(call, input, call.parameter("weight"))


@_layer(nn.Conv1d, nn.Conv2d)
def _conv(call, layer, input):
    if layer.padding_mode != "zeros" or isinstance(layer.padding, str):
        raise call.unsupported("padding that is not a number of zeros")
    names = ["weight"] + (["bias"] if layer.bias is not None else [])
    return call.emit(
        "Conv", input, *map(call.parameter, names),
        kernel_shape=list(layer.kernel_size), strides=list(layer.stride),
        pads=2 * list(layer.padding), dilations=list(layer.dilation), group=layer.groups,
    )  # fmt: skip


@_layer(nn.ConvTranspose2d)
def _conv_transpose(call, layer, input):
    names = ["weight"] + (["bias"] if layer.bias is not None else [])
    return call.emit(
        "ConvTranspose", input, *map(call.parameter, names),
        kernel_shape=list(layer.kernel_size), strides=list(layer.stride),
        pads=2 * list(layer.padding), dilations=list(layer.dilation), group=layer.groups,
        output_padding=list(layer.output_padding),
    )  # fmt: skip


@_layer(nn.BatchNorm1d, nn.BatchNorm2d)
def _batch_norm(call, layer, input):
    if layer.running_mean is None or not layer.affine:
        raise call.unsupported("no running statistics, or no weight")
    names = ("weight", "bias", "running_mean", "running_var")
    return call.emit(
        "BatchNormalization", input, *map(call.parameter, names), epsilon=float(layer.eps)
    )


@_layer(nn.LayerNorm)
def _layer_norm(call, layer, input):
    if layer.weight is None:
        raise call.unsupported("no weight")
    names = ["weight"] + (["bias"] if layer.bias is not None else [])
    return call.emit(
        "LayerNormalization", input, *map(call.parameter, names),
        axis=-len(layer.normalized_shape), epsilon=float(layer.eps),
    )  # fmt: skip


@_function("max_pool2d")
def _max_pool(call, input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, **_):
    return call.emit(
        "MaxPool", input, kernel_shape=_pair(kernel_size, 2),
        strides=_pair(stride or kernel_size, 2), pads=2 * _pair(padding, 2),
        dilations=_pair(dilation, 2), ceil_mode=int(ceil_mode),
    )  # fmt: skip


@_function("avg_pool2d")
def _avg_pool(
    call, input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
    divisor_override=None,
):  # fmt: skip
    if divisor_override is not None:
        raise call.unsupported("divisor_override")
    return call.emit(
        "AveragePool", input, kernel_shape=_pair(kernel_size, 2),
        strides=_pair(stride or kernel_size, 2), pads=2 * _pair(padding, 2),
        ceil_mode=int(ceil_mode), count_include_pad=int(count_include_pad),
    )  # fmt: skip


@_function("adaptive_avg_pool2d")
def _adaptive_avg_pool(call, input, output_size):
    if _pair(output_size, 2) != [1, 1]:
        raise call.unsupported("an output that is not 1 x 1")
    return call.emit("GlobalAveragePool", input)


@_layer(nn.MaxPool2d)
def _max_pool_layer(call, layer, input):
    if layer.return_indices:
        raise call.unsupported("indices")
    return _max_pool(
        call, input, layer.kernel_size, layer.stride, layer.padding, layer.dilation, layer.ceil_mode
    )


@_layer(nn.AvgPool2d)
def _avg_pool_layer(call, layer, input):
    return _avg_pool(
        call, input, layer.kernel_size, layer.stride, layer.padding, layer.ceil_mode,
        layer.count_include_pad, layer.divisor_override,
    )  # fmt: skip


@_layer(nn.AdaptiveAvgPool2d)
def _adaptive_avg_pool_layer(call, layer, input):
    return _adaptive_avg_pool(call, input, layer.output_size)


def tensor_of(value: Any, like: torch.Tensor) -> torch.Tensor:
    """Return a number as the tensor that an operator of ONNX takes with another tensor."""
    return torch.tensor(value, dtype=like.dtype)
