"""Element-wise operators whose formula is a string, compiled for CUDA devices at their first call."""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.cuda import _utils

__all__: list[str] = []

_MAX_TENSORS = 8
_THREADS = 256
_OPTIONS = ("-default-device",)  # formulas are functions of the device without saying so
_ENTRY = re.compile(r"template\s*<[^>]*>\s*\w+\s+(?P<name>\w+)\s*\([^{]*\)\s*\{", re.DOTALL)
_C_TYPES = {
    torch.float32: "float",
    torch.float64: "double",
    torch.int8: "signed char",
    torch.uint8: "unsigned char",
    torch.int16: "short",
    torch.int32: "int",
    torch.int64: "long long",
    torch.bool: "bool",
}
# The 16-bit floats are computed in float.
_COMPUTED_IN = {torch.float16: torch.float32, torch.bfloat16: torch.float32}

# The operands are walked by strides, in elements. Everything that a launch changes is one parameter.
_KERNEL = """
{code}
struct Operands {{
  long long count;
  long long sizes[{dims}];
  long long strides[{tensors}][{dims}];
  void* data[{tensors}];
  double numbers[{numbers}];
}};
extern "C" __global__ void jiterator_kernel(Operands op) {{
  typedef {type} T;
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= op.count) return;
  long long offsets[{tensors}] = {{}};
  long long rest = i;
  for (int d = {dims} - 1; d >= 0; --d) {{
    for (int t = 0; t < {tensors}; ++t) offsets[t] += rest % op.sizes[d] * op.strides[t][d];
    rest /= op.sizes[d];
  }}
  {call}
}}
"""


