"""torch.autograd.Function: differentiable operators written in Python."""

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
    "NestedIOFunction",
    "once_differentiable",
]


class FunctionCtx:
    """The `ctx` argument: carries data from the forward to the backward pass of one call.

    Non-tensor values can be stored as attributes.

    Example:
        >>> class Scale(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x, factor):
        ...         ctx.factor = factor
        ...         return x * factor
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return grad * ctx.factor, None
        >>> x = torch.ones(2, requires_grad=True)
        >>> Scale.apply(x, 3.0).sum().backward()
        >>> x.grad
        tensor([3., 3.])
    """

    def save_for_backward(self, *tensors):
        """Save tensors for backward, which reads them from `ctx.saved_tensors`.

        Reading them raises a RuntimeError if one was modified in place since.

        Args:
            *tensors: Inputs, outputs or intermediate tensors; None is allowed and comes back.
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Save tensors for `jvp`, which reads them from `ctx.saved_tensors`.

        Raises:
            AssertionError: If an argument is neither a tensor nor None.
        """
        for tensor in tensors:
            if not (isinstance(tensor, Tensor) or tensor is None):
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save "
                    "non-tensors as attributes on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args):
        """Declare the inputs that `forward` modified in place."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args):
        """Declare the outputs that are not differentiable, such as indices."""
        self.non_differentiable = args

    def set_materialize_grads(self, value):
        """Choose whether missing gradients reach `backward` as zeros (the default) or as None."""
        self.materialize_grads = value


class BackwardCFunction(_C._FunctionBase, FunctionCtx):
    """The graph node of one call of a Function; it also serves as the call's `ctx`.

    Example:
        >>> class Identity(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x.clone()
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return grad
        >>> node = Identity.apply(torch.ones(1, requires_grad=True)).grad_fn
        >>> isinstance(node, torch.autograd.function.BackwardCFunction)
        True
    """

    def apply(self, *args):
        """Compute the gradients of the inputs. The engine calls this method."""
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
    """Save what `backward` needs, for a `forward` that takes no ctx."""
    raise NotImplementedError("setup_context is not implemented.")


class FunctionMeta(type):
    """The metaclass of Function: creates the class of its graph nodes, `<name>Backward`.

    Example:
        >>> class Identity(torch.autograd.Function):
        ...     pass
        >>> Identity._backward_cls.__name__
        'IdentityBackward'
    """

    def __init__(cls, name, bases, attrs):
        super().__init__(name, bases, attrs)
        cls._backward_cls = type(f"{name}Backward", (BackwardCFunction,), {"_forward_cls": cls})
        cls._has_setup_context = cls.setup_context is not _setup_context


class Function(_C._FunctionBase, FunctionCtx, metaclass=FunctionMeta):
    """Base class of differentiable operators written in Python.

    Subclass it, define the static methods below, and call `apply`:

    - `forward(ctx, *args)` computes the result and saves what `backward` needs. Alternatively,
      `forward(*args)` only computes, and `setup_context(ctx, inputs, output)` saves.
    - `backward(ctx, *grad_outputs)` takes one gradient for each output and returns one for each
      argument of `forward`; None where there is no gradient.

    Example:
        >>> class Cube(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x**3
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         (x,) = ctx.saved_tensors
        ...         return grad * 3 * x**2
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> Cube.apply(x).sum().backward()
        >>> x.grad
        tensor([ 3., 12.])
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
        """Raise an error that says to call `apply` on the class."""
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args, **kwargs):
        """Compute the result. No graph is recorded inside."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    setup_context = staticmethod(_setup_context)

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Compute the gradients of the inputs from those of the outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """Compute the tangents of the outputs from those of the inputs (forward mode)."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    generate_vmap_rule = False
    """Whether `torch.vmap` may call the passes on batched tensors."""

    @staticmethod
    def vmap(info, in_dims, *args):
        """Compute the results of all elements of a `torch.vmap`.

        Args:
            info: Its `batch_size` and `randomness`.
            in_dims: The dimension of each argument that counts the elements, or None.
            *args: The arguments, with all elements.

        Returns:
            The results, and their dimensions that count the elements.
        """
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or "
            "set generate_vmap_rule=True."
        )

    @classmethod
    def _bind_arguments(cls, *args, **kwargs):
        """Convert the arguments of `apply` to positional ones, with defaults filled in."""
        if not kwargs and not getattr(cls.forward, "__defaults__", None):
            return args
        import inspect

        leading = () if cls._has_setup_context else (None,)  # ctx
        bound = inspect.signature(cls.forward).bind(*leading, *args, **kwargs)
        bound.apply_defaults()
        return bound.args[len(leading) :]


class InplaceFunction(Function):
    """A Function with a flag that says whether it works in place; kept for old programs.

    Example:
        >>> issubclass(torch.autograd.function.InplaceFunction, torch.autograd.Function)
        True
    """

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """A Function of nested lists of tensors; kept for old programs, which override the two methods.

    Example:
        >>> issubclass(torch.autograd.NestedIOFunction, torch.autograd.Function)
        True
    """

    def forward_extended(self, *input):
        """Compute the results; subclasses override this.

        Raises:
            NotImplementedError: If a subclass does not.
        """
        raise NotImplementedError

    def backward_extended(self, *grad_output):
        """Compute the gradients; subclasses override this.

        Raises:
            NotImplementedError: If a subclass does not.
        """
        raise NotImplementedError


class _TwiceDifferentiated(Function):
    """An identity whose backward pass raises."""

    @staticmethod
    def forward(ctx, *outputs):
        return tuple(output.view_as(output) for output in outputs)

    @staticmethod
    def backward(ctx, *grad_outputs):
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


def once_differentiable(fn):
    """Decorate a `backward` that must not itself be differentiated.

    Gradients of its results raise a RuntimeError instead of being silently wrong.

    Args:
        fn: The static method `backward` of a Function.

    Example:
        >>> class Square(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x**2
        ...     @staticmethod
        ...     @torch.autograd.function.once_differentiable
        ...     def backward(ctx, grad):
        ...         (x,) = ctx.saved_tensors
        ...         return grad * 2 * x
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> (g,) = torch.autograd.grad(Square.apply(x).exp(), x, create_graph=True)
        >>> g.backward()
        Traceback (most recent call last):
            ...
        RuntimeError: trying to differentiate twice a function that was marked with @once_differentiable
    """
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
        results = list(outputs) if isinstance(outputs, tuple) else [outputs]
        index = [i for i, output in enumerate(results) if output is not None]
        guarded = _TwiceDifferentiated.apply(*(results[i].detach().requires_grad_() for i in index))
        for i, output in zip(index, guarded, strict=True):
            results[i] = output
        return tuple(results) if isinstance(outputs, tuple) else results[0]

    return wrapper
