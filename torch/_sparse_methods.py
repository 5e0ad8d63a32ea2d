"""Methods of torch.Tensor for sparse tensors; torch.sparse is imported when one is called."""

import torch
from torch._torch_function import (
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    like,
)

TYPE_CHECKING = False  # `import torch` does not pay for typing
if TYPE_CHECKING:
    from torch import Tensor

# The layouts that each method expects, for methods that only some layouts have.
_LAYOUTS = {
    "coalesce": "sparse coordinate",
    "indices": "sparse coordinate",
    "is_coalesced": "sparse coordinate",
    "values": "sparse",
    "crow_indices": "sparse row compressed",
    "col_indices": "sparse row compressed",
    "ccol_indices": "sparse column compressed",
    "row_indices": "sparse column compressed",
}
_PURPOSES = {
    "coalesce": "Return the tensor with sorted indices, and the values of equal ones added up",
    "indices": "Return the indices, (sparse_dim, nnz)",
    "is_coalesced": "Return whether the indices are sorted and distinct",
    "values": "Return the values of the elements that a sparse tensor has",
    "crow_indices": "Return where the elements of each row begin and end, (*batch, rows + 1)",
    "col_indices": "Return the column of each element, (*batch, nnz)",
    "ccol_indices": "Return where the elements of each column begin and end, (*batch, columns + 1)",
    "row_indices": "Return the row of each element, (*batch, nnz)",
}


def of_layout(method):
    """Mark a method of a class of sparse tensors; modes see the method of torch.Tensor instead."""

    def call(self, *args, **kwargs):
        if has_torch_function(()):  # a mode is active
            public = getattr(torch.Tensor, method.__name__)
            return handle_torch_function(public, (self,), self, *args, **kwargs)
        return method(self, *args, **kwargs)

    call.is_of_layout = True
    return like(call, method)


def _overridable(method):
    """Return a method that asks `__torch_function__`, and calls the method of a sparse layout."""

    def call(self, *args, **kwargs):
        own = getattr(type(self), method.__name__)
        if getattr(own, "is_of_layout", False):
            return own(self, *args, **kwargs)
        if has_torch_function_unary(self):
            public = getattr(torch.Tensor, method.__name__)
            return handle_torch_function(public, (self,), self, *args, **kwargs)
        return method(self, *args, **kwargs)

    return like(call, method)


