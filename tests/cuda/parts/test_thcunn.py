"""torch._C._THCUNN: each legacy kernel computes on a CUDA device what the same kernel of THNN does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import torch
from torch._thnn import type2backend
from torch._thnn.utils import THNN_H_PATH, parse_header
from torch.nn._functions.thnn import auto

DTYPES = (torch.float, torch.double)


def compare(function: Callable[[Any], Any], *tensors: Any) -> list[torch.Tensor]:
    """Call a legacy function on the CPU and on a device, and compare outputs and gradients."""
    found = []
    for device in ("cpu", "cuda"):
        moved = [x.to(device) if isinstance(x, torch.Tensor) else x for x in tensors]
        leaf = moved[0].detach().clone().requires_grad_()
        outputs = function(leaf, *moved[1:])
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        assert all(output.device.type == device for output in outputs)
        output = outputs[0]
        weights = torch.linspace(-1, 2, output.numel(), dtype=output.dtype, device=device)
        (gradient,) = torch.autograd.grad((output * weights.reshape(output.shape)).sum(), leaf)
        found.append([x.detach().cpu() for x in (*outputs, gradient)])
    torch.testing.assert_close(found[1], found[0])
    return found[1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Abs", ()),
        ("ELU", (0.7, 1.1, 0.9, False)),
        ("HardTanh", (-0.5, 0.8, False)),
        ("LeakyReLU", (0.2, False)),
        ("LogSigmoid", ()),
        ("Sigmoid", ()),
        ("SoftPlus", (2.0, 3.0)),
        ("SoftShrink", (0.3,)),
        ("Tanh", ()),
    ],
)
def test_activations(name: str, arguments: tuple[Any, ...], dtype: torch.dtype) -> None:
    kernel = getattr(auto, name)
    base = torch.linspace(-3, 3, 24, dtype=dtype)
    for input in (base, base.reshape(4, 6).t(), base[::3], base[5], base[:0]):
        compare(lambda x: kernel.apply(x, *arguments), input)


@pytest.mark.parametrize("dtype", DTYPES)
def test_results_in_place_share_the_memory_of_the_input(dtype: torch.dtype) -> None:
    for kernel, arguments in ((auto.LeakyReLU, (0.2,)), (auto.HardTanh, (-0.5, 0.8))):
        base = torch.linspace(-2, 2, 9, dtype=dtype, device="cuda")
        input = base.clone()
        output = kernel.apply(input, *arguments, True)
        assert output.data_ptr() == input.data_ptr()
        torch.testing.assert_close(output, kernel.apply(base, *arguments, False))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("reduction", range(3))
@pytest.mark.parametrize(
    "name", ["AbsCriterion", "MSECriterion", "SmoothL1Criterion", "BCECriterion"]
)
def test_criterions(name: str, reduction: int, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    kernel = getattr(auto, name)
    input, target, weight = (torch.rand(5, 70, dtype=dtype) for _ in range(3))
    further: list[tuple[Any, ...]] = [()] if name != "BCECriterion" else [(None,), (weight,)]
    for more in further:
        compare(lambda x, y, *w: kernel.apply(x, y, reduction, *w), input, target, *more)


@pytest.mark.parametrize("reduction", range(3))
def test_class_nll_ignores_a_class_and_weighs_the_others(reduction: int) -> None:
    torch.manual_seed(0)
    scores, classes = torch.randn(5, 3).log_softmax(1), torch.tensor([0, 2, -100, 1, 2])

    def apply(x: torch.Tensor, y: torch.Tensor, w: torch.Tensor | None) -> Any:
        return auto.ClassNLLCriterion.apply(x, y, reduction, w, -100)

    for weights in (None, torch.tensor([0.5, 1.0, 2.0])):
        compare(apply, scores, classes, weights)
    compare(apply, scores[0], classes[:1], None)


@pytest.mark.parametrize("dtype", DTYPES)
def test_windows(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    image = torch.randn(2, 3, 6, 7, dtype=dtype)
    numbers = (2, 3, 1, 2, 1, 0, 2, 1)
    for input in (image, image[0], image.transpose(0, 1)):
        (columns, _) = compare(lambda x: auto.Im2Col.apply(x, *numbers), input)
        compare(lambda x: auto.Col2Im.apply(x, 6, 7, *numbers), columns)


@pytest.mark.parametrize("size", [(3, 2), (7, 5), (1, 1), (9, 4)])
def test_adaptive_max_pooling(size: tuple[int, int]) -> None:
    torch.manual_seed(0)
    image = torch.randn(2, 3, 7, 5, dtype=torch.double)
    for input in (image, image[1], image.transpose(2, 3), image.float()):
        compare(lambda x: auto.SpatialAdaptiveMaxPooling.apply(x, size[1], size[0]), input)


def test_gradients_of_looked_up_rows() -> None:
    torch.manual_seed(0)
    rows = torch.tensor([[1, 4, 1], [0, 1, 2]])
    grad = torch.randn(2, 3, 4)
    for by_frequency, padding in ((False, -1), (True, -1), (False, 4), (True, 1)):
        found = []
        for device in ("cpu", "cuda"):
            weights = torch.zeros(5, 4, device=device)
            count = torch.empty(0, dtype=torch.long, device=device)
            backend = type2backend[weights.type()]
            backend.LookupTable_accGradParameters(
                backend.library_state, rows.to(device), grad.to(device), weights, count,
                None, None, by_frequency, padding, 1.5,
            )  # fmt: skip
            found.append((weights.cpu(), count.cpu()))
        torch.testing.assert_close(found[1], found[0])


def test_norms_of_looked_up_rows_are_limited() -> None:
    torch.manual_seed(0)
    rows = torch.tensor([0, 3, 0, 1])
    weight = torch.randn(5, 4, dtype=torch.double) * 3
    found = []
    for device in ("cpu", "cuda"):
        moved = weight.to(device, copy=True)
        type2backend[moved.type()].LookupTable_renorm(0, rows.to(device), moved, 1.5, 2.0)
        found.append(moved.cpu())
    torch.testing.assert_close(found[1], found[0])
    torch.testing.assert_close(found[1][[0, 1, 3]].norm(dim=1), torch.full((3,), 1.5).double())
    assert torch.equal(found[1][[2, 4]], weight[[2, 4]])


def test_each_kernel_of_the_header_is_wrapped_for_each_type() -> None:
    names = {function.name for function in parse_header(THNN_H_PATH)}
    assert len(names) == 36
    for prefix in ("Cuda", "CudaDouble"):
        assert all(hasattr(torch._C._THCUNN, prefix + name) for name in names)
    assert not hasattr(torch._C._THCUNN, "FloatAbs_updateOutput")


def test_kernels_refuse_other_devices_types_and_mixtures() -> None:
    kernels, x = torch._C._THCUNN, torch.ones(2, 3, device="cuda")
    with pytest.raises(TypeError, match="expected 3 arguments but got 1"):
        kernels.CudaAbs_updateOutput(0)
    for wrong in (x.cpu(), x.double(), None):
        with pytest.raises(TypeError, match=r"argument 3 .*cuda\.FloatTensor output"):
            kernels.CudaAbs_updateOutput(0, x, wrong)
    with pytest.raises(RuntimeError, match="number of elements"):
        auto.AbsCriterion.apply(x, x[:1], 1)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two CUDA devices")
def test_kernels_run_on_the_device_of_their_tensors() -> None:
    x = torch.linspace(-1, 1, 5, device="cuda:1")
    output = auto.Abs.apply(x)
    assert output.device == x.device and torch.equal(output, x.abs())
    with pytest.raises(RuntimeError, match=r"one device, but found cuda:1 and cuda:0"):
        torch._C._THCUNN.CudaAbs_updateOutput(0, x, torch.empty(0, device="cuda:0"))
