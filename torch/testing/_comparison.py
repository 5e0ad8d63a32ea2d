"""assert_close: compare tensors, and structures of them, within tolerances set by the dtype."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any, NoReturn

import torch

__all__ = ["assert_close", "default_tolerances"]

# dtype -> (relative, absolute). Other dtypes are compared exactly.
_TOLERANCES = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex64: (1.3e-6, 1e-5),
    torch.complex128: (1e-7, 1e-7),
}
_NUMBER_DTYPES = {
    bool: torch.bool,
    int: torch.int64,
    float: torch.float64,
    complex: torch.complex128,
}


def default_tolerances(*inputs: Any) -> tuple[float, float]:
    """Return the largest (rtol, atol) for tensors, dtypes or numbers."""
    dtypes = [
        each
        if isinstance(each, torch.dtype)
        else each.dtype
        if isinstance(each, torch.Tensor)
        else _NUMBER_DTYPES.get(type(each), torch.int64)
        for each in inputs
    ]
    pairs = [_TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in dtypes]
    return max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)


@dataclass(frozen=True)
class _Settings:
    """The arguments of assert_close that its comparisons use."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    allow_subclasses: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool
    msg: str | Callable[[str], str] | None

    def tolerances(self, *inputs: Any) -> tuple[float, float]:
        """Return (rtol, atol) for a comparison."""
        if self.rtol is None or self.atol is None:
            return default_tolerances(*inputs)
        return self.rtol, self.atol

    def fail(self, message: str, path: str, error: type[Exception] = AssertionError) -> NoReturn:
        """Raise an error with the message, or with the one that the user chose."""
        if path:
            message += f"\n\nThe failure occurred for item {path}"
        if callable(self.msg):
            message = self.msg(message)
        elif self.msg is not None:
            message = self.msg
        raise error(message)


def _allowed(tolerance: float, kind: str) -> str:
    return f" (up to {tolerance} allowed)" if kind == "close" else ""


def _mismatch_report(
    actual: torch.Tensor,
    expected: torch.Tensor,
    close: torch.Tensor,
    rtol: float,
    atol: float,
    subject: str = "Tensor-likes",
) -> str:
    """Describe how many elements differ, and the two greatest differences."""
    wrong = int(torch.count_nonzero(~close).item())
    total = actual.numel()
    kind = "equal" if rtol == 0 and atol == 0 else "close"
    if actual.dim() == 0:
        difference = abs(actual.item() - expected.item())
        base = abs(expected.item())
        relative = difference / base if base else float("inf")
        return (
            f"Scalars are not {kind}!\n\n"
            f"Expected {expected.item()} but got {actual.item()}.\n"
            f"Absolute difference: {difference}{_allowed(atol, kind)}\n"
            f"Relative difference: {relative}{_allowed(rtol, kind)}"
        )
    one, two = (each.to(_widest(each.dtype)).flatten() for each in (actual, expected))
    matching = close.flatten()
    absolute = torch.abs(one - two).masked_fill(matching, 0)
    relative = (absolute.double() / torch.abs(two)).masked_fill(matching, 0)
    lines = [
        f"{subject} are not {kind}!\n",
        f"Mismatched elements: {wrong} / {total} ({wrong / total:.1%})",
    ]
    for name, values, allowed in (("absolute", absolute, atol), ("relative", relative, rtol)):
        position = int(torch.argmax(values).item())
        lines.append(
            f"Greatest {name} difference: {values[position].item()} at index "
            f"{_unravel(position, actual.shape)}" + _allowed(allowed, kind)
        )
    return "\n".join(lines)


def _widest(dtype: torch.dtype) -> torch.dtype:
    """Return a dtype in which differences are exact, or have the least error."""
    if dtype.is_complex:
        return torch.complex128
    return torch.float64 if dtype.is_floating_point else torch.int64


def _unravel(position: int, shape: Sequence[int]) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        position, rest = divmod(position, size)
        index.append(rest)
    return tuple(reversed(index))


def _compare_sparse(actual: Any, expected: Any, settings: _Settings, path: str) -> None:
    """Compare the indices and the values of sparse tensors of one layout."""
    short_name = str(actual.layout).rpartition("_")[2].upper()
    if actual.is_sparse and actual.sparse_dim() != expected.sparse_dim():
        settings.fail(
            f"The number of sparse dimensions in sparse COO tensors does not match: "
            f"{actual.sparse_dim()} != {expected.sparse_dim()}",
            path,
        )
    if actual._nnz() != expected._nnz():
        settings.fail(
            f"The number of specified values in sparse {short_name} tensors does not match: "
            f"{actual._nnz()} != {expected._nnz()}",
            path,
        )
    theirs = expected._named_indices()
    for part, mine in actual._named_indices().items():
        _compare_elements(mine, theirs[part], settings, path, f"Sparse {short_name} {part}")
    values = (actual._raw_values, expected._raw_values)
    _compare_elements(*values, settings, path, f"Sparse {short_name} values")


