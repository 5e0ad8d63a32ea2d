"""The errors of PyTorch's graph capture. Only InvalidBackend is raised in this build."""

from torch._eager_compile import InvalidBackend


class TorchDynamoException(RuntimeError):
    """An error of graph capture."""


class Unsupported(TorchDynamoException):
    """The error of code that graph capture does not support."""


class UserError(Unsupported):
    """The error of a wrong use of graph capture."""


class BackendCompilerFailed(TorchDynamoException):
    """The error of a back end."""


class RecompileError(TorchDynamoException):
    """The error of code that was captured too often."""


class InternalTorchDynamoError(TorchDynamoException):
    """The error of graph capture itself."""


class TorchRuntimeError(TorchDynamoException):
    """The error of an operator during graph capture."""


__all__ = [
    "BackendCompilerFailed",
    "InternalTorchDynamoError",
    "InvalidBackend",
    "RecompileError",
    "TorchDynamoException",
    "TorchRuntimeError",
    "Unsupported",
    "UserError",
]
