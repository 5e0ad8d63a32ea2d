"""gradcheck: compare the gradients of backward passes with finite differences."""

import torch
from torch import Tensor
from torch.autograd._gradient_outputs import GradcheckError, as_tuple, differentiable_outputs

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


_SPARSE = frozenset(
    [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc]
)


def _of_dense(func, inputs, masked):
    """Return a function of the values of sparse inputs, and these values."""
    if any(isinstance(each, Tensor) and each.layout in _SPARSE for each in as_tuple(inputs)):
        return torch.sparse._gradcheck.of_values(func, inputs, bool(masked))
    return func, inputs


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
    """Check the gradients of a function against central differences.

    Entries of the Jacobians agree if |analytical - numerical| <= atol + rtol * |numerical|.

    Args:
        func: A function of tensors that returns a tensor or a tuple of tensors.
        inputs: A tensor or a tuple of arguments. Those that require gradients are checked; use
            float64 or complex128.
        eps: The step of the differences.
        atol: The absolute tolerance.
        rtol: The relative tolerance.
        raise_exception: Whether to raise on a mismatch, rather than return False.
        nondet_tol: The largest difference allowed between two identical backward passes.
        check_undefined_grad: Whether to check that backward accepts missing gradients.
        check_grad_dtypes: Whether gradients must have the dtype of their inputs.
        check_batched_grad: Whether torch.vmap over backward passes must give the same gradients.
        check_batched_forward_grad: The same for forward mode; requires `check_forward_ad`.
        check_forward_ad: Whether to check forward mode too.
        check_backward_ad: Whether to check backward passes.
        fast_mode: Whether to compare one random projection of each Jacobian only, which is much
            faster.
        masked: Whether sparse inputs vary only in the elements that they have.

    Returns:
        True if all gradients agree, else False.

    Raises:
        GradcheckError: If a gradient is wrong and `raise_exception` is set.
        ValueError: If no input requires gradients.

    Example:
        >>> x = torch.rand(3, dtype=torch.float64, requires_grad=True)
        >>> torch.autograd.gradcheck(torch.sin, x)
        True
    """
    if not (check_backward_ad or check_forward_ad):
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True"
        )
    if check_batched_grad and not check_backward_ad:
        raise AssertionError(
            "Setting check_batched_grad=True requires check_backward_ad to be True"
        )
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError(
            "Setting check_batched_forward_grad=True requires check_forward_ad to be True"
        )
    from torch.autograd._gradient_checks import Settings, check

    func, inputs = _of_dense(func, inputs, masked)
    settings = Settings(
        eps,
        atol,
        rtol,
        nondet_tol,
        check_undefined_grad,
        check_grad_dtypes,
        check_batched_grad,
        check_batched_forward_grad,
        fast_mode,
    )
    try:
        check(
            func,
            as_tuple(inputs),
            settings,
            backward=check_backward_ad,
            forward=check_forward_ad,
        )
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _random_grad_outputs(outputs, noncontiguous):
    grads = []
    for output in outputs:
        wide = (*output.shape, 2) if noncontiguous else output.shape
        values = torch.rand(wide, dtype=output.dtype, device=output.device) * 2 - 1
        if noncontiguous:
            values = values[..., 0]
        grads.append(values.detach().requires_grad_())
    return tuple(grads)


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
    """Check second derivatives: run gradcheck on the gradients of a function.

    The gradients are checked as functions of both the inputs and `grad_outputs`.

    Args:
        func: A function of tensors that returns a tensor or a tuple of tensors.
        inputs: A tensor or a tuple of arguments.
        grad_outputs: One gradient for each differentiable output; random by default.
        eps: The step of the differences.
        atol: The absolute tolerance.
        rtol: The relative tolerance.
        gen_non_contig_grad_outputs: Whether random gradients are non-contiguous.
        raise_exception: Whether to raise on a mismatch, rather than return False.
        nondet_tol: The largest difference allowed between two identical backward passes.
        check_undefined_grad: Whether to check that backward accepts missing gradients.
        check_grad_dtypes: Whether gradients must have the dtype of their inputs.
        check_batched_grad: Whether torch.vmap over backward passes must give the same gradients.
        check_fwd_over_rev: Whether to check forward mode over backward passes.
        check_rev_over_rev: Whether to check backward passes over backward passes.
        fast_mode: Whether to compare one random projection of each Jacobian only.
        masked: Whether sparse inputs vary only in the elements that they have.

    Returns:
        True if all second derivatives agree, else False.

    Raises:
        GradcheckError: If a second derivative is wrong and `raise_exception` is set.

    Example:
        >>> x = torch.rand(3, dtype=torch.float64, requires_grad=True)
        >>> torch.autograd.gradgradcheck(torch.sin, x)
        True
    """
    if not (check_rev_over_rev or check_fwd_over_rev):
        raise AssertionError(
            "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"
        )
    func, inputs = _of_dense(func, inputs, masked)
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        outputs = differentiable_outputs(func(*inputs))
        grad_outputs = _random_grad_outputs(outputs, gen_non_contig_grad_outputs)
    else:
        grad_outputs = as_tuple(grad_outputs)

    def gradients(*args):
        own, weights = list(args[: len(inputs)]), args[len(inputs) :]
        leaves = []
        for i, given in enumerate(inputs):
            if isinstance(given, Tensor) and given.requires_grad:
                if not own[i].requires_grad:  # a dual tensor
                    own[i] = own[i].view_as(own[i]).requires_grad_()
                leaves.append(own[i])
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
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
    )
