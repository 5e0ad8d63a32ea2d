"""Legacy types for sparse tensors on CUDA devices, which this build does not have."""

from __future__ import annotations

import torch as _torch
from torch.cuda._legacy import tensor_type as _tensor_type

_DTYPES = {
    "BFloat16": _torch.bfloat16,
    "Byte": _torch.uint8,
    "Char": _torch.int8,
    "Double": _torch.float64,
    "Float": _torch.float32,
    "Half": _torch.float16,
    "Int": _torch.int32,
    "Long": _torch.int64,
    "Short": _torch.int16,
}
globals().update(
    {
        f"{name}Tensor": _tensor_type("torch.cuda.sparse", f"{name}Tensor", dtype)
        for name, dtype in _DTYPES.items()
    }
)
