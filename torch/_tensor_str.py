"""Print tensors as PyTorch does. Imported on the first repr, never by `import torch`."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch

_INTEGERS_EXACT = 1e8  # larger values, and wider ranges, are printed in scientific notation
_WIDE_RANGE = 1000.0
_SMALL = 1e-4


@dataclass(frozen=True)
class PrintOptions:
    """The options of set_printoptions.

    Attributes:
        precision: The digits after the decimal point.
        threshold: The number of elements above which a tensor is summarised.
        edgeitems: The elements shown at each end of a summarised dimension.
        linewidth: The characters per line.
        sci_mode: Whether to use scientific notation; None decides by the values.
    """

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}
_options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors are printed. Options that are None keep their value.

    Args:
        precision: The digits after the decimal point; 4 by default.
        threshold: The number of elements above which a tensor is summarised; 1000 by default.
        edgeitems: The elements shown at each end of a summarised dimension; 3 by default.
        linewidth: The characters per line; 80 by default.
        profile: A set of values to start from: "default", "short" or "full".
        sci_mode: Whether to use scientific notation; None decides by the values.

    Raises:
        ValueError: If `profile` is unknown.

    Example:
        >>> torch.set_printoptions(precision=2)
        >>> torch.tensor([3.14159])
        tensor([3.14])
    """
    global _options
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"profile must be one of {', '.join(_PROFILES)}, not {profile!r}")
        _options = _PROFILES[profile]
    changes = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    given = {name: value for name, value in changes.items() if value is not None}
    _options = replace(_options, **given, sci_mode=sci_mode)  # type: ignore[arg-type]


def get_printoptions() -> dict[str, Any]:
    """Return the current options as a dictionary."""
    return dict(vars(_options))


def _edges(tensor: torch.Tensor, summarise: bool) -> Any:
    """Return the elements to print as nested lists, with ... where elements are left out."""
    if tensor.dim() == 0:
        return tensor.item()
    keep = _options.edgeitems
    count = tensor.size(0)
    if not summarise:
        return tensor.tolist()
    if count <= 2 * keep:
        return [_edges(tensor[i], True) for i in range(count)]
    head = [_edges(tensor[i], True) for i in range(keep)]
    tail = [_edges(tensor[i], True) for i in range(count - keep, count)]
    return [*head, ..., *tail]


def _flat(values: Any) -> Iterator[Any]:
    if isinstance(values, list):
        for each in values:
            yield from _flat(each)
    elif values is not ...:
        yield values


class _Number:
    """Formats the elements of one tensor with the same notation and width."""

    def __init__(self, values: list[Any], floating: bool) -> None:
        self.floating = floating
        self.whole = True
        self.scientific = False
        self.width = 1
        if not floating:
            self.width = max([1, *(len(str(value)) for value in values)])
            return
        finite = [value for value in values if math.isfinite(value) and value != 0]
        if not finite:
            return
        self.whole = all(value == math.ceil(value) for value in finite)
        sizes = [abs(value) for value in finite]
        least, most = min(sizes), max(sizes)
        self.scientific = most / least > _WIDE_RANGE or most > _INTEGERS_EXACT
        if not self.whole:
            self.scientific = self.scientific or least < _SMALL
        if _options.sci_mode is not None:
            self.scientific = _options.sci_mode
        widths = [len(self._text(value)) for value in finite]
        self.width = max(1, *widths)

    def _text(self, value: Any) -> str:
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{_options.precision}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{_options.precision}f}"

    def __call__(self, value: Any) -> str:
        return self._text(value).rjust(self.width)


class _Complex:
    """Formats complex elements; real and imaginary parts are aligned separately."""

    def __init__(self, values: list[complex]) -> None:
        self.real = _Number([value.real for value in values], True)
        self.imag = _Number([value.imag for value in values], True)
        self.width = self.real.width + self.imag.width + 1

    def __call__(self, value: complex) -> str:
        imag = (self.imag(value.imag) + "j").lstrip()
        return self.real(value.real) + ("" if imag.startswith("-") else "+") + imag