class _Methods:
    """The methods, of which `torch.Tensor` gets the functions."""

    def to_sparse(
        self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None
    ) -> "Tensor":
        """Return a sparse tensor with the elements that are not zero, or that a sparse one has.

        Args:
            sparse_dim: The number of leading dimensions that get indices; all by default.
            layout: torch.sparse_coo, the default, or a compressed layout.
            blocksize: The height and width of blocks, for torch.sparse_bsr and torch.sparse_bsc only.
            dense_dim: The number of trailing dimensions that belong to each value.

        Raises:
            RuntimeError: If the arguments do not fit the layouts.

        Example:
            >>> torch.eye(2).to_sparse()
            tensor(indices=tensor([[0, 1],
                                   [0, 1]]),
                   values=tensor([1., 1.]),
                   size=(2, 2), nnz=2, layout=torch.sparse_coo)
        """
        return torch.sparse._conversions.to_sparse(
            self, sparse_dim, layout=layout, blocksize=blocksize, dense_dim=dense_dim
        )

    def to_sparse_csr(self, dense_dim=None) -> "Tensor":
        """Return the tensor in the layout torch.sparse_csr; see `to_sparse`.

        Args:
            dense_dim: The number of trailing dimensions that belong to each value.

        Example:
            >>> torch.eye(2).to_sparse_csr().crow_indices()
            tensor([0, 1, 2])
        """
        return _converted(self, torch.sparse_csr, None, dense_dim)

    def to_sparse_csc(self, dense_dim=None) -> "Tensor":
        """Return the tensor in the layout torch.sparse_csc; see `to_sparse`.

        Args:
            dense_dim: The number of trailing dimensions that belong to each value.

        Example:
            >>> torch.eye(2).to_sparse_csc().row_indices()
            tensor([0, 1])
        """
        return _converted(self, torch.sparse_csc, None, dense_dim)

    def to_sparse_bsr(self, blocksize, dense_dim=None) -> "Tensor":
        """Return the tensor in the layout torch.sparse_bsr; see `to_sparse`.

        Args:
            blocksize: The height and width of a block, which divide those of the tensor.
            dense_dim: The number of trailing dimensions that belong to each value.

        Example:
            >>> torch.eye(4).to_sparse_bsr((2, 2)).col_indices()
            tensor([0, 1])
        """
        return _converted(self, torch.sparse_bsr, blocksize, dense_dim)

    def to_sparse_bsc(self, blocksize, dense_dim=None) -> "Tensor":
        """Return the tensor in the layout torch.sparse_bsc; see `to_sparse`.

        Args:
            blocksize: The height and width of a block, which divide those of the tensor.
            dense_dim: The number of trailing dimensions that belong to each value.

        Example:
            >>> torch.eye(4).to_sparse_bsc((2, 2)).ccol_indices()
            tensor([0, 1, 2])
        """
        return _converted(self, torch.sparse_bsc, blocksize, dense_dim)

    def sparse_mask(self, mask) -> "Tensor":
        """Return the elements at the indices of a sparse tensor, as a tensor of its layout.

        Args:
            mask: A sparse tensor of the same size, whose values do not matter.

        Raises:
            RuntimeError: If the sizes differ, or a compressed tensor has another layout than the mask.

        Example:
            >>> torch.full((2, 2), 3.0).sparse_mask(torch.eye(2).to_sparse()).values()
            tensor([3., 3.])
        """
        return torch.sparse._conversions.sparse_mask(self, mask)

    def sparse_resize_(self, size, sparse_dim, dense_dim) -> "Tensor":
        """Change the size of a tensor in coordinate format; values of larger sizes get zeros.

        Args:
            size: The size. While the tensor has elements, no dimension may become smaller.
            sparse_dim: The number of sparse dimensions.
            dense_dim: The number of dense dimensions.

        Raises:
            RuntimeError: If elements would be lost.

        Example:
            >>> torch.eye(2).to_sparse().sparse_resize_((3, 2), 2, 0).shape
            torch.Size([3, 2])
        """
        raise torch.sparse._unsupported.could_not_run("aten::sparse_resize_", [self])

    def sparse_resize_and_clear_(self, size, sparse_dim, dense_dim) -> "Tensor":
        """Remove all elements of a tensor in coordinate format, and change its size.

        Args:
            size: The size.
            sparse_dim: The number of sparse dimensions.
            dense_dim: The number of dense dimensions.

        Example:
            >>> torch.eye(2).to_sparse().sparse_resize_and_clear_((3, 2), 2, 0)._nnz()
            0
        """
        raise torch.sparse._unsupported.could_not_run("aten::sparse_resize_and_clear_", [self])

    def sparse_dim(self) -> "int":
        """Return the number of dimensions that indices cover, which is 0 for a dense tensor."""
        return 0

    def dense_dim(self) -> "int":
        """Return the number of dimensions that no indices cover, all of them for a dense tensor."""
        return self.dim()

    def _indices(self) -> "Tensor":
        """Return the indices of a tensor in coordinate format, whether it is coalesced or not."""
        raise torch.sparse._unsupported.could_not_run("aten::_indices", [self])

    def _values(self) -> "Tensor":
        """Return the values of a tensor in coordinate format, whether it is coalesced or not."""
        raise torch.sparse._unsupported.could_not_run("aten::_values", [self])

    def _coalesced_(self, coalesced) -> "Tensor":
        """Note whether the indices of a tensor in coordinate format are sorted and distinct."""
        raise torch.sparse._unsupported.could_not_run("aten::_coalesced_", [self])

    def _nnz(self) -> "int":
        """Return the number of elements that a sparse tensor has."""
        raise torch.sparse._unsupported.could_not_run("aten::_nnz", [self])

    def to_dense(self, dtype=None, *, masked_grad=None) -> "Tensor":
        """Return the tensor itself, which is dense, or a copy with another dtype.

        Args:
            dtype: The dtype of the result; that of the tensor by default.
            masked_grad: Ignored.

        Example:
            >>> torch.eye(2).to_sparse().to_dense()
            tensor([[1., 0.],
                    [0., 1.]])
        """
        return self if dtype is None else self.to(dtype)


def to_sparse_coo(self) -> "Tensor":
    """Return a sparse tensor with the elements that are not zero; see `to_sparse`."""
    return self.to_sparse()


def _converted(tensor, layout, blocksize, dense_dim):
    return torch.sparse._conversions.to_sparse(
        tensor, None, layout=layout, blocksize=blocksize, dense_dim=dense_dim
    )


def _method_of_layout(name):
    """Return the method of tensors whose layout has no such part."""

    def method(self):
        raise RuntimeError(
            f"{name} expected {_LAYOUTS[name]} tensor layout but got "
            + torch.sparse._layouts.layout_name(self)
        )

    method.__name__ = name
    method.__doc__ = (
        f"{_PURPOSES[name]}.\n\nRaises:\n    RuntimeError: If the layout is not {_LAYOUTS[name]}.\n"
    )
    return method


_ASKING = (
    *(method for name, method in vars(_Methods).items() if not name.startswith("__")),
    *map(_method_of_layout, _LAYOUTS),
)
METHODS = (*map(_overridable, _ASKING), to_sparse_coo)
