"""torch.autograd.Function: operators in Python with gradients of their own."""

import warnings

from torch import _C
from torch._tensor import Tensor
from torch.autograd.grad_mode import no_grad

__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "once_differentiable",
]


class FunctionCtx:
    """What `forward` tells about its call, for `backward` to read."""

    def save_for_backward(self, *tensors):
        """Keeps tensors for `ctx.saved_tensors`; None stays None."""
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Keeps tensors for `jvp`."""
        for tensor in tensors:
            if not (isinstance(tensor, Tensor) or tensor is None):
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save "
                    "non-tensors as attributes on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args):
        """Names the inputs that `forward` modified in place."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args):
        """Names the outputs that have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value):
        """Whether `backward` sees zeros (the default) or None for outputs without a gradient."""
        self.materialize_grads = value


class BackwardCFunction(_C._FunctionBase, FunctionCtx):
    """The graph node of a Function's call, which is its `ctx` as well."""

    def apply(self, *args):
        """The gradients of the inputs: what the engine calls."""
        forward = self._forward_cls
        if forward.vjp is Function.vjp:
            return forward.backward(self, *args)
        if forward.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. "
                "You should only implement one of them."
            )
        return forward.vjp(self, *args)


def _setup_context(ctx, inputs, output):
    """What a `forward` without ctx keeps for `backward`."""
    raise NotImplementedError("setup_context is not implemented.")


class FunctionMeta(type):
    """Gives each Function the class of its graph nodes, `<name>Backward`."""

    def __init__(cls, name, bases, attrs):
        super().__init__(name, bases, attrs)
        cls._backward_cls = type(f"{name}Backward", (BackwardCFunction,), {"_forward_cls": cls})
        cls._has_setup_context = cls.setup_context is not _setup_context


class Function(_C._FunctionBase, FunctionCtx, metaclass=FunctionMeta):
    """An operator written in Python: subclass it, define `forward` and `backward`, call `apply`.

    `forward(ctx, *args)` computes; or `forward(*args)` does and `setup_context(ctx, inputs,
    output)` keeps what `backward(ctx, *grad_outputs)` needs. `backward` returns one gradient, or
    None, for each argument of `forward`.
    """

    def __init__(self, *args, **kwargs):
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself. Instantiating an autograd "
            "function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args, **kwargs):
        """The computation; gradients are not recorded inside."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    setup_context = staticmethod(_setup_context)

    @staticmethod
    def backward(ctx, *grad_outputs):
        """The gradient of each input, given those of the outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """The tangents of the outputs, given those of the inputs (forward mode)."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @classmethod
    def _bind_arguments(cls, *args, **kwargs):
        """The positional arguments that a call of `apply` means, defaults filled in."""
        if not kwargs and not getattr(cls.forward, "__defaults__", None):
            return args
        import inspect

        leading = () if cls._has_setup_context else (None,)  # ctx
        bound = inspect.signature(cls.forward).bind(*leading, *args, **kwargs)
        bound.apply_defaults()
        return bound.args[len(leading) :]


class InplaceFunction(Function):
    """A Function that remembers whether it works in place."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class _TwiceDifferentiated(Function):
    """Identity whose gradient is an error."""

    @staticmethod
    def forward(ctx, *outputs):
        return tuple(output.view_as(output) for output in outputs)

    @staticmethod
    def backward(ctx, *grad_outputs):
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


def once_differentiable(fn):
    """Marks a `backward` whose own gradient would be wrong: taking it is an error."""

    from functools import wraps

    @wraps(fn)
    def wrapper(ctx, *args):
        with no_grad():
            outputs = fn(ctx, *args)
        # Without a gradient coming in there is nothing to differentiate a second time.
        if not _C.is_grad_enabled() or not any(
            isinstance(arg, Tensor) and arg.requires_grad for arg in args
        ):
            return outputs
        whole = list(outputs) if isinstance(outputs, tuple) else [outputs]
        index = [i for i, output in enumerate(whole) if output is not None]
        refused = _TwiceDifferentiated.apply(*(whole[i].detach().requires_grad_() for i in index))
        for i, output in zip(index, refused, strict=True):
            whole[i] = output
        return tuple(whole) if isinstance(outputs, tuple) else whole[0]

    return wrapper
