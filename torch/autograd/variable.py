"""torch.autograd.Variable: the old name for a tensor, kept for programs that use it."""

from torch import _C
from torch._tensor import Tensor

__all__ = ["Variable", "VariableMeta"]


class VariableMeta(type):
    """Tensors are Variables, and `Variable(tensor)` makes a tensor."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor)

    def __call__(cls, data=None, requires_grad=False):
        if data is None:
            data = Tensor()
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        return data.detach().requires_grad_(requires_grad)


class Variable(metaclass=VariableMeta):
    """A tensor; use torch.Tensor."""

    _execution_engine = _C._ImperativeEngine()
