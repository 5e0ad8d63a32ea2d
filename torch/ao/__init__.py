"""Quantization: the parts that exist, and the names of the others."""

from __future__ import annotations

from torch._lazy_attributes import import_at_use as _import_at_use
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


__getattr__ = _import_at_use(__name__, ("nn", "ns", "pruning", "quantization"))
