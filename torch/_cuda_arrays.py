"""The CUDA Array Interface, version 2, through which libraries share memory of a device.

Source: the interface's specification in Numba's documentation.
"""

import torch

# NumPy's codes; it has none for bfloat16, which is two bytes without a meaning.
_CODES = {
    torch.bool: "|b1",
    torch.uint8: "|u1",
    torch.int8: "|i1",
    torch.uint16: "<u2",
    torch.int16: "<i2",
    torch.uint32: "<u4",
    torch.int32: "<i4",
    torch.uint64: "<u8",
    torch.int64: "<i8",
    torch.float16: "<f2",
    torch.bfloat16: "<V2",
    torch.float32: "<f4",
    torch.float64: "<f8",
    torch.complex64: "<c8",
    torch.complex128: "<c16",
}


def described(tensor):
    """Return the dictionary that describes the memory of a CUDA tensor.

    Raises:
        AttributeError: If the tensor is not a dense one on a CUDA device, so that hasattr() is False.
        RuntimeError: If it requires gradients.
        TypeError: If NumPy has no code for its dtype.
    """
    name = "__cuda_array_interface__"
    if tensor.layout is not torch.strided:
        raise AttributeError(
            f"Can't get {name} on sparse type: {tensor.type()} "
            "Use Tensor.to_dense() to convert to a dense tensor first."
        )
    if not tensor.is_cuda:
        raise AttributeError(
            f"Can't get {name} on non-CUDA tensor type: {tensor.type()} "
            "If CUDA data is required use tensor.cuda() to copy tensor to device memory."
        )
    if tensor.requires_grad:
        raise RuntimeError(
            f"Can't get {name} on Variable that requires grad. "
            "If gradients aren't required, use var.detach() to get Variable that doesn't require grad."
        )
    code = _CODES.get(tensor.dtype)
    if code is None:
        raise TypeError(f"{name} has no code for {tensor.dtype}")
    size = tensor.element_size()
    strides = None if tensor.is_contiguous() else tuple(s * size for s in tensor.stride())
    address = tensor.data_ptr() if tensor.numel() else 0
    return {
        "typestr": code,
        "shape": tuple(tensor.shape),
        "strides": strides,
        "data": (address, False),  # not read-only
        "version": 2,
    }
