"""Names of PyTorch's Triton kernels for blocked sparse matrices, which this build lacks.

Shapes are computed as there; what needs a kernel raises an error.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch._absent import refusing as _refusing


def broadcast_batch_dims(f_name: Any, *tensors: Tensor) -> torch.Size:
    """Return the common shape of the dimensions before the last two.

    Args:
        f_name: The name of the caller, for the error.
        tensors: Tensors of two or more dimensions.

    Raises:
        ValueError: If the shapes do not broadcast.

    Example:
        >>> from torch.sparse._triton_ops import broadcast_batch_dims
        >>> broadcast_batch_dims("f", torch.ones(3, 1, 2, 2), torch.ones(5, 2, 2))
        torch.Size([3, 5])
    """
    try:
        return torch.broadcast_shapes(*(tensor.shape[:-2] for tensor in tensors))
    except RuntimeError as error:
        raise ValueError(f"{f_name}(): inputs' batch dimensions are not broadcastable!") from error


def tile_to_blocksize(t: Tensor, blocksize: tuple[int, int]) -> Tensor:
    """View the last two dimensions as blocks: `(*, rows, columns, *blocksize)`.

    Example:
        >>> from torch.sparse._triton_ops import tile_to_blocksize
        >>> tile_to_blocksize(torch.arange(16).reshape(4, 4), (2, 2))[0, 1]
        tensor([[2, 3],
                [6, 7]])
    """
    *batch, rows, columns = t.shape
    height, width = blocksize
    return t.view(*batch, rows // height, height, columns // width, width).transpose(-3, -2)


globals().update(
    _refusing(
        __name__,
        (
            "bsr_dense_addmm",
            "bsr_dense_mm",
            "bsr_scatter_mm",
            "bsr_softmax",
            "launch_kernel",
            "prepare_inputs",
            "ptr_stride_extractor",
            "sampled_addmm",
            "scatter_mm",
        ),
        RuntimeError,
        "torch.sparse._triton_ops.{name} needs Triton, which this build does not use",
    )
)
