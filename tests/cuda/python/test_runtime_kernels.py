"""Kernels that are compiled at run time: torch.cuda._compile_kernel and torch.cuda.jiterator."""

from __future__ import annotations

import ctypes

import pytest

import torch
from torch.cuda import _utils
from torch.cuda.jiterator import _create_jit_fn, _create_multi_output_jit_fn

AXPY = """
extern "C" __global__ void axpy(const float* x, float* y, double a, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] += static_cast<float>(a) * x[i];
}
template <typename T> __global__ void fill(T* data, long long value) {
  data[threadIdx.x] = static_cast<T>(value);
}
"""


def test_a_kernel_takes_tensors_and_numbers() -> None:
    axpy = torch.cuda._compile_kernel(AXPY, "axpy")
    x, y = torch.randn(2, 1000, device="cuda")
    expected = y.cpu() + 2.5 * x.cpu()
    axpy(grid=(4, 1, 1), block=(256, 1, 1), args=[x, y, 2.5, 1000])
    torch.testing.assert_close(y.cpu(), expected)


def test_a_kernel_runs_on_the_given_stream() -> None:
    axpy = torch.cuda._compile_kernel(AXPY, "axpy")
    x, y = torch.ones(2, 10, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    axpy((1, 1, 1), (16, 1, 1), [x, y, 1.0, 10], stream=stream)
    torch.cuda.current_stream().wait_stream(stream)
    assert y.tolist() == [2.0] * 10


def test_a_template_is_named_by_an_expression() -> None:
    fill = torch.cuda._compile_kernel(AXPY, "fill<short>")
    data = torch.zeros(8, dtype=torch.int16, device="cuda")
    fill(block=(8, 1, 1), args=[data, ctypes.c_int64(-7)])
    assert data.tolist() == [-7] * 8


def test_pinned_memory_is_an_argument() -> None:
    fill = torch.cuda._compile_kernel(AXPY, "fill<int>")
    data = torch.zeros(4, dtype=torch.int32).pin_memory()
    fill(block=(4, 1, 1), args=[data, ctypes.c_int64(3)])
    torch.cuda.synchronize()
    assert data.tolist() == [3] * 4


@pytest.mark.parametrize(
    ("argument", "error", "message"),
    [
        (torch.ones(1), ValueError, "must be CUDA tensors or pinned CPU tensors"),
        ("text", TypeError, "Unsupported argument type"),
        (2**40, OverflowError, "does not fit in the parameter's 32 bits"),
        (ctypes.c_int16(1), TypeError, "parameter 3 of the kernel has 4 bytes, but .* has 2"),
    ],
)
def test_arguments_that_a_kernel_cannot_take(argument, error, message) -> None:
    axpy = torch.cuda._compile_kernel(AXPY, "axpy")
    x = torch.ones(1, device="cuda")
    with pytest.raises(error, match=message):
        axpy(args=[x, x, 1.0, argument])
    with pytest.raises(TypeError, match="has 4 parameters, but got 1 arguments"):
        axpy(args=[x])


def test_numbers_take_the_sizes_of_the_parameters() -> None:
    source = """extern "C" __global__ void store(double* to, float a, double b, bool c, long long d) {
      to[0] = a; to[1] = b; to[2] = c; to[3] = d;
    }"""
    to = torch.zeros(4, dtype=torch.float64, device="cuda")
    torch.cuda._compile_kernel(source, "store")(args=[to, 0.5, 0.25, True, -(2**40)])
    assert to.tolist() == [0.5, 0.25, 1.0, -(2.0**40)]


def test_errors_of_the_source_and_of_launches() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)Kernel compilation failed:.*broken.cu"):
        torch.cuda._compile_kernel("__global__ void broken() { return 1 }", "broken")
    with pytest.raises(RuntimeError, match="Kernel compilation failed"):
        torch.cuda._compile_kernel(AXPY, "missing")
    axpy = torch.cuda._compile_kernel(AXPY, "axpy")
    x = torch.ones(1, device="cuda")
    with pytest.raises(RuntimeError, match="set_shared_memory_config"):
        axpy(shared_mem=64 << 10)
    with pytest.raises(RuntimeError, match="exceeds device limit"):
        axpy.set_shared_memory_config(1 << 30)
    with pytest.raises(RuntimeError, match="CUDA_ERROR_INVALID_VALUE"):
        axpy(block=(5000, 1, 1), args=[x, x, 1.0, 1])
    with pytest.raises(RuntimeError, match="CUDA_ERROR_INVALID_IMAGE"):
        _utils._cuda_load_module(b"this is no image of a kernel")