class _JittedFunction:
    """Calls the last function of the code on each element of its tensors, broadcast."""

    def __init__(
        self, code_string: str, return_by_ref: bool, num_outputs: int, **kwargs: Any
    ) -> None:
        if not return_by_ref and num_outputs != 1:
            raise AssertionError("Return by value only works for single output.")
        entries = list(_ENTRY.finditer(code_string))
        if not entries:
            raise RuntimeError(
                f"Couldn't parse code, please check correctness:\n {code_string}\nExpected a "
                "function template such as: template <typename T> T f(T x) { return -x; }"
            )
        self.code_string = code_string
        self.return_by_ref = return_by_ref
        self.num_outputs = num_outputs
        self.kernel_name: str = entries[-1]["name"]
        self.kwargs_dict = kwargs

    def __call__(self, *tensors: torch.Tensor, **kwargs: Any) -> Any:
        if not torch.cuda.is_available():
            raise AssertionError(
                "Jiterator is only supported on CUDA and ROCm GPUs, none are available."
            )
        for name in kwargs:
            if name not in self.kwargs_dict:
                raise KeyError(f"{name} is not declared in function definition")
        device = _common_device(tensors)
        dtype = _common_dtype(tensors)
        inside = _COMPUTED_IN.get(dtype, dtype)
        if inside not in _C_TYPES:
            raise NotImplementedError(f"jiterator does not compute in {dtype}")
        with torch.no_grad(), torch.cuda.device(device):
            inputs = torch.broadcast_tensors(*(tensor.detach().to(inside) for tensor in tensors))
            shape = inputs[0].shape
            outputs = [
                torch.empty(shape, dtype=inside, device=device) for _ in range(self.num_outputs)
            ]
            self._launch(inputs, outputs, inside, list({**self.kwargs_dict, **kwargs}.values()))
            results = tuple(output.to(dtype) for output in outputs)
        return results[0] if self.num_outputs == 1 else results

    def _launch(
        self,
        inputs: Sequence[torch.Tensor],
        outputs: Sequence[torch.Tensor],
        dtype: torch.dtype,
        numbers: Sequence[float],
    ) -> None:
        count = outputs[0].numel()
        if count == 0:
            return
        operands = [*outputs, *inputs]
        dims = max(1, outputs[0].dim())
        source = self._source(dtype, dims, len(inputs), len(numbers))
        kernel = _compiled(source, torch.cuda.current_device())
        block = (_THREADS, 1, 1)
        grid = ((count + _THREADS - 1) // _THREADS, 1, 1)
        kernel(grid, block, [_packed(operands, dims, count, numbers)])

    def _source(self, dtype: torch.dtype, dims: int, inputs: int, numbers: int) -> str:
        """Return the kernel for tensors of this dtype with this number of dimensions."""
        return _KERNEL.format(
            code=self.code_string,
            dims=dims,
            tensors=self.num_outputs + inputs,
            numbers=max(1, numbers),
            type=_C_TYPES[dtype],
            call=self._call(inputs, numbers),
        )

    def _call(self, inputs: int, numbers: int) -> str:
        """Return the statement that computes one element; outputs precede inputs in the operands."""
        places = [
            f"static_cast<T*>(op.data[{t}])[offsets[{t}]]" for t in range(self.num_outputs + inputs)
        ]
        outputs, values = places[: self.num_outputs], places[self.num_outputs :]
        values += [f"static_cast<T>(op.numbers[{n}])" for n in range(numbers)]
        if self.return_by_ref:
            return f"{self.kernel_name}<T>({', '.join(values + outputs)});"
        return f"{outputs[0]} = {self.kernel_name}<T>({', '.join(values)});"


def _common_device(tensors: Sequence[torch.Tensor]) -> torch.device:
    if not 1 <= len(tensors) <= _MAX_TENSORS:
        raise AssertionError(
            f"jiterator only supports 1 to {_MAX_TENSORS} tensor inputs, got {len(tensors)}"
        )
    devices = {tensor.device for tensor in tensors}
    if len(devices) != 1 or not tensors[0].is_cuda:
        raise RuntimeError(
            "Expected all tensors to be on the same CUDA device, but found "
            + " and ".join(sorted(map(str, devices)))
        )
    return tensors[0].device


def _common_dtype(tensors: Sequence[torch.Tensor]) -> torch.dtype:
    """Return the dtype of the result: a tensor without dimensions counts if its category is higher."""
    kinds = []
    for has_dims in (True, False):
        dtypes = [tensor.dtype for tensor in tensors if (tensor.dim() > 0) == has_dims]
        if dtypes:
            common = functools.reduce(torch.promote_types, dtypes)
            kinds.append(torch.empty((1,) if has_dims else (), dtype=common))
    return torch.result_type(kinds[0], kinds[-1])


@functools.lru_cache(maxsize=256)
def _compiled(source: str, device: int) -> _utils._CudaKernel:
    """Return the kernel; a module belongs to one device."""
    return _utils._compile_kernel(source, "jiterator_kernel", nvcc_options=_OPTIONS)


def _packed(
    operands: Sequence[torch.Tensor], dims: int, count: int, numbers: Sequence[float]
) -> ctypes.Structure:
    """Return the kernel's parameter, with the layout of its struct Operands."""

    class Operands(ctypes.Structure):
        _fields_ = [
            ("count", ctypes.c_longlong),
            ("sizes", ctypes.c_longlong * dims),
            ("strides", ctypes.c_longlong * dims * len(operands)),
            ("data", ctypes.c_void_p * len(operands)),
            ("numbers", ctypes.c_double * max(1, len(numbers))),
        ]

    packed = Operands(count=count)
    packed.sizes[:] = list(operands[0].shape) or [1]
    for place, tensor in enumerate(operands):
        packed.strides[place][:] = list(tensor.stride()) or [0]
        packed.data[place] = tensor.data_ptr()
    packed.numbers[: len(numbers)] = [float(number) for number in numbers]
    return packed


def _create_jit_fn(code_string: str, **kwargs: Any) -> Callable[..., torch.Tensor]:
    """Make an element-wise operator from the formula of one element.

    Args:
        code_string: Function templates in CUDA C++. The last one is called: it takes a value of
            each tensor, then the keyword arguments, and returns the result.
        **kwargs: Numbers and their default values.

    Returns:
        A function of up to 8 CUDA tensors, which are broadcast and promoted. Its result has no
        history for backward.

    Example:
        >>> code = "template <typename T> T f(T x, T y, T alpha) { return -x + alpha * y; }"
        >>> f = torch.cuda.jiterator._create_jit_fn(code, alpha=1.0)
        >>> f(a, b, alpha=3.14)  # doctest: +SKIP
    """
    return _JittedFunction(code_string, return_by_ref=False, num_outputs=1, **kwargs)


def _create_multi_output_jit_fn(
    code_string: str, num_outputs: int, **kwargs: Any
) -> Callable[..., Any]:
    """Make an element-wise operator with several results, which the function takes by reference.

    Args:
        code_string: As for `_create_jit_fn`; the last function ends with `num_outputs` references.
        num_outputs: The number of results.
        **kwargs: Numbers and their default values.

    Returns:
        A function that returns a tuple, or a tensor if there is one result.

    Example:
        >>> code = "template <typename T> void f(T x, T& twice, T& half) { twice = 2 * x; half = x / 2; }"
        >>> f = torch.cuda.jiterator._create_multi_output_jit_fn(code, 2)
        >>> twice, half = f(a)  # doctest: +SKIP
    """
    return _JittedFunction(code_string, return_by_ref=True, num_outputs=num_outputs, **kwargs)
