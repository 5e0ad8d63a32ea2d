"""Hooks: the handle that removes a hook, and the backward hooks of nn.Module."""

import warnings

from torch._C import is_grad_enabled
from torch._hook_handles import RemovableHandle, unserializable_hook, warn_if_has_hooks
from torch._tensor import Tensor
from torch.autograd.function import Function

__all__ = ["BackwardHook", "RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


class BackwardHookFunction(Function):
    """An identity whose graph node marks the start or the end of a module."""

    @staticmethod
    def forward(ctx, *args):
        """Return the arguments."""
        ctx.mark_non_differentiable(*(arg for arg in args if not arg.requires_grad))
        return args

    @staticmethod
    def backward(ctx, *gradients):
        """Return the gradients."""
        return gradients


class BackwardHook:
    """Runs the backward hooks of a module once the gradients of all its inputs are known.

    The inputs pass through one identity node, and the outputs through another. The node of the
    outputs receives grad_output, that of the inputs grad_input; the hooks get both.

    Args:
        module: The module that the hooks receive as their first argument.
        user_hooks: Hooks `hook(module, grad_input, grad_output)`.
        user_pre_hooks: Hooks `hook(module, grad_output)`, which run before the module's backward.

    Example:
        >>> hook = torch.utils.hooks.BackwardHook(None, [lambda *args: print(args[1:])], [])
        >>> (x,) = hook.setup_input_hook((torch.ones(1, requires_grad=True),))
        >>> hook.setup_output_hook(x * 3).backward()
        ((tensor([3.]),), (tensor([1.]),))
    """

    def __init__(self, module, user_hooks, user_pre_hooks):
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs = None
        self.n_outputs = -1
        self.output_tensors_index = None
        self.n_inputs = -1
        self.input_tensors_index = None

    def setup_input_hook(self, args):
        """Pass the tensors among the arguments through the node that receives grad_input."""
        result, index = self._through_node(self._hook_inputs, args)
        self.n_inputs, self.input_tensors_index = len(args), index
        return result

    def setup_output_hook(self, args):
        """Pass the tensors of a module's result through the node that receives grad_output."""
        is_tuple = isinstance(args, tuple)
        outputs = args if is_tuple else (args,)
        result, index = self._through_node(self._hook_outputs, outputs)
        self.n_outputs, self.output_tensors_index = len(outputs), index
        return result if is_tuple else result[0]

    def _through_node(self, install, args):
        index = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        tensors = [args[i] for i in index]
        if not (is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)):
            return args, None
        marked = BackwardHookFunction.apply(*tensors)
        nodes = [tensor.grad_fn for tensor in marked if tensor.grad_fn is not None]
        if not nodes:
            raise RuntimeError(
                "Cannot set Module backward hook for a Module with no input Tensors."
            )
        install(nodes[0])
        values_by_position = list(args)
        for i, tensor in zip(index, marked, strict=True):
            values_by_position[i] = tensor
        if type(args) is tuple:
            return tuple(values_by_position), index
        return type(args)(*values_by_position), index  # a named tuple

    @staticmethod
    def _spread(index, values, size):
        values_by_position = [None] * size
        for i, value in zip(index, values, strict=True):
            values_by_position[i] = value
        return tuple(values_by_position)

    def _hook_inputs(self, node):
        def hook(grad_input, _):
            if self.grad_outputs is None:
                return None  # no gradient reached the outputs of the module
            given = self._spread(self.input_tensors_index, grad_input, self.n_inputs)
            result = self._run_user_hooks(given)
            self.grad_outputs = None
            return tuple(result[i] for i in self.input_tensors_index)

        node.register_hook(hook)

    def _run_user_hooks(self, grad_input):
        for hook in self.user_hooks:
            returned = hook(self.module, grad_input, self.grad_outputs)
            if returned is None:
                continue
            if not isinstance(returned, tuple):
                returned = (returned,)
            if len(returned) != len(grad_input):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, "
                    f"got {len(returned)}, but expected {len(grad_input)}"
                )
            grad_input = returned
        return grad_input

    def _hook_outputs(self, node):
        def hook(_, grad_output):
            self.grad_outputs = self._spread(self.output_tensors_index, grad_output, self.n_outputs)
            changed = self._run_user_pre_hooks()
            grads = self.grad_outputs
            if self.input_tensors_index is None:
                self._run_hooks_without_inputs()
                self.grad_outputs = None
            return tuple(grads[i] for i in self.output_tensors_index) if changed else None

        node.register_hook(hook)

    def _run_user_pre_hooks(self):
        changed = False
        for hook in self.user_pre_hooks:
            returned = hook(self.module, self.grad_outputs)
            if returned is None:
                continue
            changed = True
            if not isinstance(returned, tuple):
                returned = (returned,)
            expected = len(self.grad_outputs)
            if len(returned) != expected:
                raise RuntimeError(
                    "Backward pre hook returned an invalid number of grad_output, "
                    f"got {len(returned)}, but expected {expected}"
                )
            self.grad_outputs = returned
        return changed

    def _run_hooks_without_inputs(self):
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module "
            "outputs since no inputs require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#"
            "torch.nn.Module.register_full_backward_hook for more details.",
            stacklevel=5,
        )
        nothing = self._spread([], [], self.n_inputs)
        for hook in self.user_hooks:
            returned = hook(self.module, nothing, self.grad_outputs)
            if returned is not None and not (
                isinstance(returned, tuple) and all(grad is None for grad in returned)
            ):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always "
                    "return None or None for all gradients."
                )
