"""The edits whose cost build_bench.py measures: what a developer changes, and what proves that it arrived."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from build_checkout import Checkout

IMPORT = "import torch; assert torch.ones(2).sum().item() == 2"
_KERNELS = "aten/src/ATen/native/cpu"


@dataclass(frozen=True)
class Edit:
    """Something that a developer does, over and over."""

    name: str
    budget: float
    rounds: int
    do: Callable[[Checkout], str]
    """Returns the new name that it brings."""
    proof: Callable[[str], str]
    """From the name to a statement for a fresh interpreter."""
    times_faster: float = 5.0
    """Than the packaging peer, compiling and linking left out."""


def _code(path: str, budget: float, rounds: int) -> Edit:
    name = f"{path.rpartition('/')[2]} edited"
    return Edit(name, budget, rounds, lambda checkout: checkout.edit_code(path), lambda _: IMPORT)


EDITS = (
    Edit(
        "functional.py edited",
        0.3,
        7,
        lambda checkout: checkout.edit_python("torch/functional.py"),
        lambda name: f"import torch.functional; assert torch.functional.{name} == 2",
    ),
    _code("c10/util/numbers.cpp", 2.0, 7),
    _code(f"{_KERNELS}/ProdKernel.cpp", 8.0, 3),
    _code(f"{_KERNELS}/PowKernel.cpp", 8.0, 3),  # no kernel file takes longer to compile
    Edit(
        "operator added, callable",
        15.0,
        3,
        Checkout.add_operator,
        lambda name: f"import torch; assert torch.{name}(torch.ones(2)).tolist() == [2, 2]",
        times_faster=0.0,
    ),
)
