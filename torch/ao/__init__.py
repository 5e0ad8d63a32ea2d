"""Quantization: the parts that exist, and the names of the others."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from torch._named_parts import NamedParts as _NamedParts

_LAYERS = """Conv1d Conv2d Conv3d Embedding EmbeddingBag Linear"""
_QUANTIZED = f"""{_LAYERS} BatchNorm2d BatchNorm3d ConvTranspose1d ConvTranspose2d ConvTranspose3d
DeQuantize Dropout ELU GroupNorm Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LSTM LayerNorm
LeakyReLU MaxPool2d MultiheadAttention PReLU QFunctional Quantize ReLU6 Sigmoid Softmax"""
_FX = "convert_fx fuse_fx prepare_fx prepare_qat_fx convert_to_reference_fx"
_NAMES = {
    "nn.intrinsic.qat": "ConvBn1d ConvBn2d ConvBn3d ConvBnReLU2d ConvReLU2d LinearReLU",
    "nn.intrinsic.quantized": "BNReLU2d ConvReLU1d ConvReLU2d ConvReLU3d LinearReLU",
    "nn.qat": _LAYERS,
    "nn.qat.dynamic": "Linear",
    "nn.quantizable": "LSTM MultiheadAttention",
    "nn.quantized": _QUANTIZED,
    "nn.quantized.dynamic": "Linear LSTM GRU LSTMCell GRUCell RNNCell",
    "nn.quantized.modules": _QUANTIZED,
    "nn.quantized.reference": _LAYERS,
    "nn.sparse": "",
    "ns": "",
    "ns.fx": "",
    "pruning": "BaseScheduler BaseSparsifier FPGMPruner WeightNormSparsifier",
    "quantization.backend_config": "BackendConfig BackendPatternConfig DTypeConfig get_native_backend_config",
    "quantization.fx": "",
    "quantization.fx._decomposed": "",
    "quantization.qconfig_mapping": "QConfigMapping get_default_qconfig_mapping",
    "quantization.quantize_fx": _FX,
}
_NamedParts("torch.ao", _NAMES, "{name} does not exist in this build yet").install()


def __getattr__(name: str) -> Any:
    if name in ("nn", "ns", "pruning", "quantization"):
        return import_module(f"torch.ao.{name}")
    raise AttributeError(f"module 'torch.ao' has no attribute '{name}'")
