"""Checks of operators written by users: torch.library.opcheck."""

from __future__ import annotations

from typing import Any

import torch

DEFAULT_TESTS = (
    "test_schema",
    "test_autograd_registration",
    "test_faketensor",
    "test_aot_dispatch_dynamic",
)


class OpCheckError(Exception):
    """An operator does not do what its registrations promise."""


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _tensors(item)]
    return []


def _copies(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, dict):
        return {key: _copies(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_copies(item) for item in value)
    return value


def _to_meta(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta")
    if isinstance(value, dict):
        return {key: _to_meta(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_to_meta(item) for item in value)
    return value


def _by_name(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Pair the schema's arguments with their values."""
    arguments = op._schema.arguments
    pairs = list(zip(arguments, args, strict=False))
    return pairs + [(a, kwargs[a.name]) for a in arguments if a.name in kwargs]


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return (
        bool(torch.equal(torch.nan_to_num(a), torch.nan_to_num(b)))
        if hasattr(torch, "nan_to_num")
        else bool(((a == b) | ((a != a) & (b != b))).all())
    )


def check_schema(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any], **_: Any) -> None:
    """Check that only arguments that the schema marks are changed, and that no result aliases."""
    args, kwargs = _copies(args), _copies(kwargs)
    before = _copies((args, kwargs))
    with torch.no_grad():
        result = op(*args, **kwargs)
    old = _by_name(op, *before)
    for (argument, value), (_, previous) in zip(_by_name(op, args, kwargs), old, strict=True):
        for now, then in zip(_tensors(value), _tensors(previous), strict=True):
            if not argument.is_write and not _same(now.detach(), then.detach()):
                raise OpCheckError(
                    f"Argument {argument.name} is not defined as mutable but was mutated"
                )
            for output in _tensors(result):
                shares = output.untyped_storage()._cdata == now.untyped_storage()._cdata
                if argument.alias_info is None and shares and output.numel():
                    raise OpCheckError(
                        f"Argument {argument.name} is not defined to alias output but was aliasing"
                    )


def check_autograd(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any], **_: Any) -> None:
    """Check that an operator with differentiable inputs has a kernel for autograd."""
    tensors = [t for t in _tensors((args, kwargs)) if t.requires_grad]
    if not tensors:
        return
    outputs = [t for t in _tensors(op(*args, **kwargs)) if t.is_floating_point()]
    if op.has_kernel_for_dispatch_key("AutogradCPU") or not any(o.requires_grad for o in outputs):
        return
    raise OpCheckError(
        f"{op.name()} has no kernel for Autograd, but its results require gradients; register one "
        "with torch.library.register_autograd"
    )


def check_fake(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any], **_: Any) -> None:
    """Check that the Meta kernel predicts shapes, strides and dtypes."""
    with torch.no_grad():
        real = _tensors(op(*_copies(args), **_copies(kwargs)))
        try:
            fake = _tensors(op(*_to_meta(args), **_to_meta(kwargs)))
        except NotImplementedError as error:
            raise OpCheckError(
                f"{op.name()} has no fake kernel; register one with torch.library.register_fake"
            ) from error
    if len(real) != len(fake):
        raise OpCheckError(f"the fake kernel returns {len(fake)} tensors instead of {len(real)}")
    for a, b in zip(real, fake, strict=True):
        for what in ("shape", "dtype"):
            if getattr(a, what) != getattr(b, what):
                raise OpCheckError(
                    f"the fake kernel returns {what} {getattr(b, what)}, the kernel "
                    f"{getattr(a, what)}"
                )
        if a.stride() != b.stride() and a.numel():
            raise OpCheckError(f"the fake kernel returns strides {b.stride()} for {a.stride()}")


def check_gradients(
    op: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, atol: Any, rtol: Any
) -> None:
    """Check that two calls give the same results and gradients."""
    found = []
    for _ in range(2):
        new_args, new_kwargs = _copies(args), _copies(kwargs)
        inputs = [t for t in _tensors((new_args, new_kwargs)) if t.requires_grad]
        outputs = _tensors(op(*new_args, **new_kwargs))
        results = [o.detach() for o in outputs]
        chosen = [o.sum() for o in outputs if o.requires_grad]
        if chosen and inputs:
            results += [
                g for g in torch.autograd.grad(chosen, inputs, allow_unused=True) if g is not None
            ]
        found.append(results)
    for a, b in zip(*found, strict=True):
        try:
            torch.testing.assert_close(a, b, atol=atol, rtol=rtol, equal_nan=True)
        except AssertionError as error:
            raise OpCheckError(f"two calls differ: {error}") from error


CHECKS = {
    "test_schema": check_schema,
    "test_autograd_registration": check_autograd,
    "test_faketensor": check_fake,
    "test_aot_dispatch_static": check_gradients,
    "test_aot_dispatch_dynamic": check_gradients,
}


def run(
    op: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    names: Any,
    raise_exception: bool,
    atol: Any,
    rtol: Any,
) -> dict[str, Any]:
    """Run checks by name; return "SUCCESS" or the error for each."""
    names = (names,) if isinstance(names, str) else tuple(names)
    unknown = set(names) - CHECKS.keys()
    if unknown:
        raise ValueError(
            f"opcheck(op, ..., test_utils={names}), expected test_utils to be a subset of "
            f"{tuple(CHECKS)} but it was not"
        )
    results: dict[str, Any] = {}
    for name in names:
        try:
            CHECKS[name](op, args, kwargs, atol=atol, rtol=rtol)
            results[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {name} failed with {error}") from error
            results[name] = error
    return results
