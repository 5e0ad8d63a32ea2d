"""MaskedTensor: data, and a mask of the elements that are given.

Operators reach their rules through `__torch_dispatch__`, below autograd, so gradients are masked
tensors themselves. Reductions and conversions of layouts have rules in `__torch_function__`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import torch
from torch import _C
from torch.autograd import Function
from torch.masked.maskedtensor import _text
from torch.masked.maskedtensor._layouts import check_same_indices, fit_to_mask

Tensor = torch.Tensor

__all__ = ["MaskedTensor", "is_masked_tensor"]

_PROTOTYPE = (
    "The PyTorch API of MaskedTensors is in prototype stage "
    "and will change in the near future. Please open a Github issue "
    "for features requests and see our documentation on the torch.masked "
    "module for further information about the project."
)
_DATA_WITH_GRAPH = (
    "It is not recommended to create a MaskedTensor with a tensor that requires_grad. "
    "To avoid this, you can use data.detach().clone()"
)
_LAYOUTS = (torch.strided, torch.sparse_coo, torch.sparse_csr)
_DTYPES = (
    torch.float16, torch.float32, torch.float64, torch.bool,
    torch.int8, torch.int16, torch.int32, torch.int64,
)  # fmt: skip


class MaskedTensor(Tensor):
    """A tensor of which a mask says which elements are given.

    Args:
        data: The elements: strided, or in coordinate or compressed row format.
        mask: True for elements that are given; a boolean tensor of the same size and layout.
        requires_grad: Whether to record operations for gradients.

    Raises:
        TypeError: If one of them is no tensor or a MaskedTensor, or has an unsupported dtype or layout.
        ValueError: If their sizes or indices differ.

    Example:
        >>> data = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.masked.MaskedTensor(data, data > 1.5)  # doctest: +SKIP
        MaskedTensor(
          [
            [      --,   2.0000],
            [  3.0000,   4.0000]
          ]
        )
    """

    _masked_data: Tensor
    _masked_mask: Tensor
    # Which rules functions and operators have: set by the module `_rules`, which knows all.
    _rule_of_function: ClassVar[Callable[[Any], Callable[..., Any] | None]]
    _rule_of_operator: ClassVar[Callable[[Any], Callable[..., Any] | None]]

    @staticmethod
    def __new__(cls: Any, data: Any, mask: Any, requires_grad: bool = False) -> Any:
        """Create the wrapper, whose size and dtype are those of the data."""
        for name, value in (("data", data), ("mask", mask)):
            if is_masked_tensor(value) or not isinstance(value, Tensor):
                raise TypeError(f"{name} must be a Tensor")
        warn_of_creation(data, stacklevel=2)
        return _wrapper(cls, data, requires_grad)

    def __init__(self, data: Tensor, mask: Tensor, requires_grad: bool = False) -> None:
        """Copy data and mask, and check that they fit."""
        self._hold(*_prepared(data, mask))

    def _hold(self, data: Tensor, mask: Tensor) -> None:
        self._masked_data, self._masked_mask = data, mask
        _check(data, mask)

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call the rule of a reduction or conversion, or else the function itself."""
        rule = cls._rule_of_function(func)
        if rule is not None:
            return rule(*args, **(kwargs or {}))
        if not all(issubclass(cls, each) for each in types):
            return NotImplemented
        with _C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call the rule of an operator."""
        rule = cls._rule_of_operator(func)
        return NotImplemented if rule is None else rule(*args, **(kwargs or {}))

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        """Show the elements that are given, and -- for the others."""
        return _text.masked_text(self._masked_data.detach(), self._masked_mask)

    def __lt__(self, other: Any) -> Any:
        """Compare elements; the mask is this tensor's."""
        return make(self.get_data() < data_of(other), self._masked_mask)

    def to_tensor(self, value: Any) -> Tensor:
        """Return a plain tensor in which a value replaces the elements that are not given.

        Example:
            >>> data = torch.tensor([1.0, 2.0])
            >>> mask = torch.tensor([True, False])
            >>> torch.masked.masked_tensor(data, mask).to_tensor(0)  # doctest: +SKIP
            tensor([1., 0.])
        """
        return self.get_data().masked_fill(~self._masked_mask, value)

    def get_data(self) -> Tensor:
        """Return the data; gradients of it become masked tensors."""
        return GetData.apply(self)  # type: ignore[no-any-return]

    def get_mask(self) -> Tensor:
        """Return the mask."""
        return self._masked_mask

    @property
    def layout(self) -> torch.layout:  # type: ignore[override]
        """The layout of data and mask."""
        return self._masked_data.layout

    def is_sparse_coo(self) -> bool:
        """Return whether data and mask are in coordinate format."""
        return self.layout == torch.sparse_coo

    def is_sparse_csr(self) -> bool:  # type: ignore[override]
        """Return whether data and mask are in compressed row format."""
        return self.layout == torch.sparse_csr

    @property
    def is_sparse(self) -> bool:  # type: ignore[override]
        """Whether data and mask are sparse."""
        return self.layout != torch.strided

    def is_contiguous(self, *format: Any, **options: Any) -> bool:
        """Return whether the data is contiguous."""
        if self.is_sparse:
            raise ValueError("MaskedTensors with sparse data do not have is_contiguous")
        return self._masked_data.is_contiguous(*format, **options)

    def stride(self, *dim: Any) -> Any:
        """Return the strides of the data."""
        return self._masked_data.stride(*dim)

    def tolist(self) -> Any:
        """Raise an error: a list has no mask."""
        raise RuntimeError(
            f".tolist() is not supported for tensor subclasses, got {type(self).__name__}"
        )

    def untyped_storage(self) -> Any:
        """Raise an error: data and mask have storages of their own."""
        raise NotImplementedError("a MaskedTensor has no storage; use get_data() and get_mask()")

    def __deepcopy__(self, memo: Any) -> Any:
        """Copy data and mask."""
        if id(self) not in memo:
            copied = make(self._masked_data, self._masked_mask).requires_grad_(self.requires_grad)
            copied.grad = None if self.grad is None else self.grad.clone()
            memo[id(self)] = copied
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle data and mask."""
        return _rebuild, (self._masked_data, self._masked_mask, self.requires_grad)


def is_masked_tensor(obj: Any, /) -> bool:
    """Return whether an object is a MaskedTensor.

    Example:
        >>> import torch.masked
        >>> torch.masked.is_masked_tensor(torch.ones(2))
        False
    """
    return isinstance(obj, MaskedTensor)


def warn_of_creation(data: Tensor, stacklevel: int) -> None:
    """Warn that masked tensors are a prototype, and of data with a graph."""
    warnings.warn(_PROTOTYPE, UserWarning, stacklevel=stacklevel + 1)
    if data.requires_grad:
        warnings.warn(_DATA_WITH_GRAPH, UserWarning, stacklevel=stacklevel + 1)


def make(data: Tensor, mask: Tensor) -> MaskedTensor:
    """Create a masked tensor that no graph tracks, without a warning."""
    found: MaskedTensor = _wrapper(MaskedTensor, data, False)
    found._hold(*_prepared(data, mask))
    return found


def _rebuild(data: Tensor, mask: Tensor, requires_grad: bool) -> MaskedTensor:
    return make(data, mask).requires_grad_(requires_grad)


def make_tracked(data: Tensor, mask: Tensor) -> MaskedTensor:
    """Create a masked tensor; gradients flow to the data."""
    return Constructor.apply(data, mask)  # type: ignore[no-any-return]


def data_of(value: Any) -> Any:
    """Return the data of a masked tensor, and anything else as it is."""
    return value._masked_data if is_masked_tensor(value) else value


def mask_of(value: Any) -> Any:
    """Return the mask of a masked tensor, and anything else as it is."""
    return value._masked_mask if is_masked_tensor(value) else value


def each_part(function: Any, args: Any) -> list[Any]:
    """Apply `data_of` or `mask_of` to arguments, also in lists and tuples."""
    return [
        type(a)(each_part(function, a)) if type(a) in (list, tuple) else function(a) for a in args
    ]


def _wrapper(cls: Any, data: Tensor, requires_grad: bool) -> Any:
    return Tensor._make_wrapper_subclass(
        cls, data.size(), dtype=data.dtype, device=data.device, requires_grad=requires_grad
    )


def _prepared(data: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    if data.layout != mask.layout:
        raise TypeError("data and mask must have the same layout.")
    data, mask = fit_to_mask(data.detach(), mask.detach())
    return data.clone(), mask.clone()


def _check(data: Tensor, mask: Tensor) -> None:
    if type(data) is not type(mask):
        raise TypeError(f"data and mask must have the same type. Got {type(data)} and {type(mask)}")
    if data.layout not in _LAYOUTS:
        raise TypeError(f"data layout of {data.layout} is not supported.")
    check_same_indices(data, mask)
    if mask.dtype != torch.bool:
        raise TypeError("mask must have dtype bool.")
    if data.dtype not in _DTYPES:
        raise TypeError(f"{data.dtype} is not supported in MaskedTensor.")
    if data.dim() != mask.dim():
        raise ValueError("data.dim() must equal mask.dim()")
    if data.size() != mask.size():
        raise ValueError("data.size() must equal mask.size()")


class GetData(Function):
    """From a masked tensor to its data."""

    @staticmethod
    def forward(ctx: Any, tensor: Any) -> Any:
        ctx.mask = tensor._masked_mask
        return tensor._masked_data.detach()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad if is_masked_tensor(grad) else make(grad, ctx.mask)


class Constructor(Function):
    """From data and a mask to a masked tensor."""

    @staticmethod
    def forward(ctx: Any, data: Any, mask: Any) -> Any:
        return make(data, mask)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad, None