def _compare_tensors(
    actual: torch.Tensor, expected: torch.Tensor, settings: _Settings, path: str
) -> None:
    def require_equal(name: str, one: Any, two: Any) -> None:
        if one != two:
            settings.fail(f"The values for attribute '{name}' do not match: {one} != {two}.", path)

    require_equal("shape", actual.shape, expected.shape)
    if settings.check_layout:
        require_equal("layout", actual.layout, expected.layout)
    if settings.check_stride and actual.layout is expected.layout is torch.strided:
        require_equal("stride()", actual.stride(), expected.stride())
    require_equal("is_quantized", actual.is_quantized, expected.is_quantized)
    if actual.is_quantized:
        require_equal("qscheme()", actual.qscheme(), expected.qscheme())
    if settings.check_device:
        require_equal("device", actual.device, expected.device)
    if settings.check_dtype:
        require_equal("dtype", actual.dtype, expected.dtype)
    if actual.device.type == "meta":
        return
    if actual.layout != expected.layout:
        actual, expected = actual.to_dense(), expected.to_dense()
    if actual.is_quantized:
        values = (actual.dequantize(), expected.dequantize())
        _compare_elements(*values, settings, path, "Quantized tensor-likes")
    elif actual.layout is torch.strided:
        _compare_elements(actual, expected, settings, path, "Tensor-likes")
    else:
        _compare_sparse(actual, expected, settings, path)


def _compare_elements(
    actual: torch.Tensor, expected: torch.Tensor, settings: _Settings, path: str, subject: str
) -> None:
    """Compare the elements of dense tensors, which errors call `subject`."""
    rtol, atol = settings.tolerances(actual, expected)
    if actual.dtype != expected.dtype:
        common = torch.promote_types(actual.dtype, expected.dtype)
        actual, expected = actual.to(common), expected.to(common)
    if actual.dtype in (torch.uint16, torch.uint32, torch.uint64):
        actual, expected = actual.to(torch.int64), expected.to(torch.int64)
    if actual.is_floating_point() and actual.dtype.itemsize == 1:
        actual, expected = actual.to(torch.float32), expected.to(torch.float32)
    close = torch.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=settings.equal_nan)
    if not bool(close.all()):
        settings.fail(_mismatch_report(actual, expected, close, rtol, atol, subject), path)


def _compare_numbers(actual: Any, expected: Any, settings: _Settings, path: str) -> None:
    actual, expected = (x.item() if hasattr(x, "item") else x for x in (actual, expected))
    if settings.check_dtype and type(actual) is not type(expected):
        settings.fail(f"The (d)types do not match: {type(actual)} != {type(expected)}.", path)
    rtol, atol = settings.tolerances(actual, expected)
    if actual == expected:
        return
    if isinstance(actual, bool) and isinstance(expected, bool):
        settings.fail(f"Booleans mismatch: {actual} is not {expected}", path)
    if settings.equal_nan and cmath.isnan(actual) and cmath.isnan(expected):
        return
    difference = abs(actual - expected)
    if cmath.isfinite(difference) and difference <= atol + rtol * abs(expected):
        return
    relative = difference / abs(expected) if expected else float("inf")
    kind = "equal" if rtol == 0 and atol == 0 else "close"
    settings.fail(
        f"Scalars are not {kind}!\n\nExpected {expected} but got {actual}.\n"
        f"Absolute difference: {difference}{_allowed(atol, kind)}\n"
        f"Relative difference: {relative}{_allowed(rtol, kind)}",
        path,
    )


def _compare_mappings(
    actual: Mapping[Any, Any], expected: Mapping[Any, Any], settings: _Settings, path: str
) -> None:
    missing = sorted(map(str, expected.keys() - actual.keys()))
    additional = sorted(map(str, actual.keys() - expected.keys()))
    if missing or additional:
        settings.fail(
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {missing}\n"
            f"Additional keys in the actual mapping: {additional}",
            path,
        )
    for key in expected:
        _compare(actual[key], expected[key], settings, f"{path}[{key!r}]")


def _type_of(tensor: torch.Tensor) -> type:
    """Return the type of a tensor; the classes of sparse layouts count as torch.Tensor."""
    return type(tensor) if tensor.layout is torch.strided else torch.Tensor


