"""torch.library: declare and implement operators in Python."""

from torch._library import operator_checks as checks
from torch._library.custom_ops import CustomOpDef, custom_op
from torch._library.fake import get_ctx
from torch._library.infer_schema import infer_schema
from torch._library.kernels import get_kernel, register_autocast
from torch._library.registration import (
    Library,
    _scoped_library,  # noqa: F401 (tests of other packages use it)
    define,
    fallthrough_kernel,
    find_overload,
    impl,
    impl_abstract,
    register_autograd,
    register_fake,
    register_kernel,
    register_torch_dispatch,
    register_vmap,
)
from torch._library.triton import triton_op, wrap_triton

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "get_ctx",
    "get_kernel",
    "impl",
    "impl_abstract",
    "infer_schema",
    "opcheck",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
    "triton_op",
    "wrap_triton",
]


def opcheck(op, args, kwargs=None, *, test_utils=None, raise_exception=True, atol=None, rtol=None):
    """Check that an operator does what its schema and registrations promise.

    Args:
        op: The operator: an overload, or the result of `custom_op`.
        args: The arguments of a call.
        kwargs: Its keyword arguments.
        test_utils: The names of the checks; by default all.
        raise_exception: Whether to raise the first error.
        atol: The absolute tolerance of comparisons.
        rtol: The relative tolerance of comparisons.

    Returns:
        "SUCCESS" or the error for each check.

    Raises:
        OpCheckError: If a check fails and `raise_exception` is true.

    Example:
        >>> @torch.library.custom_op("opcheck_demo::double", mutates_args=())
        ... def double(x: torch.Tensor) -> torch.Tensor:
        ...     return x * 2
        >>> fake = double.register_fake(lambda x: torch.empty_like(x))
        >>> double.register_autograd(lambda ctx, grad: grad * 2)
        >>> torch.library.opcheck(double, (torch.ones(2),), test_utils="test_schema")
        {'test_schema': 'SUCCESS'}
    """
    names = checks.DEFAULT_TESTS if test_utils is None else test_utils
    overload = find_overload(op)
    return checks.run(overload, tuple(args), kwargs or {}, names, raise_exception, atol, rtol)
