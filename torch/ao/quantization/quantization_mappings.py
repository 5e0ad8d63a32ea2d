"""Which quantized layer replaces which layer of floating point."""

from __future__ import annotations

import copy
from typing import Any

import torch.ao.nn.intrinsic.qat as nniqat
import torch.ao.nn.intrinsic.quantized as nniq
import torch.ao.nn.intrinsic.quantized.dynamic as nniqd
import torch.ao.nn.qat as nnqat
import torch.ao.nn.qat.dynamic as nnqatd
import torch.ao.nn.quantized as nnq
import torch.ao.nn.quantized.dynamic as nnqd
from torch import nn
from torch.ao.nn import intrinsic as nni
from torch.ao.quantization.fake_quantize import (
    default_fixed_qparams_range_0to1_fake_quant,
    default_fixed_qparams_range_neg1to1_fake_quant,
)
from torch.ao.quantization.stubs import DeQuantStub, QuantStub

__all__ = [
    "get_default_dynamic_quant_module_mappings",
    "get_default_qat_module_mappings",
    "get_default_qconfig_propagation_list",
    "get_default_static_quant_module_mappings",
    "get_dynamic_quant_module_class",
    "get_embedding_qat_module_mappings",
    "get_embedding_static_quant_module_mappings",
    "get_static_quant_module_class",
]

Mapping = dict[Any, Any]
_NonDynamic = nn.modules.linear.NonDynamicallyQuantizableLinear


def _named(source: Any, target: Any, names: str) -> Mapping:
    """Map the classes of a module to those of the same names of another."""
    return {getattr(source, name): getattr(target, name) for name in names.split()}


_CONVOLUTIONS = "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d"
_FUSED_QAT = """ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d ConvReLU2d ConvReLU3d LinearReLU
LinearBn1d"""

DEFAULT_STATIC_QUANT_MODULE_MAPPINGS: Mapping = {
    QuantStub: nnq.Quantize,
    DeQuantStub: nnq.DeQuantize,
    **_named(
        nn,
        nnq,
        f"""BatchNorm2d BatchNorm3d Dropout {_CONVOLUTIONS} ELU Embedding EmbeddingBag GroupNorm Hardswish
        InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm LeakyReLU Linear PReLU ReLU6""",
    ),
    _NonDynamic: nnq.Linear,
    nnq.FloatFunctional: nnq.QFunctional,
    **_named(nni, nniq, "BNReLU2d BNReLU3d ConvReLU1d ConvReLU2d ConvReLU3d LinearReLU"),
    **_named(nniqat, nniq, "ConvReLU2d ConvReLU3d LinearReLU"),
    nniqat.LinearBn1d: nnq.Linear,
    **_named(nnqat, nnq, "Linear Conv2d Conv3d"),
}
for _dims in (1, 2, 3):
    DEFAULT_STATIC_QUANT_MODULE_MAPPINGS |= {
        getattr(nniqat, f"ConvBn{_dims}d"): getattr(nnq, f"Conv{_dims}d"),
        getattr(nniqat, f"ConvBnReLU{_dims}d"): getattr(nniq, f"ConvReLU{_dims}d"),
    }
DEFAULT_QAT_MODULE_MAPPINGS: Mapping = {
    **_named(nn, nnqat, "Conv2d Conv3d Linear"),
    _NonDynamic: nnqat.Linear,
    **_named(nni, nniqat, _FUSED_QAT),
}
DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS: Mapping = {
    **_named(nn, nnqd, "GRUCell Linear LSTM GRU LSTMCell RNNCell"),
    nnqatd.Linear: nnqd.Linear,
    _NonDynamic: nnqd.Linear,
    nni.LinearReLU: nniqd.LinearReLU,  # type: ignore[attr-defined]
    **_named(nn, nnq, "EmbeddingBag Embedding"),
}
_OF_FIXED_RANGE = {
    nn.Hardsigmoid: default_fixed_qparams_range_0to1_fake_quant,
    nn.Sigmoid: default_fixed_qparams_range_0to1_fake_quant,
    nn.Softmax: default_fixed_qparams_range_0to1_fake_quant,
    nn.Tanh: default_fixed_qparams_range_neg1to1_fake_quant,
}