def _compare(actual: Any, expected: Any, settings: _Settings, path: str = "") -> None:
    if isinstance(actual, torch.Tensor) and isinstance(expected, torch.Tensor):
        one, two = _type_of(actual), _type_of(expected)
        related = issubclass(one, two) or issubclass(two, one)
        if not related or (not settings.allow_subclasses and one is not two):
            settings.fail(
                f"Type equality is required, but got {one} and {two}",
                path,
                TypeError,
            )
        _compare_tensors(actual, expected, settings, path)
    elif isinstance(actual, Number) and isinstance(expected, Number):
        _compare_numbers(actual, expected, settings, path)
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        _compare_mappings(actual, expected, settings, path)
    elif actual is None or expected is None:
        if actual is not expected:
            settings.fail(f"None mismatch: {actual} is not {expected}", path)
    elif _is_list(actual) and _is_list(expected):
        if len(actual) != len(expected):
            settings.fail(
                f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", path
            )
        for i, pair in enumerate(zip(actual, expected, strict=True)):
            _compare(*pair, settings, f"{path}[{i}]")
    elif hasattr(actual, "__array__") and type(actual) is type(expected):
        _compare_tensors(torch.as_tensor(actual), torch.as_tensor(expected), settings, path)
    else:
        settings.fail(
            f"No comparison pair was able to handle inputs of type {type(actual)} and "
            f"{type(expected)}.",
            path,
            TypeError,
        )


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise unless |actual - expected| <= atol + rtol * |expected| for all elements.

    Args:
        actual: A tensor, array or number, or a sequence or mapping of them.
        expected: What to compare with.
        allow_subclasses: Whether tensors may differ in type if one type is a subclass.
        rtol: The relative tolerance; by default it depends on the dtype.
        atol: The absolute tolerance; give either both tolerances or none.
        equal_nan: Whether NaN equals NaN.
        check_device: Whether devices must match.
        check_dtype: Whether dtypes must match.
        check_layout: Whether layouts must match.
        check_stride: Whether strides must match.
        msg: The message of the error, or a function of the default message that returns it.

    Raises:
        AssertionError: If values, shapes, structures or checked properties differ.
        TypeError: If two inputs cannot be compared.
        ValueError: If only one tolerance is given.

    Example:
        >>> torch.testing.assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.000001]))
        >>> torch.testing.assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
        Traceback (most recent call last):
            ...
        AssertionError: Tensor-likes are not close!
        <BLANKLINE>
        Mismatched elements: 1 / 2 (50.0%)
        Greatest absolute difference: 2.0 at index (1,) (up to 1e-05 allowed)
        Greatest relative difference: 0.5 at index (1,) (up to 1.3e-06 allowed)
    """
    if (rtol is None) != (atol is None):
        missing = "atol" if atol is None else "rtol"
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
        )
    settings = _Settings(
        rtol,
        atol,
        equal_nan,
        allow_subclasses,
        check_device,
        check_dtype,
        check_layout,
        check_stride,
        msg,
    )
    _compare(actual, expected, settings)


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """Assert that tensors are close; the old form of `assert_close`, which also converts dtypes.

    Args:
        actual: A tensor, or what torch.as_tensor takes.
        expected: The expected values, likewise.
        rtol: The relative tolerance, given together with `atol`.
        atol: The absolute tolerance.
        equal_nan: Whether nan equals nan.
        msg: The message of the error.

    Raises:
        AssertionError: If they are not close.

    Example:
        >>> torch.testing.assert_allclose(torch.ones(2), [1.0, 1.0])  # doctest: +SKIP
    """
    import warnings

    import torch

    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a "
        "future release. Please use `torch.testing.assert_close()` instead.",
        FutureWarning,
        stacklevel=2,
    )
    actual = actual if isinstance(actual, torch.Tensor) else torch.tensor(actual)
    expected = (
        expected
        if isinstance(expected, torch.Tensor)
        else torch.tensor(expected, dtype=actual.dtype)
    )
    if rtol is None and atol is None:
        defaults = {
            torch.float16: (1e-3, 1e-3),
            torch.float32: (1e-4, 1e-5),
            torch.float64: (1e-5, 1e-8),
        }
        none = (0.0, 0.0)
        pairs = [defaults.get(tensor.dtype, none) for tensor in (actual, expected)]
        rtol, atol = (max(values) for values in zip(*pairs, strict=True))
    assert_close(
        actual,
        expected,
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        check_device=True,
        check_dtype=False,
        check_stride=False,
        msg=msg or None,
    )
