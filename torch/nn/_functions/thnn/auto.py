"""Makes an autograd function of each legacy kernel that has a gradient, from the header's declarations.

`AbsCriterion.apply(input, target, 1)` takes the arguments of the kernel AbsCriterion_updateOutput without its state and
its results, and returns `output`, or a tuple of the results that are not buffers.
"""

import os

import torch
from torch._thnn import type2backend
from torch._thnn.utils import THNN_H_PATH, parse_header

# Without updateOutput: looking rows up is indexing.
_EXCEPTIONS = {"LookupTable"}
# Results that only the gradient needs.
_BUFFERS = {"buffer", "total_weight"}
# The sizes of the input's image, which some gradients take.
_SIZES = {"isizeH": -2, "isizeW": -1}

function_list = parse_header(THNN_H_PATH) if os.path.exists(THNN_H_PATH) else []
function_by_name = {function.name: function for function in function_list}


def _backend(input):
    backend = type2backend.get(input.type())
    if backend is None:
        raise TypeError(f"the legacy kernels take float and double tensors, not {input.type()}")
    return backend


def _call(function, backend, values):
    names = [argument.name for argument in function.arguments[1:]]
    arguments = [values[name] for name in names]
    getattr(backend, function.name)(backend.library_state, *arguments)


def _make_function_class(name, update_output, update_grad_input):
    inputs = [a.name for a in update_output.arguments[1:] if not a.is_output]
    results = [a for a in update_output.arguments if a.is_output]
    returned = [a.name for a in results if a.name not in _BUFFERS]
    needed = {argument.name for argument in update_grad_input.arguments}

    def forward(ctx, *arguments):
        if len(arguments) != len(inputs):
            raise TypeError(f"{name}.apply expects ({', '.join(inputs)})")
        values = dict(zip(inputs, arguments, strict=True))
        input = values["input"]
        for result in results:
            dtype = torch.long if result.type == "THIndexTensor*" else input.dtype
            values[result.name] = input.new_empty(0, dtype=dtype)
        if values.get("inplace"):
            values["output"] = input
            ctx.mark_dirty(input)
        _call(update_output, _backend(input), values)
        for key, dim in _SIZES.items():
            values[key] = input.shape[dim] if key in needed else None
        kept = {key: value for key, value in values.items() if key in needed}
        ctx.tensors = [key for key, value in kept.items() if isinstance(value, torch.Tensor)]
        ctx.numbers = {key: value for key, value in kept.items() if key not in ctx.tensors}
        ctx.save_for_backward(*(kept[key] for key in ctx.tensors))
        ctx.mark_non_differentiable(*(values[r.name] for r in results if r.type != "THTensor*"))
        outputs = tuple(values[key] for key in returned)
        return outputs if len(outputs) > 1 else outputs[0]

    def backward(ctx, grad_output, *_):
        values = {**ctx.numbers, **dict(zip(ctx.tensors, ctx.saved_tensors, strict=True))}
        values["gradOutput"] = grad_output.contiguous()
        values["gradInput"] = grad_output.new_empty(0)
        _call(update_grad_input, _backend(grad_output), values)
        return values["gradInput"], *[None] * (len(inputs) - 1)

    return type(
        name,
        (torch.autograd.Function,),
        {
            "__doc__": f"The kernel {name} of THNN: apply({', '.join(inputs)}).",
            "__module__": __name__,
            "forward": staticmethod(forward),
            "backward": staticmethod(torch.autograd.function.once_differentiable(backward)),
        },
    )


def _generate_function_classes(scope):
    names = dict.fromkeys(function.name.partition("_")[0] for function in function_list)
    made = [name for name in names if name not in _EXCEPTIONS]
    for name in made:
        scope[name] = _make_function_class(
            name,
            function_by_name[f"{name}_updateOutput"],
            function_by_name[f"{name}_updateGradInput"],
        )
    return made


__all__ = _generate_function_classes(globals())