def get_default_static_quant_module_mappings() -> Mapping:
    """Return the quantized layers of static quantization, by the classes that they replace.

    Example:
        >>> mapping = torch.ao.quantization.get_default_static_quant_module_mappings()
        >>> mapping[nn.Linear] is torch.ao.nn.quantized.Linear
        True
    """
    return copy.copy(DEFAULT_STATIC_QUANT_MODULE_MAPPINGS)


def get_embedding_static_quant_module_mappings() -> Mapping:
    """Return the layers of static quantization with those of tables after training.

    Example:
        >>> mapping = torch.ao.quantization.get_embedding_static_quant_module_mappings()
        >>> mapping[torch.ao.nn.qat.Embedding] is torch.ao.nn.quantized.Embedding
        True
    """
    return {**DEFAULT_STATIC_QUANT_MODULE_MAPPINGS, **_named(nnqat, nnq, "EmbeddingBag Embedding")}


def get_default_qat_module_mappings() -> Mapping:
    """Return the layers with rounded weights, by the classes that they replace.

    Example:
        >>> mapping = torch.ao.quantization.get_default_qat_module_mappings()
        >>> mapping[nn.Linear] is torch.ao.nn.qat.Linear
        True
    """
    return copy.copy(DEFAULT_QAT_MODULE_MAPPINGS)


def get_embedding_qat_module_mappings() -> Mapping:
    """Return the layers with rounded weights with those of tables.

    Example:
        >>> mapping = torch.ao.quantization.get_embedding_qat_module_mappings()
        >>> mapping[nn.Embedding] is torch.ao.nn.qat.Embedding
        True
    """
    return {**DEFAULT_QAT_MODULE_MAPPINGS, **_named(nn, nnqat, "EmbeddingBag Embedding")}


def get_default_dynamic_quant_module_mappings() -> Mapping:
    """Return the layers of dynamic quantization, by the classes that they replace.

    Example:
        >>> mapping = torch.ao.quantization.get_default_dynamic_quant_module_mappings()
        >>> mapping[nn.LSTM] is torch.ao.nn.quantized.dynamic.LSTM
        True
    """
    return copy.copy(DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS)


def get_default_qconfig_propagation_list() -> set[Any]:
    """Return the classes of modules whose results observers look at.

    Example:
        >>> nn.Conv2d in torch.ao.quantization.get_default_qconfig_propagation_list()
        True
    """
    return {
        *DEFAULT_STATIC_QUANT_MODULE_MAPPINGS,
        *DEFAULT_QAT_MODULE_MAPPINGS,
        *DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS,
        nn.Sequential,
    }


def _class_in(mapping: Mapping, additional: Mapping | None, kind: type, what: str) -> Any:
    found = {**mapping, **(additional or {})}.get(kind)
    if found is None:
        raise AssertionError(
            f"Floating point module class {kind} does not have a corresponding {what} module class"
        )
    return copy.deepcopy(found)


def get_static_quant_module_class(
    float_module_class: type,
    additional_static_quant_mapping: Mapping | None = None,
    is_reference: bool = False,
) -> Any:
    """Return the class of static quantization that replaces a class.

    Args:
        float_module_class: The class.
        additional_static_quant_mapping: Entries that come first.
        is_reference: Must be False.

    Raises:
        AssertionError: If there is none.
        NotImplementedError: If a reference module is asked for.

    Example:
        >>> torch.ao.quantization.get_static_quant_module_class(nn.ReLU6).__name__
        'ReLU6'
    """
    if is_reference:
        raise NotImplementedError("reference modules do not exist in this build")
    mapping = DEFAULT_STATIC_QUANT_MODULE_MAPPINGS
    return _class_in(mapping, additional_static_quant_mapping, float_module_class, "quantized")


def get_dynamic_quant_module_class(
    float_module_class: type, additional_dynamic_quant_mapping: Mapping | None = None
) -> Any:
    """Return the class of dynamic quantization that replaces a class.

    Args:
        float_module_class: The class.
        additional_dynamic_quant_mapping: Entries that come first.

    Raises:
        AssertionError: If there is none.

    Example:
        >>> torch.ao.quantization.get_dynamic_quant_module_class(nn.GRU).__name__
        'GRU'
    """
    mapping = DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS
    return _class_in(
        mapping, additional_dynamic_quant_mapping, float_module_class, "dynamically quantized"
    )


def special_activation(module: nn.Module) -> Any:
    """Return the factory that rounds the results of a module of a fixed range in training; None for others."""
    return _OF_FIXED_RANGE.get(type(module)) if module.training else None
