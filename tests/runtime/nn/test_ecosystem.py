"""Packages written for PyTorch run unchanged: safetensors and einops."""

from __future__ import annotations

from pathlib import Path

import pytest

import torch
from torch import nn

safetensors_torch = pytest.importorskip("safetensors.torch", reason="pip install safetensors")
einops = pytest.importorskip("einops", reason="pip install einops")


# einops registers itself with torch.compile, and warns if that does not exist.
pytestmark = pytest.mark.filterwarnings("ignore:allow_ops_in_compiled_graph:ImportWarning")


def tensors() -> dict[str, torch.Tensor]:
    made = {"matrix": torch.arange(6.0).reshape(2, 3), "empty": torch.zeros(0, 2)}
    for name in ("float16", "bfloat16", "float64", "int8", "int64", "uint8", "bool"):
        made[name] = torch.arange(4).to(getattr(torch, name))
    return made


def assert_equal(ours: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> None:
    assert ours.keys() == expected.keys()
    for name, tensor in expected.items():
        assert ours[name].dtype == tensor.dtype
        assert ours[name].shape == tensor.shape
        assert torch.equal(ours[name], tensor)


def test_safetensors_files(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    safetensors_torch.save_file(tensors(), path)
    assert_equal(safetensors_torch.load_file(path), tensors())
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        assert torch.equal(file.get_slice("matrix")[:, 1], torch.tensor([1.0, 4.0]))


def test_safetensors_bytes() -> None:
    assert_equal(safetensors_torch.load(safetensors_torch.save(tensors())), tensors())


def test_safetensors_models(tmp_path: Path) -> None:
    saved = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    loaded = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    safetensors_torch.save_model(saved, str(tmp_path / "m.safetensors"))
    safetensors_torch.load_model(loaded, str(tmp_path / "m.safetensors"))
    assert_equal(dict(loaded.state_dict()), dict(saved.state_dict()))


@pytest.mark.parametrize("operation", ["min", "max", "sum", "mean", "prod"])
def test_einops_reduces_and_differentiates(operation: str) -> None:
    x = (torch.arange(24.0).reshape(2, 3, 4) + 1).requires_grad_()
    result = einops.reduce(x, "a b c -> b", operation)
    name = {"min": "amin", "max": "amax"}.get(operation, operation)
    expected = x.flatten()
    if operation == "prod":
        expected = x.permute(1, 0, 2).reshape(3, 8).prod(1)
    else:
        expected = getattr(x, name)((0, 2))
    assert torch.allclose(result, expected)
    result.sum().backward()
    assert x.grad is not None and x.grad.shape == x.shape


def test_einops_rearranges() -> None:
    x = torch.arange(24.0).reshape(2, 3, 4)
    turned = einops.rearrange(x, "a b c -> (a c) b")
    assert torch.equal(turned, x.permute(0, 2, 1).reshape(8, 3))
    assert torch.equal(einops.rearrange(turned, "(a c) b -> a b c", a=2), x)
    assert einops.repeat(x, "a b c -> a b c d", d=2).shape == (2, 3, 4, 2)
    assert torch.allclose(
        einops.einsum(x, x, "a b c, d b c -> a d"), x.reshape(2, 12) @ x.reshape(2, 12).t()
    )
    packed, shapes = einops.pack([x, x[:, 0]], "a * c")
    assert all(
        torch.equal(a, b)
        for a, b in zip(einops.unpack(packed, shapes, "a * c"), [x, x[:, 0]], strict=True)
    )


def test_einops_layers_train() -> None:
    from einops.layers.torch import EinMix, Rearrange, Reduce

    model = nn.Sequential(
        Rearrange("a (b c) -> a b c", b=3),
        EinMix("a b c -> a b d", weight_shape="c d", bias_shape="d", c=4, d=5),
        nn.ReLU(),
        Reduce("a b d -> a d", "mean"),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(8, 12)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = (model(x) - 1).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
