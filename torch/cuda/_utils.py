"""Kernels that are compiled at run time: source to machine code by NVRTC, loading, and launching."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import _C
from torch.cuda import _lazy
from torch.cuda._devices import _get_device_index

__all__ = ["_compile_kernel", "_cuda_load_module", "_get_device_index", "_nvrtc_compile"]

_SHARED_WITHOUT_REQUEST = 48 << 10  # bytes of dynamic shared memory that any launch may have
_INTEGERS: dict[int | None, Any] = {
    1: ctypes.c_uint8,
    2: ctypes.c_uint16,
    4: ctypes.c_uint32,
    8: ctypes.c_uint64,
}


def _nvrtc_compile(
    kernel_source: str,
    kernel_name: str,
    compute_capability: str | None = None,
    cuda_include_dirs: Iterable[str] | None = None,
    nvcc_options: Iterable[str] | None = None,
    auto_pch: bool = False,
) -> tuple[bytes, str]:
    """Compile a kernel. With a compute capability, this needs neither a GPU nor a driver.

    Args:
        kernel_source: CUDA C++.
        kernel_name: A kernel of the source, or an expression such as "scale<float>".
        compute_capability: Such as "90"; the current device's if None.
        cuda_include_dirs: Further folders with headers.
        nvcc_options: Further options for NVRTC.
        auto_pch: Whether NVRTC keeps precompiled headers.

    Returns:
        The machine code and the kernel's name in it.

    Raises:
        RuntimeError: If the source does not compile, with the compiler's messages.
        NotImplementedError: If this build has no NVRTC.
    """
    _lazy.require_build()
    if compute_capability is None:
        compute_capability = "{}{}".format(*torch.cuda.get_device_capability())
    folders = [*_toolkit_headers(), *map(str, cuda_include_dirs or ())]
    options = [
        f"--gpu-architecture=sm_{compute_capability}",
        *(f"-I{folder}" for folder in folders),
        *(["--pch"] if auto_pch else []),
        *(nvcc_options or ()),
    ]
    return _C._cuda_compile_kernel(kernel_source, kernel_name, options)


def _toolkit_headers() -> list[str]:
    """Return the folder of the toolkit's headers, which most kernels do without."""
    from torch.utils import _cuda_toolkit

    folder = _cuda_toolkit.find_toolkit() if _C._cuda_getArchFlags() is not None else None
    return [str(folder / "include")] if folder else []


class _CudaModule:
    """Kernels that were loaded together; each is an attribute."""

    def __init__(self, module: int) -> None:
        self._module = module
        self._kernels: dict[str, _CudaKernel] = {}

    def __getattr__(self, name: str) -> _CudaKernel:
        if name not in self._kernels:
            function = _C._cuda_get_kernel(self._module, name)
            if function is None:
                raise AttributeError(f"No kernel named '{name}' in this module")
            self._kernels[name] = _CudaKernel(function, self)
        return self._kernels[name]


class _CudaKernel:
    """A kernel that takes tensors and numbers."""

    def __init__(self, func: int, module: _CudaModule) -> None:
        self.func = func
        self.module = module
        self._max_shared_mem_bytes = 0
        self._sizes = _C._cuda_get_kernel_parameter_sizes(func)

    def __call__(
        self,
        grid: tuple[int, int, int] = (1, 1, 1),
        block: tuple[int, int, int] = (1, 1, 1),
        args: Sequence[Any] | None = None,
        shared_mem: int = 0,
        stream: Any = None,
    ) -> None:
        """Queue the kernel on a stream.

        Args:
            grid: The number of blocks in each dimension.
            block: The number of threads of a block in each dimension.
            args: CUDA tensors and pinned ones, which become pointers; ints, floats, and objects
                of ctypes. A driver older than 12.4 does not tell the sizes of parameters: ints
                have 32 bits with it, and floats 64.
            shared_mem: Bytes of dynamic shared memory.
            stream: The current one if None.

        Raises:
            TypeError: If an argument has another type or size, or their number is wrong.
            ValueError: If a tensor is neither on a CUDA device nor pinned.
            OverflowError: If an int does not fit in the parameter.
            RuntimeError: If `shared_mem` is 48 KiB or more and was not requested.
        """
        if shared_mem >= _SHARED_WITHOUT_REQUEST and shared_mem > self._max_shared_mem_bytes:
            raise RuntimeError(
                f"Kernel requires {shared_mem} bytes of shared memory (>= 48KB), but only "
                f"{self._max_shared_mem_bytes} bytes configured. Call "
                "kernel.set_shared_memory_config(shared_mem) before launching the kernel."
            )
        where = torch.cuda.current_stream() if stream is None else stream
        values = _parameters(args or (), self._sizes)
        _C._cuda_launch_kernel(
            self.func, tuple(grid), tuple(block), shared_mem, where.cuda_stream, values
        )

    def set_shared_memory_config(self, shared_mem_bytes: int) -> None:
        """Request dynamic shared memory of 48 KiB or more for later launches.

        Raises:
            RuntimeError: If the device does not have that much for a block.
        """
        if shared_mem_bytes >= _SHARED_WITHOUT_REQUEST:
            properties = torch.cuda.get_device_properties()
            limit = getattr(
                properties, "shared_memory_per_block_optin", properties.shared_memory_per_block
            )
            if shared_mem_bytes > limit:
                raise RuntimeError(
                    f"Requested shared memory ({shared_mem_bytes} bytes) exceeds device limit "
                    f"({limit} bytes). Consider reducing block size or shared memory usage."
                )
            _C._cuda_set_kernel_shared_memory(self.func, shared_mem_bytes)
        self._max_shared_mem_bytes = shared_mem_bytes


