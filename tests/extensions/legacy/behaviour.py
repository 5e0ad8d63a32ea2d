"""What the legacy kernels compute, compared with the operators that replaced them. Run by test_legacy_kernels.py.

python behaviour.py BUILD_FOLDER
"""

from __future__ import annotations

import itertools
import sys
from functools import partial
from pathlib import Path

import torch
from torch.nn import functional as F
from torch.utils import cpp_extension

HERE = Path(__file__).resolve().parent
REDUCTIONS = ("none", "mean", "sum")


def load(folder: Path) -> None:
    """Compile a library that calls at::legacy::th, against the headers of the package."""
    cpp_extension.load(
        "legacy_test",
        [str(HERE / "functions.cpp")],
        extra_ldflags=["-ltorch_legacy"],
        is_python_module=False,
        build_directory=str(folder),
    )


def same(actual: object, expected: object) -> None:
    torch.testing.assert_close(actual, expected)


def check_with_gradient(legacy, replacement, input: torch.Tensor) -> None:
    """Compare a kernel's output and gradient with those of the operator that replaced it."""
    results = []
    for function in (legacy, replacement):
        leaf = input.clone().requires_grad_()
        output = function(leaf)
        weights = torch.linspace(-1, 2, output.numel(), dtype=output.dtype).reshape(output.shape)
        (gradient,) = torch.autograd.grad((output * weights).sum(), leaf)
        results.append((output.detach().reshape(-1), gradient))
    same(results[0], results[1])


def check_activations(auto) -> None:
    cases = {
        auto.Abs: ((), torch.abs),
        auto.ELU: ((0.7, 1.1, 0.9, False), elu),
        auto.HardTanh: ((-0.5, 0.8, False), lambda x: F.hardtanh(x, -0.5, 0.8)),
        auto.LeakyReLU: ((0.2, False), lambda x: F.leaky_relu(x, 0.2)),
        auto.LogSigmoid: ((), F.logsigmoid),
        auto.Sigmoid: ((), torch.sigmoid),
        auto.SoftPlus: ((2.0, 3.0), lambda x: F.softplus(x, 2.0, 3.0)),
        auto.SoftShrink: ((0.3,), lambda x: F.softshrink(x, 0.3)),
        auto.Tanh: ((), torch.tanh),
    }
    for dtype in (torch.float, torch.double):
        base = torch.linspace(-3, 3, 24, dtype=dtype)
        for input in (base, base.reshape(4, 6).t(), base[:0], base[5]):
            for kernel, (arguments, replacement) in cases.items():
                check_with_gradient(partial(apply, kernel, *arguments), replacement, input)
    for kernel, arguments in ((auto.LeakyReLU, (0.2, True)), (auto.HardTanh, (-0.5, 0.8, True))):
        input = base.clone()
        output = kernel.apply(input, *arguments)
        assert output.data_ptr() == input.data_ptr()
        same(output, kernel.apply(base, *arguments[:-1], False))


def elu(x: torch.Tensor) -> torch.Tensor:
    return torch._C._nn.elu(x, 0.7, 1.1, 0.9)


def check_losses(auto) -> None:
    torch.manual_seed(0)
    input, target = torch.rand(3, 4), torch.rand(3, 4)
    weight = torch.rand(3, 4)
    cases = {
        auto.AbsCriterion: F.l1_loss,
        auto.MSECriterion: F.mse_loss,
        auto.SmoothL1Criterion: F.smooth_l1_loss,
        auto.BCECriterion: F.binary_cross_entropy,
    }
    for (kernel, function), number in itertools.product(cases.items(), range(3)):
        weights = ((None,), (weight,)) if kernel is auto.BCECriterion else ((),)
        for more in weights:
            check_with_gradient(
                partial(apply, kernel, target, number, *more),
                partial(replaced, function, target, *more, reduction=REDUCTIONS[number]),
                input,
            )
    scores, classes = torch.randn(5, 3).log_softmax(1), torch.tensor([0, 2, -100, 1, 2])
    for weights, number in itertools.product((None, torch.tensor([0.5, 1.0, 2.0])), range(3)):
        check_with_gradient(
            partial(apply, auto.ClassNLLCriterion, classes, number, weights, -100),
            partial(replaced, F.nll_loss, classes, weights, reduction=REDUCTIONS[number]),
            scores,
        )


def apply(kernel, *arguments) -> torch.Tensor:
    """Call a legacy function; the last argument is its input."""
    return kernel.apply(arguments[-1], *arguments[:-1])


def replaced(function, *arguments, **options) -> torch.Tensor:
    """Call the function of torch.nn.functional; the last argument is its input."""
    return function(arguments[-1], *arguments[:-1], **options)


def check_windows(auto) -> None:
    image = torch.randn(2, 3, 6, 7, dtype=torch.double)
    settings = {"kernel_size": (2, 3), "dilation": (1, 2), "padding": (1, 0), "stride": (2, 1)}
    numbers = (2, 3, 1, 2, 1, 0, 2, 1)
    for input in (image, image[0]):
        check_with_gradient(
            lambda x: auto.Im2Col.apply(x, *numbers), lambda x: F.unfold(x, **settings), input
        )
        columns = F.unfold(input, **settings)
        check_with_gradient(
            lambda x: auto.Col2Im.apply(x, 6, 7, *numbers),
            lambda x: F.fold(x, (6, 7), **settings),
            columns,
        )


