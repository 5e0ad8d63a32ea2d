"""Names for the types that arguments of torch may have, for annotations."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import IO, Any, TypeAlias, Union

from torch import Size, SymBool, SymFloat, SymInt, Tensor, device, dtype, layout, qscheme

_bool: TypeAlias = builtins.bool
_bytes: TypeAlias = builtins.bytes
_complex: TypeAlias = builtins.complex
_device: TypeAlias = device
_dtype: TypeAlias = dtype
_float: TypeAlias = builtins.float
_int: TypeAlias = builtins.int
_layout: TypeAlias = layout
_qscheme: TypeAlias = qscheme
_str: TypeAlias = builtins.str

Number: TypeAlias = Union[int, float, bool]  # noqa: UP007 - the alias PyTorch has
_Number = (int, float, bool)
FileLike: TypeAlias = Union[str, os.PathLike[str], IO[bytes]]  # noqa: UP007
Device: TypeAlias = Union[device, str, int, None]  # noqa: UP007

IntLikeType: TypeAlias = Union[int, SymInt]  # noqa: UP007
FloatLikeType: TypeAlias = Union[float, SymFloat]  # noqa: UP007
BoolLikeType: TypeAlias = Union[bool, SymBool]  # noqa: UP007
py_sym_types = (SymInt, SymFloat, SymBool)
PySymType: TypeAlias = Union[SymInt, SymFloat, SymBool]  # noqa: UP007

_size: TypeAlias = Union[Size, list[int], tuple[int, ...]]  # noqa: UP007
_symsize: TypeAlias = Union[Size, Sequence[IntLikeType]]  # noqa: UP007
_dispatchkey: TypeAlias = str
_TensorOrTensors: TypeAlias = Union[Tensor, Sequence[Tensor]]  # noqa: UP007
_TensorOrOptionalTensors: TypeAlias = Union[Tensor, Sequence["Tensor | None"]]  # noqa: UP007
_TensorOrTensorsOrGradEdge: TypeAlias = Union[Tensor, Sequence[Tensor], Any]  # noqa: UP007


class Storage:
    """The protocol of storages, for annotations.

    Example:
        >>> def count(storage: torch.types.Storage) -> int:
        ...     return storage.nbytes()
    """

    _cdata: int
    device: _device
    dtype: _dtype
    _torch_load_uninitialized: bool

    def __deepcopy__(self, memo: dict[int, Any]) -> Storage:
        raise NotImplementedError

    def _new_shared(self, size: int) -> Storage:
        raise NotImplementedError

    def element_size(self) -> int:
        """Return the bytes of an element."""
        raise NotImplementedError

    def is_shared(self) -> bool:
        """Return whether other processes can map the memory."""
        raise NotImplementedError

    def share_memory_(self) -> Storage:
        """Move the memory to where other processes can map it."""
        raise NotImplementedError

    def nbytes(self) -> int:
        """Return the bytes of the storage."""
        raise NotImplementedError

    def cpu(self) -> Storage:
        """Return the storage on the CPU."""
        raise NotImplementedError

    def data_ptr(self) -> int:
        """Return the address of the memory."""
        raise NotImplementedError
