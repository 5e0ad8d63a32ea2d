"""Comparisons of derivatives that vmap computes for several vectors with those of one each."""

import warnings

import torch
from torch import Tensor
from torch._vmap_internals import _vmap
from torch.autograd import forward_ad
from torch.autograd._gradient_outputs import GradcheckError, as_tuple

_COUNT = 2

_ADVICE = """
gradcheck or gradgradcheck failed while it tested batched derivatives ({mode} mode): torch.vmap
over a product of the Jacobian and a vector raises an error, or gives other values than calls
for one vector at a time. Pass {option}=False to leave out the check."""


def _failure(lead, mode, option):
    return GradcheckError(f"{lead}\n{_ADVICE.format(mode=mode, option=option)}")


def _is_approximately_equal(batched, single):
    if batched.dtype != single.dtype or batched.shape != single.shape:
        return False
    half = single.dtype in (torch.float16, torch.bfloat16)
    try:
        torch.testing.assert_close(
            batched, single, **({"rtol": 1e-2, "atol": 1e-2} if half else {})
        )
    except AssertionError:
        return False
    return True


def _compare(product, like, mode, option, place):
    """Compare a product of the Jacobian for two vectors at once with those of one each.

    Args:
        product: The function of a vector, which returns a tuple of tensors and None.
        like: A tensor with the vector's shape.
        mode: What the message calls the mode: "forward" or "backward".
        option: The argument of gradcheck that asks for the check.
        place: Returns the part of the message that names the entry with an index.
    """
    vectors = [torch.randn_like(like) for _ in range(_COUNT)]
    singles = [product(vector) for vector in vectors]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="There is a performance drop")
        warnings.filterwarnings("ignore", message="Please use torch.vmap")
        try:
            batched = _vmap(product, allow_none_pass_through=True)(torch.stack(vectors))
        except RuntimeError as error:
            lead = f"While computing batched gradients, got: {error}"
            raise _failure(lead, mode, option) from error
    for index, (found, columns) in enumerate(zip(batched, zip(*singles, strict=True), strict=True)):
        if found is None and columns[0] is None:
            continue
        expected = torch.stack(
            [torch.zeros_like(found[0]) if each is None else each for each in columns]
        )
        if not _is_approximately_equal(found, expected):
            lead = f"For {place(index)}:\nvmap gave\n{found}\nbut single calls gave\n{expected}"
            raise _failure(lead, mode, option)


def check_batched_backward(function):
    """Raise unless backward passes of batched gradients agree with those of single ones."""
    for out, output in enumerate(function.outputs):
        _compare(
            lambda vector, output=output: function.vjp(output, vector),
            output,
            "backward",
            "check_batched_grad",
            lambda leaf, out=out: f"output {out} and input {leaf}",
        )


def check_batched_forward(function):
    """Raise unless forward mode agrees for batched and single tangents."""
    for leaf, place in enumerate(function.positions):
        primal, inputs = function.leaves[leaf].detach(), list(function.inputs)

        def product(tangent, primal=primal, inputs=inputs, place=place):
            with forward_ad.dual_level():
                inputs[place] = forward_ad.make_dual(primal, tangent)
                results = as_tuple(function.func(*inputs))
                return tuple(
                    forward_ad.unpack_dual(each).tangent
                    for each in results
                    if isinstance(each, Tensor)
                )

        _compare(
            product,
            primal,
            "forward",
            "check_batched_forward_grad",
            lambda out, leaf=leaf: f"input {leaf} and output {out}",
        )
