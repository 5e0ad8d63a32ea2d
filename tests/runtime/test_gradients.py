"""Gradients through the sample table: against difference quotients, and against real PyTorch.

Every floating argument of every sample requires grad. What PyTorch does not differentiate, or not
twice, is named below; everything else must pass.
"""

from __future__ import annotations

import os
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest

import torch
from samples import TABLE, Operator, gradient
from samples.outcome import Raised

PEER = os.environ.get("TORCH_PEER")
DTYPES = ("float64", "complex128")
DIFFERENTIABLE = [
    operator
    for operator in TABLE
    if not operator.random and any(dtype in operator.dtypes for dtype in DTYPES)
]

# Samples that lie on a kink, or whose function is not that of a difference quotient.
NO_QUOTIENT = {
    "fill": "the result does not depend on the input",
}
# Where PyTorch has a first derivative only.
ONCE = {
    "_scaled_dot_product_flash_attention_for_cpu",
    "scaled_dot_product_attention",
}
# Largest inputs that difference quotients are taken of: their cost is quadratic.
LARGEST = 40


def named(operator: Operator) -> str:
    return operator.title


def small_samples(operator: Operator) -> list[tuple[object, list[torch.Tensor]]]:
    """Functions and inputs of up to four samples."""
    chosen = []
    for sample in operator.make("float64"):
        function, leaves = gradient.as_function(operator, sample)
        size = sum(leaf.numel() for leaf in leaves)
        if 0 < size <= LARGEST and gradient.is_finite(sample) and function(*leaves):
            chosen.append((function, leaves))
    return chosen[:4]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=named)
def test_first_derivative_is_the_limit_of_quotients(operator: Operator) -> None:
    if "float64" not in operator.dtypes or operator.name in NO_QUOTIENT:
        pytest.skip(NO_QUOTIENT.get(operator.name, "not defined for real numbers"))
    for function, leaves in small_samples(operator):
        assert torch.autograd.gradcheck(function, leaves, fast_mode=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=named)
def test_second_derivative_is_the_limit_of_quotients(operator: Operator) -> None:
    if "float64" not in operator.dtypes or operator.name in ONCE or operator.name in NO_QUOTIENT:
        pytest.skip(NO_QUOTIENT.get(operator.name, "PyTorch differentiates it once"))
    for function, leaves in small_samples(operator):
        assert torch.autograd.gradgradcheck(function, leaves, fast_mode=True)


# ---- against PyTorch -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def theirs(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[tuple[str, str], list[gradient.Gradients | Raised]]:
    """PyTorch's gradients for the whole table."""
    assert PEER
    file = tmp_path_factory.mktemp("peer") / "gradients.pickle"
    script = Path(__file__).parent / "samples" / "record_gradients.py"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run([PEER, str(script), str(file)], check=True, env=environment, cwd=file.parent)
    return pickle.loads(file.read_bytes())


# Nodes that differ because a composite operator is composed of others here.
COMPOSED = {
    "einsum",
    "linear",
    "masked_select_backward",
    "matmul",
}


def differences(
    ours: gradient.Gradients | Raised, theirs: gradient.Gradients | Raised, operator: Operator
) -> str | None:
    """What a user would notice; we may differentiate where PyTorch does not."""
    if isinstance(theirs, Raised):
        allowed = "is not implemented" in theirs.message or "ZeroTensor" in theirs.message
        same = isinstance(ours, Raised) and ours.type == theirs.type
        return None if allowed or same else f"PyTorch raises {theirs}, we {ours}"
    if isinstance(ours, Raised):
        return f"we raise {ours}"
    if operator.name not in COMPOSED and ours.nodes != theirs.nodes:
        return f"nodes {ours.nodes}, PyTorch's {theirs.nodes}"
    for mine, other in zip(ours.values, theirs.values, strict=True):
        if (mine is None) != (other is None):
            return f"gradient {mine}, PyTorch's {other}"
        if mine is not None and other is not None:
            if (mine.dtype, mine.shape) != (other.dtype, other.shape):
                return f"{mine.dtype}{mine.shape}, PyTorch's {other.dtype}{other.shape}"
            if not np.allclose(mine, other, rtol=1e-6, atol=1e-7, equal_nan=True):
                return f"gradient {mine}, PyTorch's {other}"
    return None


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=named)
def test_agrees_with_pytorch(operator: Operator, dtype: str, theirs) -> None:
    if dtype not in operator.dtypes:
        pytest.skip(f"not defined for {dtype}")
    failures = []
    samples = operator.make(dtype)
    for number, (each, other) in enumerate(
        zip(samples, theirs[operator.title, dtype], strict=True)
    ):
        if gradient.is_finite(each):
            found = differences(gradient.run(operator, each), other, operator)
            if found:
                failures.append(f"sample {number}: {found}")
    assert not failures, f"{len(failures)} of {len(samples)} differ; the first:\n{failures[0]}"
