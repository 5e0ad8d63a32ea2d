"""Export to ONNX, which this build does not have."""

from __future__ import annotations

from typing import Any

from torch import _C
from torch._absent import absent_class as _absent_class

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


ONNXProgram = _absent_class("torch.onnx", "ONNXProgram", "this build has no exporter to ONNX")
export._absent = True
