"""Errors that layers and modules raise for arguments that do not fit, and what they accept."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd import forward_ad

_CPU = torch.device("cpu")
_NET = nn.Linear(3, 3)
_IMAGES = torch.rand(1, 1, 8, 8)
_INPUT, _STATE = torch.randn(3, 10), torch.randn(3, 20)

REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "to: device and flag": (lambda: _NET.to(_CPU, True), TypeError, r"got \(torch.device, bool\)"),
    "to: none and flag": (lambda: _NET.to(None, True), TypeError, r"got \(NoneType, bool\)"),
    "to: list": (lambda: _NET.to([]), TypeError, r"got \(list\), but expected one of:\n \* "),
    "to: unknown name": (lambda: _NET.to(foo=1), TypeError, r"got \(foo=int, \)"),
    "to: memory format": (
        lambda: _NET.to("cpu", memory_format=3),
        TypeError,
        r"\(str, memory_format=int\)",
    ),
    "to: tensor and dtype": (
        lambda: _NET.to(torch.rand(1), dtype=torch.float32),
        TypeError,
        r"\(Tensor, dtype=torch.dtype\)",
    ),
    "to: copy": (lambda: _NET.to("cpu", copy=True), RuntimeError, "does not accept copy"),
    "lstm cell: rows of the cell": (
        lambda: nn.LSTMCell(10, 20)(_INPUT, (_STATE, torch.randn(1, 20))),
        RuntimeError,
        "Input batch size 3 doesn't match hidden1 batch size 1",
    ),
    "lstm cell: size of the cell": (
        lambda: nn.LSTMCell(10, 20)(_INPUT, (_STATE, torch.randn(3, 1))),
        RuntimeError,
        "hidden1 has inconsistent hidden_size: got 1, expected 20",
    ),
    "lstm cell: dimensions": (
        lambda: nn.LSTMCell(10, 20)(_INPUT, (_STATE, torch.randn(1, 3, 20))),
        ValueError,
        r"LSTMCell: Expected hx\[1\] to be 1D or 2D, got 3D instead",
    ),
    "interpolate: size": (
        lambda: F.interpolate(_IMAGES, size=(3.0, 4)),
        TypeError,
        "expected size to be one of int or Tuple.*class .float.>, <class .int",
    ),
    "sparse adam: complex numbers": (
        lambda: torch.optim.SparseAdam([torch.rand(1), torch.rand(2, dtype=torch.complex64)]),
        ValueError,
        r"Complex params at indices \[\[0, 1\]\]: SparseAdam does not support complex",
    ),
    "rnn: bias": (lambda: nn.GRU(3, 5, bias=1), TypeError, "bias should be of type bool, got: int"),
    "rnn: batch first": (
        lambda: nn.LSTM(3, 5, batch_first=0),
        TypeError,
        "batch_first should be of type bool, got: int",
    ),
    "linear cross entropy: weight": (
        lambda: nn.LinearCrossEntropyLoss(3, 2, weight=torch.ones(3)),
        RuntimeError,
        r"expected weight shape to be \(2,\), got \(3,\)",
    ),
    "linear cross entropy: smoothing": (
        lambda: nn.LinearCrossEntropyLoss(3, 2, label_smoothing=2.0),
        RuntimeError,
        "expected label_smoothing to be in range .0, 1., got 2.0",
    ),
    "unpooling: kernel": (
        lambda: F.max_unpool3d(
            torch.ones(1, 1, 1, 1, 1), torch.zeros(1, 1, 1, 1, 1).long(), (1, 1)
        ),
        RuntimeError,
        "kernel_size must have 3 numbers, got 2",
    ),
    "fractional pooling: ratios": (
        lambda: F.fractional_max_pool2d(_IMAGES, 2, output_ratio=(0.5, 0.5, 0.5)),
        ValueError,
        "fractional_max_pool2d requires output_ratio to either be a single Int or tuple of Ints",
    ),
}


@pytest.mark.parametrize("title", REFUSED)
def test_refused_calls_of_layers(title: str) -> None:
    call, kind, message = REFUSED[title]
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("kind", ["avg", "max"])
@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_adaptive_pools_without_output_have_no_gradient(kind: str, spatial: int) -> None:
    pool = getattr(F, f"adaptive_{kind}_pool{spatial}d")
    images = torch.rand([2, 3] + [4] * spatial, requires_grad=True)
    with pytest.raises(RuntimeError, match="Expected grad_output to have non-zero size"):
        pool(images, 0).sum().backward()
    empty = torch.rand([0] + [4] * (spatial + 1), requires_grad=True)
    pool(empty, 2).sum().backward()
    assert empty.grad is not None and empty.grad.shape == empty.shape


def test_running_statistics_have_no_tangents() -> None:
    with forward_ad.dual_level():
        values = [torch.randn(3, 2, 5), torch.randn(2), torch.rand(2)]
        duals = [forward_ad.make_dual(value, torch.rand_like(value)) for value in values]
        F.batch_norm(values[0], *duals[1:], training=False)
        with pytest.raises(RuntimeError, match="not differentiable wrt running_mean"):
            F.batch_norm(*duals, training=False)


def test_to_takes_a_tensor_by_name_and_types_of_python() -> None:
    net = nn.Linear(2, 2)
    assert net.to(tensor=torch.rand(1, dtype=torch.float16)).weight.dtype is torch.float16
    assert net.to(float).weight.dtype is torch.float64
    assert net.to("cpu", None, True).weight.dtype is torch.float64


def test_a_buffer_does_not_replace_an_attribute() -> None:
    module = nn.Module()
    module.mean = 5
    with pytest.raises(KeyError, match="attribute 'mean' already exists"):
        module.mean = nn.Buffer(torch.rand(2))


def test_a_buffer_is_registered_by_a_method_without_persistence() -> None:
    class Model(nn.Linear):
        def register_buffer(self, name: str, value: Any) -> None:  # type: ignore[override]
            super().register_buffer(name, value)

    model = Model(2, 2)
    model.mean = nn.Buffer(torch.ones(2))
    assert "mean" in model.state_dict()


def test_conversion_to_another_layout_makes_new_parameters() -> None:
    layer = nn.Linear(2, 3)
    before = layer.weight
    layer._apply(lambda t: t.to_sparse())
    assert layer.weight.layout is torch.sparse_coo
    assert before.layout is torch.strided
    on_meta = nn.Linear(2, 2, device="meta")
    before = on_meta.weight
    assert on_meta.to_empty(device="cpu").weight is not before


def test_graphs_made_before_an_exchange_of_parameters_cannot_be_used() -> None:
    layer = nn.Linear(2, 3)
    result = layer(torch.rand(2, 2))
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        layer.half()
    finally:
        torch.__future__.set_swap_module_params_on_conversion(False)
    with pytest.raises(RuntimeError, match="poisoned by swap_tensors"):
        result.sum().backward()
    layer.float()(torch.rand(2, 2)).sum().backward()
    assert layer.weight.grad is not None


def test_models_without_values_are_moved_by_to_empty() -> None:
    with pytest.raises(NotImplementedError, match=r"use torch\.nn\.Module\.to_empty"):
        nn.Linear(1, 1, device="meta").to("cpu")


def test_thresholds_may_write_an_element_several_times() -> None:
    values = torch.tensor([[0.0, 1.0]]).expand(3, 2)
    assert F.threshold_(values, 0.5, 2).tolist() == [[2, 1]] * 3


def test_images_of_one_column_stay_channels_last_in_batch_norm() -> None:
    images = torch.arange(6.0).reshape(1, 3, 2, 1).permute(0, 2, 1, 3)
    result = nn.BatchNorm2d(2)(images)
    assert result.is_contiguous(memory_format=torch.channels_last)
    assert result.stride() == nn.BatchNorm2d(2, device="meta")(images.to("meta")).stride()


def test_a_fused_bias_is_trained_if_the_layer_had_a_trained_one() -> None:
    norm, layer = nn.BatchNorm2d(3), nn.Conv2d(3, 3, 1)
    statistics = (norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias)
    assert layer.bias is not None
    layer.bias.requires_grad_(False)
    _, bias = nn.utils.fuse_conv_bn_weights(layer.weight, layer.bias, *statistics)
    assert not bias.requires_grad


def test_affine_grids_of_one_pixel_warn() -> None:
    matrices = torch.rand(1, 2, 3)
    with pytest.warns(UserWarning, match="See the documentation of affine_grid for details"):
        F.affine_grid(matrices, (1, 1, 2, 1), align_corners=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        F.affine_grid(matrices, (1, 1, 2, 1), align_corners=False)


def test_containers_describe_parameters_without_values_by_size() -> None:
    listed = nn.ParameterList([nn.Parameter(torch.empty(3, device="meta"))])
    assert repr(listed).endswith("containing: [torch.float32 of size 3])")


@pytest.mark.skipif(not torch._C.has_lapack, reason="needs LAPACK, such as OpenBLAS")
def test_old_states_of_spectral_norm_are_converted() -> None:
    torch.manual_seed(0)
    layer = nn.utils.spectral_norm(nn.Linear(3, 5))
    layer(torch.rand(2, 3))
    state = layer.state_dict()
    assert state._metadata[""]["spectral_norm"] == {"weight.version": 1}
    layer.eval()
    inputs = torch.rand(4, 3)
    expected = layer(inputs)
    older = dict(state)
    del older["weight_v"]
    older["weight"] = layer.weight.detach().clone()
    other = nn.utils.spectral_norm(nn.Linear(3, 5)).eval()
    other.load_state_dict(older)
    torch.testing.assert_close(other(inputs), expected)
    plain = nn.utils.remove_spectral_norm(other)
    assert list(plain.state_dict()._metadata[""]) == ["version"]


def test_losses_of_one_sample_keep_the_shape_of_the_target() -> None:
    scores = torch.rand(5)
    for target in (torch.tensor([2]), torch.tensor(2)):
        loss = F.multi_margin_loss(scores, target, reduction="none")
        assert loss.shape == target.shape


def test_logarithms_of_large_scores_are_those_of_small_ones() -> None:
    small = torch.randint(100, (16, 40)).float()
    for dim in (0, 1):
        torch.testing.assert_close(
            F.log_softmax(small + 1e7, dim), F.log_softmax(small, dim), rtol=0, atol=0
        )
    narrow = small[:, :4]
    torch.testing.assert_close(F.log_softmax(narrow + 1e7, 1), F.log_softmax(narrow, 1))


def test_norms_of_long_rows_are_exact() -> None:
    rows = torch.rand(1, 3_000_001)
    expected = F.layer_norm(rows.double(), rows.shape[1:])
    torch.testing.assert_close(
        F.layer_norm(rows, rows.shape[1:]).double(), expected, rtol=0, atol=1e-6
    )


def test_thresholds_of_16_bits() -> None:
    """A threshold is compared as it is; the bound of hardshrink is rounded, as in PyTorch."""
    values = torch.tensor([0.10009765625, 0.0996], dtype=torch.bfloat16, requires_grad=True)
    kept = F.threshold(values, 0.1, 20)
    assert kept.tolist() == [values[0].item(), 20]
    kept.sum().backward()
    assert values.grad is not None and values.grad.tolist() == [1, 0]
    assert F.hardshrink(values, 0.1).tolist() == [0, 0]