def check_adaptive_max_pool2d(auto) -> None:
    """Compare the legacy kernel, both ways to call it, with the native one (docs/porting.md)."""
    calls, kernel = torch.ops.legacy_test, auto.SpatialAdaptiveMaxPooling
    image = torch.randn(2, 3, 7, 5, dtype=torch.double)
    with_nan = image.clone()
    with_nan[0, 0, 2, 2] = float("nan")
    for input in (image, image[1], image.transpose(2, 3), image.float(), with_nan):
        for size in ((3, 2), (7, 5), (1, 1), (9, 4)):
            expected = F.adaptive_max_pool2d(input, size, return_indices=True)
            assert all(map(torch.equal, *(map(torch.nan_to_num, r) for r in (
                calls.adaptive_max_pool2d(input, size), expected))))  # fmt: skip
            output, indices = kernel.apply(input, size[1], size[0])
            assert torch.equal(torch.nan_to_num(output), torch.nan_to_num(expected[0]))
            assert torch.equal(indices, expected[1])
            grad = torch.randn_like(output)
            native = torch.ops.aten.adaptive_max_pool2d_backward(grad, input, expected[1])
            same(calls.adaptive_max_pool2d_backward(grad, input, indices), native)
    check_with_gradient(
        lambda x: kernel.apply(x, 2, 3)[0], lambda x: F.adaptive_max_pool2d(x, (3, 2)), image
    )


def check_lookup_table() -> None:
    from torch._thnn import type2backend

    rows = torch.tensor([[1, 4, 1], [0, 1, 2]])
    grad = torch.randn(2, 3, 4)
    for by_frequency, padding in itertools.product((False, True), (-1, 4)):
        result, count = torch.zeros(5, 4), torch.empty(0, dtype=torch.long)
        backend = type2backend["torch.FloatTensor"]
        backend.LookupTable_accGradParameters(
            0, rows, grad, result, count, None, None, by_frequency, padding, 1.0
        )
        expected = torch.ops.aten.embedding_dense_backward(grad, rows, 5, padding, by_frequency)
        same(result, expected)
        assert count.tolist() == [1, 3, 1, 0, 1]
    weight = torch.randn(5, 4, dtype=torch.double) * 3
    expected = weight.clone()
    expected[:3] = weight[[0, 1, 2]].renorm(2.0, 0, 1.5)
    expected[4] = weight[4:].renorm(2.0, 0, 1.5)[0]
    type2backend["torch.DoubleTensor"].LookupTable_renorm(0, rows, weight, 1.5, 2.0)
    torch.testing.assert_close(weight, expected, rtol=1e-6, atol=1e-7)


def check_functions() -> None:
    calls, x = torch.ops.legacy_test, torch.linspace(-2, 2, 12).reshape(3, 4)
    same(calls.elu(x), F.elu(x))
    strided = torch.empty(4, 3).t()
    assert calls.elu_out(strided, x).data_ptr() == strided.data_ptr()
    same(strided, F.elu(x, 0.5))
    same(
        calls.elu_backward(x, F.elu(x)),
        torch.ops.aten.elu_backward(x, 1, 1, 1, True, F.elu(x)),
    )
    for number, reduction in enumerate(REDUCTIONS):
        same(calls.mse_loss(x, x * 2, number), F.mse_loss(x, x * 2, reduction=reduction))
    loss, total = calls.nll_loss(x, torch.tensor([0, 1, -100]))
    assert loss.dim() == 0 and total.item() == 2
    image = torch.randn(2, 3, 6, 7)
    settings = {"kernel_size": (2, 3), "dilation": (1, 2), "padding": (1, 0), "stride": (2, 1)}
    columns = F.unfold(image, **settings)
    same(calls.im2col(image), columns)
    same(calls.im2col_backward(columns, 6, 7), F.fold(columns, (6, 7), **settings))
    same(calls.histc(x, 5, 0, 0), torch.histc(x, 5))
    same(calls.histc(x, 3, -1, 1), torch.histc(x, 3, -1, 1))
    torch.testing.assert_close(
        calls.renorm(x, 2, -1, 1), torch.renorm(x, 2, -1, 1), rtol=1e-5, atol=1e-6
    )


def refused(message: str, function, *arguments) -> None:
    try:
        function(*arguments)
    except (TypeError, RuntimeError, IndexError) as error:
        assert message in str(error), error
    else:
        raise AssertionError(f"nothing was refused: {message}")


def check_errors(auto) -> None:
    kernels, calls, x = torch._C._THNN, torch.ops.legacy_test, torch.ones(2, 3)
    refused("expected 3 arguments but got 1", kernels.FloatAbs_updateOutput, 0)
    refused("argument 2", kernels.DoubleAbs_updateOutput, 0, x, x)
    refused("argument 3", kernels.FloatAbs_updateOutput, 0, x, None)
    refused("number of elements", auto.AbsCriterion.apply, x, x[:1], 1)
    target = torch.tensor([0, 3])
    refused("out of bounds", auto.ClassNLLCriterion.apply, x, target, 1, None, -100)
    refused("CPULongType", calls.elu, torch.ones(2, dtype=torch.long))
    refused("2 elements", calls.adaptive_max_pool2d, torch.ones(1, 2, 2), [2])
    refused("smaller than the kernel", calls.im2col, torch.ones(1, 1, 1))
    refused("TH expects", calls.mse_loss, x, x.double(), 1)
    refused("float and double tensors", auto.Abs.apply, torch.ones(2, dtype=torch.int))


def main() -> None:
    load(Path(sys.argv[1]))
    from torch.nn._functions.thnn import auto

    assert len(auto.__all__) >= 16
    check_activations(auto)
    check_losses(auto)
    check_windows(auto)
    check_adaptive_max_pool2d(auto)
    check_lookup_table()
    check_functions()
    check_errors(auto)


if __name__ == "__main__":
    main()
