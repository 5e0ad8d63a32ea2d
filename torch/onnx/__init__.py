"""Export to ONNX, which this build does not have."""

from __future__ import annotations

from typing import Any

from torch import _C
from torch._absent import absent_class as _absent_class
from torch._absent import answering as _answering
from torch._named_parts import NamedParts as _NamedParts

OperatorExportTypes = _C._onnx.OperatorExportTypes
TensorProtoDataType = _C._onnx.TensorProtoDataType
TrainingMode = _C._onnx.TrainingMode

__all__ = [
    "ONNXProgram",
    "OnnxExporterError",
    "OperatorExportTypes",
    "TensorProtoDataType",
    "TrainingMode",
    "export",
    "is_in_onnx_export",
]


class OnnxExporterError(RuntimeError):
    """An error of the export."""


def is_in_onnx_export() -> bool:
    """Return False, as nothing is exported.

    Example:
        >>> torch.onnx.is_in_onnx_export()
        False
    """
    return False


def export(*args: Any, **kwargs: Any) -> Any:
    """Raise an error, as this build has no exporter.

    Raises:
        OnnxExporterError: Always.

    Example:
        >>> torch.onnx.export(nn.Linear(1, 1), torch.ones(1, 1), "m.onnx")  # doctest: +SKIP
        Traceback (most recent call last):
            ...
        torch.onnx.OnnxExporterError: torch.onnx.export needs an exporter, which this build does ...
    """
    raise OnnxExporterError(
        "torch.onnx.export needs an exporter, which this build does not have; export the module's "
        "state_dict() with PyTorch"
    )


producer_name, producer_version = "pytorch", "2.13.0"
globals().update(
    _answering(
        "torch.onnx",
        {"register_custom_op_symbolic": None, "unregister_custom_op_symbolic": None},
        "exporter to ONNX",
    )
)
_SYMBOLIC = "_unimplemented dropout masked_fill scalar_tensor softmax unsqueeze"
_NamedParts(
    "torch.onnx",
    {
        "_internal": "",
        "_internal.exporter": "",
        "errors": "SymbolicValueError UnsupportedOperatorError",
        "operators": "reshape_from_tensor_shape shape_as_tensor",
        "ops": "",
        "utils": "",
        **{f"symbolic_opset{number}": _SYMBOLIC for number in range(7, 21)},
    },
    "{name} needs an exporter to ONNX, which this build does not have",
).install()


def __getattr__(name: str) -> Any:
    from importlib.util import find_spec

    if not name.startswith("__") and find_spec(f"torch.onnx.{name}") is not None:
        from importlib import import_module

        return import_module(f"torch.onnx.{name}")
    raise AttributeError(f"module 'torch.onnx' has no attribute '{name}'")


ONNXProgram = _absent_class("torch.onnx", "ONNXProgram", "this build has no exporter to ONNX")
export._absent = True