def _parameters(args: Sequence[Any], sizes: Sequence[int] | None) -> list[bytes]:
    """Return the bytes of a kernel's parameters, whose sizes old drivers do not tell."""
    if sizes is None:
        return [_parameter(arg, None) for arg in args]
    if len(args) != len(sizes):
        raise TypeError(f"the kernel has {len(sizes)} parameters, but got {len(args)} arguments")
    values = [_parameter(arg, size) for arg, size in zip(args, sizes, strict=True)]
    for place, (value, size) in enumerate(zip(values, sizes, strict=True)):
        if len(value) != size:
            raise TypeError(
                f"parameter {place} of the kernel has {size} bytes, but the argument has {len(value)}"
            )
    return values


def _parameter(arg: Any, size: int | None) -> bytes:
    """Return the bytes of a parameter. Numbers take its size if they can."""
    if isinstance(arg, torch.Tensor):
        if not arg.is_cuda and not (arg.device.type == "cpu" and arg.is_pinned()):
            raise ValueError("All tensor arguments must be CUDA tensors or pinned CPU tensors")
        return bytes(ctypes.c_void_p(arg.data_ptr()))
    if isinstance(arg, int):
        integer = _INTEGERS.get(size, ctypes.c_uint32)
        bits = 8 * ctypes.sizeof(integer)
        if not -(1 << bits - 1) <= arg < 1 << bits:
            raise OverflowError(f"{arg} does not fit in the parameter's {bits} bits")
        return bytes(integer(arg))
    if isinstance(arg, float):
        return bytes(ctypes.c_float(arg) if size == 4 else ctypes.c_double(arg))
    if isinstance(arg, (ctypes._SimpleCData, ctypes.Structure, ctypes.Array)):
        return bytes(arg)
    raise TypeError(f"Unsupported argument type: {type(arg)}")


def _cuda_load_module(
    ptx: str | bytes, kernel_names: Sequence[str] | None = None
) -> _CudaModule | dict[str, _CudaKernel]:
    """Load PTX or machine code on the current device.

    Args:
        ptx: The code.
        kernel_names: The kernels to return.

    Returns:
        A dict of the kernels; without names, a module whose attributes they are.

    Raises:
        RuntimeError: If the driver does not accept the code.
        AttributeError: If a kernel is missing.
    """
    image = ptx.encode() if isinstance(ptx, str) else ptx
    module = _CudaModule(_C._cuda_load_module(image))
    if not kernel_names:
        return module
    return {name: getattr(module, name) for name in kernel_names}


def _compile_kernel(
    kernel_source: str,
    kernel_name: str,
    compute_capability: str | None = None,
    cuda_include_dirs: Iterable[str] | None = None,
    nvcc_options: Iterable[str] | None = None,
) -> _CudaKernel:
    """Compile a kernel and load it on the current device; the arguments are `_nvrtc_compile`'s.

    Example:
        >>> source = '''
        ... extern "C" __global__ void twice(float* data, int count) {
        ...   const int i = blockIdx.x * blockDim.x + threadIdx.x;
        ...   if (i < count) data[i] *= 2;
        ... }'''
        >>> twice = torch.cuda._compile_kernel(source, "twice")  # doctest: +SKIP
        >>> x = torch.ones(1000, device="cuda")  # doctest: +SKIP
        >>> twice(grid=(4, 1, 1), block=(256, 1, 1), args=[x, 1000])  # doctest: +SKIP
    """
    image, name = _nvrtc_compile(
        kernel_source, kernel_name, compute_capability, cuda_include_dirs, nvcc_options
    )
    kernels = _cuda_load_module(image, [name])
    assert isinstance(kernels, dict)
    return kernels[name]
