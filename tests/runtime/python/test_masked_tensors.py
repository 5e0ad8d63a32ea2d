"""Masked tensors: copies, warnings and what is refused."""

from __future__ import annotations

import copy
import pickle
import warnings

import pytest

import torch
from torch.masked import MaskedTensor, as_masked_tensor, masked_tensor

DATA = torch.arange(4.0)
MASK = torch.tensor([True, False, True, False])


def _masked(requires_grad: bool = False) -> MaskedTensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return masked_tensor(DATA, MASK, requires_grad)


@pytest.mark.parametrize("create", [MaskedTensor, masked_tensor, as_masked_tensor])
def test_creation_warns_of_the_prototype(create: type) -> None:
    with pytest.warns(UserWarning, match="MaskedTensors is in prototype stage"):
        create(DATA, MASK)


def test_data_with_a_graph_gives_a_warning() -> None:
    leaf = DATA.clone().requires_grad_()
    with pytest.warns(UserWarning) as found:
        masked_tensor(leaf, MASK)
    assert any("not recommended" in str(each.message) for each in found)


def test_operators_do_not_warn() -> None:
    assert (_masked() * 2).sum().get_data().item() == 4.0


def test_operators_without_a_rule_warn_and_raise() -> None:
    with (
        pytest.warns(UserWarning, match="cumsum is not implemented"),
        pytest.raises(TypeError, match="Multiple dispatch failed"),
    ):
        _masked().cumsum(0)


def test_data_and_mask_are_copies() -> None:
    masked = _masked()
    before = DATA.clone()
    masked.add_(1)
    assert torch.equal(DATA, before)
    assert masked.get_data().tolist() == [1.0, 2.0, 3.0, 4.0]


def test_copies_and_pickles_keep_the_mask() -> None:
    masked = _masked(requires_grad=True)
    for copied in (copy.deepcopy(masked), pickle.loads(pickle.dumps(masked))):
        assert isinstance(copied, MaskedTensor) and copied.requires_grad
        assert str(copied) == str(masked)
        with torch.no_grad():
            copied.add_(1)
        assert masked.get_data().tolist() == DATA.tolist()


def test_a_gradient_is_a_masked_tensor() -> None:
    masked = _masked(requires_grad=True)
    (masked * masked).sum().backward()
    assert isinstance(masked.grad, MaskedTensor)
    assert masked.grad.to_tensor(-1).tolist() == [0.0, -1.0, 4.0, -1.0]


def test_reductions_of_a_sparse_tensor_leave_masked_elements_out() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        masked = _masked().to_sparse()
    assert masked.mean().get_data().item() == 1.0
    assert masked.layout == torch.sparse_coo and masked.is_sparse_coo()


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
@pytest.mark.filterwarnings("ignore:The PyTorch API of MaskedTensors")
def test_anomaly_mode_checks_gradients_that_are_masked() -> None:
    mask = torch.tensor([True, False])
    with torch.autograd.detect_anomaly():
        masked = MaskedTensor(torch.ones(2), mask, requires_grad=True)
        masked.sum().backward()
    assert torch.equal(masked.grad.get_mask(), mask)
    assert masked.grad.get_data()[0] == 1
