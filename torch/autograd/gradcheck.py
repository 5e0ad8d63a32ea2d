"""gradcheck: gradients of the graph against finite differences."""

import torch
from torch import Tensor
from torch.autograd._gradient_outputs import GradcheckError, as_tuple, differentiable_outputs

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


def _refuse(**switches):
    for name, value in switches.items():
        if value:
            raise NotImplementedError(f"{name}=True is not available in this version")


def gradcheck(
    func,
    inputs,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_batched_forward_grad=False,
    check_forward_ad=False,
    check_backward_ad=True,
    fast_mode=False,
    masked=None,
):
    """Whether gradients of `func` agree with central differences of width `eps`.

    Raises GradcheckError where they do not, or returns False without `raise_exception`.
    `fast_mode` compares one random projection of each Jacobian.
    """
    _refuse(
        check_batched_grad=check_batched_grad,
        check_batched_forward_grad=check_batched_forward_grad,
        check_forward_ad=check_forward_ad,
    )
    if not check_backward_ad:
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True"
        )
    from torch.autograd._gradient_checks import Settings, check

    settings = Settings(
        eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes, fast_mode
    )
    try:
        check(func, as_tuple(inputs), settings)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _random_grad_outputs(outputs, noncontiguous):
    made = []
    for output in outputs:
        wide = (*output.shape, 2) if noncontiguous else output.shape
        values = torch.rand(wide, dtype=output.dtype, device=output.device) * 2 - 1
        if noncontiguous:
            values = values[..., 0]
        made.append(values.detach().requires_grad_())
    return tuple(made)


def gradgradcheck(
    func,
    inputs,
    grad_outputs=None,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    gen_non_contig_grad_outputs=False,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_fwd_over_rev=False,
    check_rev_over_rev=True,
    fast_mode=False,
    masked=False,
):
    """gradcheck for the gradients of `func`, as functions of its inputs and of grad_outputs.

    Random grad_outputs are made unless given.
    """
    _refuse(check_batched_grad=check_batched_grad, check_fwd_over_rev=check_fwd_over_rev)
    if not check_rev_over_rev:
        raise AssertionError(
            "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"
        )
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        outputs = differentiable_outputs(func(*inputs))
        grad_outputs = _random_grad_outputs(outputs, gen_non_contig_grad_outputs)
    else:
        grad_outputs = as_tuple(grad_outputs)

    def gradients(*args):
        own, weights = args[: len(inputs)], args[len(inputs) :]
        leaves = [each for each in own if isinstance(each, Tensor) and each.requires_grad]
        grads = torch.autograd.grad(
            differentiable_outputs(func(*own)),
            leaves,
            weights,
            create_graph=True,
            allow_unused=True,
        )
        return tuple(each for each in grads if each is not None)

    return gradcheck(
        gradients,
        inputs + grad_outputs,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        fast_mode=fast_mode,
    )