def _vector(values: list[Any], indent: int, text: _Number | _Complex) -> str:
    per_line = max(1, (_options.linewidth - indent) // (text.width + 2))
    shown = [" ..." if value is ... else text(value) for value in values]
    lines = [", ".join(shown[i : i + per_line]) for i in range(0, len(shown), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _block(values: Any, dims: int, indent: int, text: _Number | _Complex) -> str:
    if dims == 0:
        return text(values)
    if dims == 1:
        return _vector(values, indent, text)
    rows = ["..." if row is ... else _block(row, dims - 1, indent + 1, text) for row in values]
    return "[" + ("," + "\n" * (dims - 1) + " " * (indent + 1)).join(rows) + "]"


def _elements(tensor: torch.Tensor, indent: int) -> str:
    if tensor.dtype is torch.float8_e8m0fnu:  # its least number stands for zero
        tensor = tensor.float().masked_fill(tensor == 0, 0)
    values = _edges(tensor, tensor.numel() > _options.threshold)
    flat = list(_flat(values))
    text = _Complex(flat) if tensor.is_complex() else _Number(flat, tensor.is_floating_point())
    return _block(values, tensor.dim(), indent, text)


def _node_name(node: torch.autograd.graph.Node) -> str:
    """Return the class name of a node; nodes without a Python class share one."""
    name = type(node).__name__
    return node.name().rpartition("::")[2] if name == "CppFunction" else name


def _suffixes(tensor: torch.Tensor) -> Iterator[str]:
    """Yield what follows the elements: the properties without their default value."""
    usual = _usual_dtypes()
    if tensor.device.type != "cpu":
        yield f"device='{tensor.device}'"
    if tensor.device.type == "meta":
        yield f"size={tuple(tensor.shape)}"
    elif tensor.numel() == 0:
        usual = {torch.get_default_dtype()}
        if tensor.dim() != 1:
            yield f"size={tuple(tensor.shape)}"
    if tensor.dtype not in usual:
        yield f"dtype={tensor.dtype}"
    yield from _graph_suffix(tensor)


def _usual_dtypes() -> set[torch.dtype]:
    """Return the dtypes that are not shown."""
    default = torch.get_default_dtype()
    alike = torch.complex128 if default == torch.float64 else torch.complex64
    return {default, alike, torch.int64, torch.bool}


def _graph_suffix(tensor: torch.Tensor) -> Iterator[str]:
    try:
        grad_fn = tensor.grad_fn
    except RuntimeError:  # a view that was made without gradients and then changed
        yield "grad_fn=<Invalid>"
        return
    if grad_fn is not None:
        yield f"grad_fn=<{_node_name(grad_fn)}>"
    elif tensor.requires_grad:
        yield "requires_grad=True"


def _str(tensor: torch.Tensor, *, tensor_contents: str | None = None) -> str:
    """Return the repr of a tensor; a subclass can pass the text of its elements."""
    if torch._C._is_functional_tensor(tensor):
        torch._C._sync(tensor)
        inner = _str(torch._C._from_functional_tensor(tensor), tensor_contents=tensor_contents)
        return f"_to_functional_tensor({inner})"
    plain = type(tensor) is torch.Tensor or type(tensor).__name__ == "Parameter"
    prefix = "tensor(" if plain else f"{type(tensor).__name__}("
    if tensor_contents is not None:
        body = tensor_contents
    elif tensor.device.type == "meta":
        body = "..."
    elif tensor.numel() == 0:
        body = "[]"
    else:
        body = _elements(tensor.detach(), len(prefix))
    text = _with_suffixes(prefix + body, _suffixes(tensor), len(prefix)) + ")"
    return text if plain or not isinstance(tensor, torch.nn.Parameter) else f"Parameter({text})"


def _with_suffixes(text: str, suffixes: Iterable[str], indent: int, new_line: bool = False) -> str:
    """Append suffixes, in new lines where the current one is full, or first if `new_line`."""
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if new_line or column + len(suffix) + 2 > _options.linewidth:
            text += ",\n" + " " * indent + suffix
            column, new_line = indent + len(suffix), False
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text


def sparse_text(tensor: Any, indices: dict[str, torch.Tensor], values: torch.Tensor) -> str:
    """Return the repr of a sparse tensor with the given indices, by name, and values."""
    indent = len("tensor(")
    parts = []
    for name, part in {**indices, "values": values}.items():
        start = f"{name}=tensor("
        if part.is_meta or not part.numel():
            text = f"{'...' if part.is_meta else '[]'}, size={tuple(part.shape)}"
        else:
            text = _elements(part, indent + len(start))
        parts.append(f"{start}{text})")
    text = "tensor(" + (",\n" + " " * indent).join(parts)
    return _with_suffixes(text, _sparse_suffixes(tensor), indent, tensor.is_sparse) + ")"


def nested_text(tensor: torch.Tensor, contents: str) -> str:
    """Return the repr of a nested tensor, given the text of its components."""
    prefix = "nested_tensor("
    return _with_suffixes(prefix + contents, _graph_suffix(tensor), len(prefix)) + ")"


def quantized_text(tensor: torch.Tensor, parameters: list[str], values: torch.Tensor) -> str:
    """Return the repr of a quantized tensor with the given parameters, as text, and numbers."""
    indent = len("tensor(")
    text = "tensor(" + (_elements(values, indent) if values.numel() else "[]")
    suffixes = [f"size={tuple(tensor.shape)}", f"dtype={tensor.dtype}"]
    if tensor.device.type != "cpu":
        suffixes.insert(1, f"device='{tensor.device}'")
    suffixes += [f"quantization_scheme={tensor.qscheme()}", *parameters]  # type: ignore[attr-defined]
    return _with_suffixes(text, suffixes, indent) + ")"


def _sparse_suffixes(tensor: Any) -> Iterator[str]:
    if tensor.device.type != "cpu":
        yield f"device='{tensor.device}'"
    yield f"size={tuple(tensor.shape)}"
    if not tensor.is_meta:
        yield f"nnz={tensor._nnz()}"
    if tensor.dtype not in _usual_dtypes():
        yield f"dtype={tensor.dtype}"
    yield f"layout={tensor.layout}"
    yield from _graph_suffix(tensor)


# ---- under the names by which other packages use this module -------------------------------------
class _CurrentOptions:
    """The options in effect, as attributes."""

    def __getattr__(self, name: str) -> Any:
        return getattr(_options, name)


PRINT_OPTS = _CurrentOptions()
_tensor_str = _elements


@contextlib.contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Set print options for the length of a block.

    Args:
        **options: The arguments of torch.set_printoptions.
    """
    global _options
    before = _options
    set_printoptions(**options)
    try:
        yield
    finally:
        _options = before


def _str_intern(tensor: torch.Tensor, *, tensor_contents: str | None = None) -> str:
    return _str(tensor, tensor_contents=tensor_contents)


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """Append suffixes, each on a new line where the current one is full, and a parenthesis."""
    parts = [tensor_str]
    length = len(tensor_str) - tensor_str.rfind("\n") + 1
    for suffix in suffixes:
        if force_newline or length + len(suffix) + 2 > _options.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            length, force_newline = indent + len(suffix), False
        else:
            parts.append(", " + suffix)
            length += len(suffix) + 2
    return "".join([*parts, ")"])
