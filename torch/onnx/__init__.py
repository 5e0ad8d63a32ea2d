"""Export to ONNX, of modules that torch.fx can trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch import _C
from torch._absent import answering as _answering
from torch._lazy_attributes import import_at_use as _import_at_use
from torch._named_parts import NamedParts as _NamedParts

if TYPE_CHECKING:  # these names are made below, or at their first use
    from torch._C._late_onnx import *  # noqa: F403

OperatorExportTypes = _C._onnx.OperatorExportTypes
TensorProtoDataType = _C._onnx.TensorProtoDataType
TrainingMode = _C._onnx.TrainingMode

__all__ = [
    "ONNXProgram",  # noqa: F405
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
    """Return False: a module is traced by torch.fx, which it need not know.

    Example:
        >>> torch.onnx.is_in_onnx_export()
        False
    """
    return False


def export(
    model: Any,
    args: Any = (),
    f: Any = None,
    *,
    kwargs: Any = None,
    export_params: bool = True,
    verbose: Any = None,
    input_names: Any = None,
    output_names: Any = None,
    opset_version: int | None = None,
    dynamic_axes: Any = None,
    dynamo: bool = True,
    **others: Any,
) -> Any:
    """Translate a module to a model of ONNX, as it computes in evaluation mode.

    The module must be one that torch.fx.symbolic_trace can trace. The operators are those of common
    feed-forward networks; another one is an error that names it.

    Args:
        model: The module.
        args: An example of its arguments: a tuple, or one tensor.
        f: The path of the file to write, an open file, or None to write none.
        kwargs: Must be empty.
        export_params: Must be True: parameters are constants of the model.
        verbose: Ignored.
        input_names: Names of the inputs, in order; by default those of the arguments.
        output_names: Names of the outputs; by default output_0, ...
        opset_version: The version of ONNX's operators: 18, 19 or 20. The default is 18.
        dynamic_axes: Dimensions that may have other sizes than the example's: for the name of an
            input or output, a list of dimensions, or a dictionary with a name for each.
        dynamo: Ignored.
        others: Ignored.

    Returns:
        The ONNXProgram; its `save(path)` writes it, and `model_proto` is an onnx.ModelProto.

    Raises:
        OnnxExporterError: If the module uses what cannot be translated, or nothing can write the
            file: that needs the package onnx, or a build with USE_ONNX=ON.

    Example:
        >>> torch.onnx.export(nn.Linear(1, 1), torch.ones(1, 1), "m.onnx")  # doctest: +SKIP
    """
    from torch.onnx._export import FIRST_OPSET, export_module

    if kwargs or not export_params:
        raise OnnxExporterError("kwargs and export_params=False are not supported")
    program = export_module(
        model,
        args,
        input_names=input_names or (),
        output_names=output_names or (),
        opset=opset_version or FIRST_OPSET,
        dynamic_axes=dynamic_axes or {},
    )
    if f is not None:
        try:
            program.save(f)
        except ImportError as error:
            raise OnnxExporterError(
                "writing the model needs `pip install onnx`, or a build with USE_ONNX=ON"
            ) from error
    return program


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
        "testing": "assert_onnx_program",
        "utils": "",
        "verification": "VerificationInfo verify_onnx_program",
        **{f"symbolic_opset{number}": _SYMBOLIC for number in range(7, 21)},
    },
    "{name} belongs to an exporter of TorchScript, which this build does not have",
).install()

_HOMES = {"ONNXProgram": "_export"}
__getattr__ = _import_at_use(__name__, homes=_HOMES)