def test_a_module_has_its_kernels_as_attributes() -> None:
    image, name = _utils._nvrtc_compile(AXPY, "axpy", compute_capability="90")
    module = _utils._cuda_load_module(image)
    assert module.axpy is getattr(module, name)
    with pytest.raises(AttributeError, match="No kernel named 'other'"):
        _ = module.other


# ---- jiterator
COMBINE = "template <typename T> T combine(T x, T y, T alpha) { return -x + alpha * y; }"


def test_a_formula_is_applied_to_each_element() -> None:
    combine = _create_jit_fn(COMBINE, alpha=1.0)
    a, b = torch.randn(2, 3, 5, device="cuda")
    torch.testing.assert_close(combine(a, b), b - a)
    torch.testing.assert_close(combine(a, b, alpha=3.14), 3.14 * b - a)
    with pytest.raises(KeyError, match="beta is not declared"):
        combine(a, b, beta=1)


def test_operands_are_broadcast_strided_and_promoted() -> None:
    combine = _create_jit_fn(COMBINE, alpha=2)
    a = torch.arange(12, device="cuda").view(3, 4).t()
    b = torch.rand(3, device="cuda")[:1]
    result = combine(a, b)
    assert result.dtype == torch.float32 and result.shape == (4, 3)
    torch.testing.assert_close(result, 2 * b - a)
    integers = combine(a, a[:, :1])
    assert integers.dtype == torch.int64
    assert torch.equal(integers, 2 * a[:, :1] - a)
    half = a.to(torch.float16)
    scalar = torch.tensor(3.0, dtype=torch.float64, device="cuda")
    assert combine(half, scalar).dtype == torch.float16
    assert torch.equal(combine(half, scalar), 6 - half)
    assert combine(a[:0], b).shape == (0, 3)
    assert combine(scalar, scalar).item() == 3


def test_functions_may_call_others_and_have_several_results() -> None:
    code = "template <typename T> T twice(T x) { return x + x; }"
    code += "template <typename T> void both(T x, T by, T& a, T& b) { a = twice(x); b = x * by; }"
    both = _create_multi_output_jit_fn(code, 2, by=3.0)
    x = torch.randn(7, device="cuda")
    doubled, tripled = both(x)
    torch.testing.assert_close(doubled, x + x)
    torch.testing.assert_close(tripled, x * 3)


def test_formulas_that_cannot_be_used() -> None:
    with pytest.raises(Exception, match="Couldn't parse code, please check correctness"):
        _create_jit_fn("float f(float x) { return x; }")
    combine = _create_jit_fn(COMBINE, alpha=1)
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same CUDA device"):
        combine(torch.ones(2), torch.ones(2, device="cuda"))
    with pytest.raises(AssertionError, match="got 9"):
        combine(*[torch.ones(1, device="cuda")] * 9)
    with pytest.raises(NotImplementedError, match="complex64"):
        combine(*[torch.ones(1, dtype=torch.complex64, device="cuda")] * 2)
    with pytest.raises(AssertionError, match="only works for single output"):
        torch.cuda.jiterator._JittedFunction(COMBINE, return_by_ref=False, num_outputs=2)
