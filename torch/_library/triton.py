"""Operators whose kernels are written in Triton. The Triton of the program compiles and launches them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torch._library.custom_ops import custom_op


def triton_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    schema: str | None = None,
) -> Callable[..., Any]:
    """Create an operator from a Python function that calls Triton kernels.

    It is an operator as `custom_op` creates it: nothing here looks into the function.

    Args:
        name: The name, as "namespace::name".
        fn: The function; if it is None, return a decorator.
        mutates_args: The names of the arguments that the function modifies.
        schema: The signature; by default inferred from the annotations of the function.

    Returns:
        A CustomOpDef, which is called like the function.

    Raises:
        ValueError: If the name has no namespace, or an annotation is missing or not supported.

    Example:
        >>> @torch.library.triton_op("triton_op_demo::double", mutates_args=())
        ... def double(x: torch.Tensor) -> torch.Tensor:
        ...     return x * 2
        >>> double(torch.ones(1))
        tensor([2.])
    """
    return custom_op(name, fn, mutates_args=mutates_args, schema=schema)


def wrap_triton(triton_kernel: Callable[..., Any], /) -> Any:
    """Return a Triton kernel, which is launched as usual: `wrap_triton(kernel)[grid](...)`.

    Args:
        triton_kernel: A function that `triton.jit` or `triton.autotune` decorated.

    Raises:
        ModuleNotFoundError: If Triton is not installed.
        RuntimeError: If it is not a Triton kernel.

    Example:
        >>> torch.library.wrap_triton(kernel)[grid](x, y)  # doctest: +SKIP
    """
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import JITFunction

    if not isinstance(triton_kernel, (JITFunction, Autotuner)):
        raise RuntimeError(
            "wrap_triton only works on functions annotated with triton.jit or triton.autotune"
        )
    return triton_kernel
