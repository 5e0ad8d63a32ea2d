"""torch.ao.pruning: masks of weights, and schedules of their share of zeros."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import torch
from torch import nn
from torch.ao.pruning import (
    BaseScheduler,
    BaseSparsifier,
    CubicSL,
    LambdaSL,
    NearlyDiagonalSparsifier,
    WeightNormSparsifier,
)


def prepared(sparsifier: BaseSparsifier, *sizes: int) -> nn.Sequential:
    layers = [nn.Linear(a, b) for a, b in itertools.pairwise(sizes)]
    model = nn.Sequential(*layers)
    sparsifier.prepare(model, config=None)
    return model


def mask_of(model: nn.Sequential, layer: int = 0) -> Any:
    return model[layer].parametrizations.weight[0].mask


# The masks of PyTorch 2.13 for arange(63).reshape(7, 9) % 11.
@pytest.mark.parametrize(
    ("block", "norm", "zeros"),
    [
        ((1, 4), 2, 40),
        ((2, 2), 1, 38),
        ((4, 1), 2, 39),
        ((1, 1), 1, 38),
        ((3, 3), 2, 33),
    ],
)
def test_blocks_of_smallest_norm_become_zero(block: Any, norm: int, zeros: int) -> None:
    sparsifier = WeightNormSparsifier(0.6, block, norm=norm)
    model = prepared(sparsifier, 9, 7)
    with torch.no_grad():
        model[0].parametrizations.weight.original.copy_(torch.arange(63.0).reshape(7, 9) % 11)
    sparsifier.step()
    assert int((mask_of(model) == 0).sum()) == zeros


def test_chosen_blocks_have_some_zeros() -> None:
    sparsifier = WeightNormSparsifier(0.5, (1, 4), zeros_per_block=2)
    model = prepared(sparsifier, 8, 8)
    sparsifier.step()
    counts = (mask_of(model) == 0).reshape(-1, 4).sum(1).tolist()
    assert sorted(counts) == [0] * 8 + [2] * 8


def test_impossible_settings_are_errors() -> None:
    with pytest.raises(NotImplementedError, match="L-3"):
        WeightNormSparsifier(norm=3)
    sparsifier = WeightNormSparsifier(zeros_per_block=9)
    prepared(sparsifier, 4, 4)
    with pytest.raises(ValueError, match="zeros per block"):
        sparsifier.step()


def test_zeros_become_part_of_the_weight() -> None:
    sparsifier = WeightNormSparsifier(0.75)
    model = prepared(sparsifier, 8, 8)
    sparsifier.step()
    shown = model[0].weight.detach().clone()
    sparsifier.squash_mask(params_to_keep=("sparsity_level",))
    assert type(model[0]) is nn.Linear
    assert model[0].sparse_params == {"sparsity_level": 0.75}
    assert torch.equal(model[0].weight, shown)
    assert int((shown == 0).sum()) == 48


def test_masks_are_saved_and_loaded() -> None:
    first, second = WeightNormSparsifier(), WeightNormSparsifier()
    model, other = prepared(first, 4, 4), prepared(second, 4, 4)
    first.step()
    state = first.state_dict()
    assert set(state["groups"][0]) == {
        "sparsity_level",
        "sparse_block_shape",
        "zeros_per_block",
        "tensor_fqn",
    }
    second.load_state_dict(state)
    assert torch.equal(mask_of(model), mask_of(other))
    assert "0.parametrizations.weight.0.mask" not in model.state_dict()


def test_a_band_is_kept() -> None:
    sparsifier = NearlyDiagonalSparsifier(nearliness=3)
    model = prepared(sparsifier, 4, 4)
    sparsifier.step()
    assert torch.equal(mask_of(model), torch.ones(4, 4).tril(1).triu(-1))
    even = NearlyDiagonalSparsifier(nearliness=2)
    prepared(even, 3, 3)
    with pytest.raises(ValueError, match="odd"):
        even.step()


def levels(sparsifier: BaseSparsifier) -> list[float]:
    return [group["sparsity_level"] for group in sparsifier.groups]


def test_functions_scale_the_first_share() -> None:
    sparsifier = WeightNormSparsifier(0.8)
    prepared(sparsifier, 4, 4, 4)
    schedule = LambdaSL(sparsifier, [lambda t: 0.5**t, lambda t: 1.0])
    sparsifier.step()
    schedule.step()
    assert levels(sparsifier) == [0.4, 0.8]
    with pytest.raises(ValueError, match="Expected 2"):
        LambdaSL(sparsifier, [lambda t: 1.0])


def test_shares_follow_a_cubic_curve() -> None:
    sparsifier = WeightNormSparsifier(0.8)
    prepared(sparsifier, 4, 4)
    schedule = CubicSL(sparsifier, init_t=1, delta_t=2, total_t=4)
    found = []
    for _ in range(6):
        found.append(schedule.get_last_sl()[0])
        sparsifier.step()
        schedule.step()
    # PyTorch 2.13
    assert found == pytest.approx([0.0, 0.0, 0.2640625, 0.4625, 0.6046875, 0.7])


def test_schedules_warn_when_they_come_first() -> None:
    sparsifier = WeightNormSparsifier(0.8)
    prepared(sparsifier, 4, 4)
    schedule = LambdaSL(sparsifier, lambda t: 1.0)
    with pytest.warns(UserWarning, match="before `sparsifier.step"):
        schedule.step()
    with pytest.raises(TypeError, match="is not an instance of"):
        BaseScheduler(3)  # type: ignore[arg-type]


def test_sparse_layers_are_observed_and_trained_with_quantization() -> None:
    sparsifier = WeightNormSparsifier(sparsity_level=0.5, sparse_block_shape=(1, 1))
    model = nn.Sequential(torch.ao.quantization.QuantStub(), nn.Linear(4, 4), nn.ReLU())
    sparsifier.prepare(model, [{"tensor_fqn": "1.weight"}])
    sparsifier.step()
    mask = model[1].parametrizations["weight"][0].mask
    assert mask.dtype == torch.float32 and mask.mean().item() == 0.5
    model.qconfig = torch.ao.quantization.get_default_qconfig()
    observed = torch.ao.quantization.prepare(model.eval())
    assert hasattr(observed[1], "activation_post_process")
    model.qconfig = torch.ao.quantization.get_default_qat_qconfig()
    trained = torch.ao.quantization.prepare_qat(model.train())
    layer = trained[1]
    assert isinstance(layer, torch.ao.nn.qat.Linear) and hasattr(layer, "activation_post_process")
    assert torch.equal(layer.parametrizations["weight"][0].mask, mask)
    assert (layer.weight == 0).sum() == 8 and trained(torch.ones(2, 4)).shape == (2, 4)
