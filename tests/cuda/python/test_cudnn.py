"""Convolutions by cuDNN: values, the settings of torch.backends.cudnn, and the choice of algorithms."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import torch
from torch.backends import cudnn
from torch.nn import functional as F

if not cudnn.is_available():
    pytest.skip("needs a build with cuDNN (USE_CUDNN=1)", allow_module_level=True)

CONVOLUTIONS = [
    F.conv1d, F.conv2d, F.conv3d, F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d,
]  # fmt: skip
# Of cuDNN's functions for the output, the gradient of the input and that of the weight.
FORWARD, DATA, FILTER = "forward", "backward data", "backward filter"


@pytest.fixture(autouse=True)
def default_settings() -> Iterator[None]:
    """Undo changes of the settings."""
    with cudnn.flags(enabled=True):
        yield


@pytest.fixture(scope="module")
def last_convolution() -> Callable[[], str]:
    """Return a function that describes the newest convolution of the emulated cuDNN."""
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib/libtorch_cuda.so"))
    try:
        # const char* at::cuda::dnn::last_convolution(), of ATen/cuda/emulated/Cudnn.cpp
        function = library["_ZN2at4cuda3dnn16last_convolutionEv"]
    except AttributeError:
        pytest.skip("only the emulated cuDNN tells which algorithm ran")
    function.restype = ctypes.c_char_p
    return lambda: function().decode()


def operands(dims: int, dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    """Return an input, a weight of two groups and a bias, of small integers.

    So that sums are exact in every dtype.
    """
    generator = torch.Generator().manual_seed(dims)
    sizes = [(2, 4, *[6, 5, 7][:dims]), (4, 2, *[3, 2, 3][:dims]), (4,)]
    return [torch.randint(-3, 4, size, generator=generator).to(dtype) for size in sizes]


def convolve(
    function: Callable[..., torch.Tensor], tensors: list[torch.Tensor], device: str
) -> list[torch.Tensor]:
    """Return the output of a convolution and the gradients of its operands."""
    leaves = [tensor.to(device).requires_grad_() for tensor in tensors]
    x, weight, bias = leaves
    y = function(x, weight, bias, stride=2, padding=1, groups=2)
    return [y.detach(), *torch.autograd.grad(y.sum(), leaves)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("function", CONVOLUTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("enabled", [True, False])
def test_results_equal_those_of_the_cpu(
    function: Callable[..., torch.Tensor],
    dtype: torch.dtype,
    enabled: bool,
) -> None:
    tensors = operands(int(function.__name__[-2]), dtype)
    with cudnn.flags(enabled=enabled, deterministic=True, allow_tf32=False):
        found = convolve(function, tensors, "cuda")
    expected = convolve(function, tensors, "cpu")
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one.cpu(), other)


def test_settings_decide_whether_cudnn_is_used(last_convolution: Callable[[], str]) -> None:
    x, weight, _ = (tensor.cuda() for tensor in operands(2))
    marker = torch.ones(1, 1, 2, 2, device="cuda", dtype=torch.float64)

    def runs_on_cudnn(run: Callable[[], object]) -> bool:
        F.conv_transpose2d(marker, marker)
        before = last_convolution()
        run()
        return last_convolution() != before

    def run() -> torch.Tensor:
        return F.conv2d(x, weight, groups=2)

    def backend() -> str:
        zeros = [0, 0]
        name = torch._C._select_conv_backend(
            x, weight, None, [1, 1], zeros, [1, 1], False, zeros, 2
        )
        return str(name.name)

    assert runs_on_cudnn(run)
    assert backend() == "Cudnn"
    with cudnn.flags(enabled=False):
        assert not runs_on_cudnn(run)
        assert backend() == "Slow2d"


def test_math_follows_dtype_and_allow_tf32(last_convolution: Callable[[], str]) -> None:
    def math(dtype: torch.dtype) -> str:
        x, weight, _ = (tensor.cuda() for tensor in operands(2, dtype))
        F.conv2d(x, weight, groups=2)
        return last_convolution().rpartition("math ")[2]

    default, tensor_cores, only_float = "0", "1", "3"
    assert math(torch.float32) == default  # which allows TensorFloat-32
    assert math(torch.float64) == default
    assert math(torch.float16) == math(torch.bfloat16) == tensor_cores
    with cudnn.flags(enabled=True, allow_tf32=False):
        assert math(torch.float32) == only_float
        assert math(torch.float64) == default


def algorithms(last_convolution: Callable[[], str], size: int) -> dict[str, str]:
    """Return the algorithm of each map, for a shape that nothing else in the process has."""
    x = torch.ones(1, 2, size, 5, device="cuda", requires_grad=True)
    weight = torch.ones(3, 2, 2, 2, device="cuda", requires_grad=True)
    found = {}

    def note() -> None:
        name, algorithm, _ = last_convolution().split(", ")
        found[name] = algorithm.removeprefix("algorithm ")

    y = F.conv2d(x, weight)
    note()
    grads = []
    for leaf in (x, weight):
        grads += torch.autograd.grad(y.sum(), leaf, retain_graph=True)
        note()
    plain = [tensor.detach().cpu().requires_grad_() for tensor in (x, weight)]
    expected = F.conv2d(*plain)
    torch.testing.assert_close(y.cpu(), expected)
    for grad, other in zip(grads, torch.autograd.grad(expected.sum(), plain), strict=True):
        torch.testing.assert_close(grad.cpu(), other)
    return found


def test_benchmark_takes_the_fastest_algorithm(last_convolution: Callable[[], str]) -> None:
    proposed = {FORWARD: "1", DATA: "1", FILTER: "1"}
    fastest = {FORWARD: "0", DATA: "0", FILTER: "0"}
    assert algorithms(last_convolution, 31) == proposed
    with cudnn.flags(enabled=True, benchmark=True):
        assert algorithms(last_convolution, 31) == fastest
    assert algorithms(last_convolution, 31) == proposed


@pytest.mark.parametrize("globally", [True, False])
def test_deterministic_excludes_algorithms(
    last_convolution: Callable[[], str], globally: bool
) -> None:
    with cudnn.flags(enabled=True, benchmark=True, deterministic=not globally):
        torch.use_deterministic_algorithms(globally)
        try:
            found = algorithms(last_convolution, 33)
        finally:
            torch.use_deterministic_algorithms(False)
    assert found == {FORWARD: "0", DATA: "1", FILTER: "1"}


def test_workspaces_are_limited(
    last_convolution: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDNN_CONV_WSCAP_DBG", "0")
    assert algorithms(last_convolution, 35) == {FORWARD: "0", DATA: "0", FILTER: "0"}
    # With no deterministic algorithm left, kernels of this project compute the gradients.
    with cudnn.flags(enabled=True, deterministic=True):
        assert algorithms(last_convolution, 36) == {FORWARD: "0"}


def test_too_little_memory_for_a_workspace_means_another_algorithm(
    last_convolution: Callable[[], str],
) -> None:
    x = torch.ones(1, 64, 64, 64, device="cuda")
    weight = torch.ones(1, 64, 5, 5, device="cuda")  # columns: 24 MiB
    torch.cuda.empty_cache()
    rest, _ = torch.cuda.mem_get_info()
    filler = torch.empty(rest - (16 << 20), device="cuda", dtype=torch.uint8)
    y = F.conv2d(x, weight, padding=2)
    assert last_convolution().startswith("forward, algorithm 0")
    assert y[0, 0, 32, 32].item() == 64 * 25
    del filler


def test_a_captured_convolution_runs_again(last_convolution: Callable[[], str]) -> None:
    x, weight, bias = (tensor.cuda() for tensor in operands(2))
    graph = torch.cuda.CUDAGraph()
    with cudnn.flags(enabled=True, benchmark=True), torch.cuda.graph(graph):
        y = F.conv2d(x, weight, bias, groups=2)
    assert last_convolution().startswith("forward, algorithm 1")  # nothing can be measured there
    x.copy_(x.flip(0))
    graph.replay()
    torch.testing.assert_close(y.cpu(), F.conv2d(x.cpu(), weight.cpu(), bias.cpu(), groups=2))


def test_work_goes_to_the_current_stream() -> None:
    x, weight, _ = operands(2)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        y = F.conv2d(x.cuda(), weight.cuda(), groups=2)
    stream.synchronize()
    torch.testing.assert_close(y.cpu(), F.conv2d(x, weight, groups=2))


def test_the_module_answers_for_the_library() -> None:
    version = cudnn.version()
    assert version is not None and version // 10000 == 9
    assert torch.backends.cudnn.is_acceptable(torch.ones(1, device="cuda"))
    assert not cudnn.is_acceptable(torch.ones(1))
    assert not cudnn.is_acceptable(torch.ones(1, device="cuda", dtype=torch.int32))
    with cudnn.flags(enabled=False), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not cudnn.is_acceptable(torch.ones(1, device="cuda"))


def test_benchmark_limit_is_a_setting() -> None:
    assert cudnn.benchmark_limit == 10
    with cudnn.flags(enabled=True, benchmark_limit=3):
        assert cudnn.benchmark_limit == 3
    assert cudnn.benchmark_limit == 10
    with pytest.raises(ValueError, match="must be a number from 0"):
        cudnn.benchmark_limit = -1
    with pytest.raises(TypeError):
        cudnn.benchmark_limit = "all"
