"""torch.autograd.Variable: the old name for a tensor, kept for programs that use it."""

from torch import _C
from torch._tensor import Tensor

__all__ = ["Variable", "VariableMeta"]


class VariableMeta(type):
    """The metaclass of Variable: every tensor is an instance.

    Example:
        >>> type(torch.autograd.Variable).__name__
        'VariableMeta'
    """

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor)


class Variable(_C._LegacyVariableBase, metaclass=VariableMeta):
    """The name that tensors with gradients had before PyTorch 0.4; use torch.Tensor.

    Args:
        data: A tensor; an empty one by default.
        requires_grad: Whether the result requires gradients.
        volatile: Has no effect but a warning.
        name: The name of the result.

    Returns:
        A torch.Tensor that shares the memory of `data`.

    Raises:
        TypeError: If `data` is not a tensor.

    Example:
        >>> x = torch.autograd.Variable(torch.ones(2), requires_grad=True)
        >>> type(x), isinstance(x, torch.autograd.Variable)
        (<class 'torch.Tensor'>, True)
    """

    _execution_engine = _C._ImperativeEngine()
