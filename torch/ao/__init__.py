"""Quantization: the parts that exist, and the names of the others."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from torch._named_parts import NamedParts as _NamedParts

_FX = "convert_fx fuse_fx prepare_fx prepare_qat_fx convert_to_reference_fx"
_NAMES = {
    "nn.quantized.reference": "Conv1d Conv2d Conv3d Embedding EmbeddingBag Linear",
    "nn.sparse": "",
    "ns": "",
    "ns.fx": "",
    "pruning": "BaseScheduler BaseSparsifier FPGMPruner WeightNormSparsifier",
    "quantization.backend_config": "BackendConfig BackendPatternConfig DTypeConfig get_native_backend_config",
    "quantization.fx": "",
    "quantization.fx._decomposed": "",
    "quantization.quantize_fx": _FX,
}
_NamedParts("torch.ao", _NAMES, "{name} does not exist in this build yet").install()


def __getattr__(name: str) -> Any:
    if name in ("nn", "ns", "pruning", "quantization"):
        return import_module(f"torch.ao.{name}")
    raise AttributeError(f"module 'torch.ao' has no attribute '{name}'")
