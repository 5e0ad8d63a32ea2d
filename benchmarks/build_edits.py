"""The edits that build_bench.py measures, and the statements that prove that they took effect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from build_checkout import Checkout
from operator_edits import NewOperator

IMPORT = "import torch; assert torch.ones(2).sum().item() == 2"
_KERNELS = "aten/src/ATen/native/cpu"


@dataclass(frozen=True)
class Edit:
    """Something that a developer does repeatedly."""

    name: str
    budget: float
    rounds: int
    do: Callable[[Checkout], str]
    """Makes the edit and returns the new name that it adds."""
    proof: Callable[[str], str]
    """Returns, for that name, a statement for a fresh interpreter."""
    times_faster: float = 5.0
    """How many times faster than the packaging peer, without compiling and linking."""


def _code(path: str, budget: float, rounds: int) -> Edit:
    name = f"{path.rpartition('/')[2]} edited"
    return Edit(name, budget, rounds, lambda checkout: checkout.edit_code(path), lambda _: IMPORT)


def _add_operator(checkout: Checkout) -> str:
    operator = NewOperator(checkout.new_name())
    operator.add(checkout)
    return operator.name


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
        _add_operator,
        lambda name: f"import torch; assert torch.{name}(torch.ones(2)).tolist() == [2, 2]",
        times_faster=0.0,
    ),
)
