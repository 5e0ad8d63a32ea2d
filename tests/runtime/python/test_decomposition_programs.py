"""The decompositions that are generated as TorchScript: they compute what kernels and PyTorch compute."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from program_registries import PEER, Registry, run_by_peer
from test_decompositions import Comparison, assert_same, run_samples

import torch
from samples import TABLE
from torch._decomp import decomposition_table
from torch._decomp.programs import OPERATORS, decomposition_of
from torch.jit import _decomposition_programs as programs

_PATH = "__torch__/torch/jit/_decomposition_programs.py"
_MODULE = "__torch__.torch.jit._decomposition_programs"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    """What the generator writes for C++."""
    return Registry.generated("gen_jit_decompositions", tmp_path_factory.mktemp("generated"))


def _overload(name: str) -> Any:
    base, _, overload = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


def _of_torchscript(generated: Registry) -> dict[Any, Any]:
    """Return the functions of the generated text by the operators in its own table."""
    program = generated.program(_PATH)
    overloads = {_overload(full): name for full, name in generated.rows.items()}
    return {
        overload: decomposition_of(overload._schema, program.resolve(f"{_MODULE}.{name}"))
        for overload, name in overloads.items()
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_programs_of_torchscript_compute_what_kernels_do(generated: Registry) -> None:
    table = _of_torchscript(generated)
    seen = Comparison(table)
    for operator in TABLE:
        if not operator.random:
            for dtype in dict.fromkeys((operator.dtypes[0], operator.dtypes[-1])):
                run_samples(operator, dtype, seen)
    assert sorted({overload.name() for overload in table} - seen.compared) == []


def _x(*shape: int) -> torch.Tensor:
    return torch.linspace(-1.75, 2, torch.Size(shape).numel()).reshape(shape)


def _p(*shape: int) -> torch.Tensor:
    """Return probabilities."""
    return torch.linspace(0.1, 0.9, torch.Size(shape).numel()).reshape(shape)


_G = torch.tensor(0.5)
CALLS: dict[str, tuple[Any, ...]] = {
    "addmm": (_x(3), _x(2, 4), _x(4, 3), 0.5, 2),
    "addmv": (_x(2), _x(2, 4), _x(4), 0, 1),
    "baddbmm": (_x(2, 1, 3), _x(2, 2, 4), _x(2, 4, 3), 1, 0.25),
    "binary_cross_entropy": (_p(2, 3), _p(3), None, 2),
    "binary_cross_entropy_backward": (_G, _p(2, 3), _p(2, 3) / 2, _p(3), 1),
    "binary_cross_entropy_with_logits": (_x(2, 3), _p(2, 3), None, _p(3), 1),
    "dot": (_x(4), _p(4)),
    "elu": (_x(5), 1.5, 1, 0.5),
    "elu_backward": (_x(5), 1.5, 1, 1, False, _x(5) * 2),
    "gelu": (_x(5), "tanh"),
    "gelu_backward": (_p(5), _x(5), "none"),
    "glu": (_x(2, 4), -1),
    "glu_backward": (_p(2, 2), _x(2, 4), 1),
    "hardshrink": (_x(5), 0.5),
    "hardsigmoid": (_x(5) * 3,),
    "hardsigmoid_backward": (_p(5), _x(5) * 3),
    "hardswish": (_x(5) * 3,),
    "hardswish_backward": (_p(5), _x(5) * 3),
    "hardtanh": (_x(5), -1, 1.5),
    "hardtanh_backward": (_p(5), _x(5), -1, 1.5),
    "huber_loss": (_x(2, 3), _p(2, 3), 1, 0.75),
    "huber_loss_backward": (_G, _x(2, 3), _p(2, 3), 1, 0.75),
    "leaky_relu": (_x(5), 0.25),
    "leaky_relu_backward": (_p(5), _x(5), 0.25, False),
    "log_sigmoid_backward": (_p(5), _x(5), (-_x(5).abs()).exp()),
    "log_sigmoid_forward": (_x(5),),
    "mish": (_x(5),),
    "mish_backward": (_p(5), _x(5)),
    "mse_loss": (_x(2, 3), _p(2, 3), 2),
    "mse_loss_backward": (_G, _x(2, 3), _p(2, 3), 1),
    "mv": (_x(2, 4), _x(4)),
    "prelu_kernel": (_x(5), _p(5)),
    "prelu_kernel_backward": (_p(5), _x(5), _p(5)),
    "sigmoid_backward": (_x(5), _p(5)),
    "silu": (_x(5),),
    "silu_backward": (_p(5), _x(5)),
    "smooth_l1_loss": (_x(2, 3), _p(2, 3), 0, 0.5),
    "smooth_l1_loss_backward": (_G, _x(2, 3), _p(2, 3), 1, 0.0),
    "soft_margin_loss": (_x(2, 3), _p(2, 3).sign(), 1),
    "soft_margin_loss_backward": (_G, _x(2, 3), _p(2, 3).sign(), 1),
    "softplus": (_x(5), 2, 1.5),
    "softplus_backward": (_p(5), _x(5), 2, 1.5),
    "softshrink": (_x(5), 0.5),
    "softshrink_backward": (_p(5), _x(5), 0.5),
    "std": (_x(2, 3), [0], 1, True),
    "std_mean": (_x(2, 3), None, 0.5, False),
    "tanh_backward": (_x(5), _p(5)),
    "threshold": (_x(5), 0.5, -1),
    "threshold_backward": (_p(5), _x(5), 0),
    "var": (_x(2, 3), [-1], None, False),
    "var_mean": (_x(2, 3, 2), [0, 2], 0, True),
}


def test_every_program_has_a_call() -> None:
    assert CALLS.keys() == OPERATORS.keys()


def _expected() -> list[torch.Tensor]:
    """Return the results of the operators' kernels on the arguments of all calls."""
    found: list[torch.Tensor] = []
    for program, arguments in CALLS.items():
        overload = _overload(OPERATORS[program].split()[0])
        names = inspect.signature(getattr(programs, program)).parameters
        result = overload(**dict(zip(names, arguments, strict=True)))
        found += result if isinstance(result, tuple) else [result]
    return found


def _written(value: Any) -> str:
    """Return a value as TorchScript writes it."""
    if not isinstance(value, torch.Tensor):
        return repr(value)
    if value.dim() == 0:
        return f"torch.tensor({value.item()!r})"
    return f"torch.reshape(torch.tensor({value.flatten().tolist()}), {list(value.shape)})"


def _written_calls() -> list[str]:
    """Return the expression of each result of all calls."""
    found: list[str] = []
    for program, arguments in CALLS.items():
        call = f"{_MODULE}.{program}({', '.join(map(_written, arguments))})"
        returns = _overload(OPERATORS[program].split()[0])._schema.returns
        found += [call] if len(returns) == 1 else [f"{call}[{i}]" for i in range(len(returns))]
    return found


@pytest.fixture(scope="module")
def archive(generated: Registry, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with the generated text, whose forward returns the results of all calls."""
    path = tmp_path_factory.mktemp("archive") / "decompositions.pt"
    generated.write_archive(path, _PATH, "List[Tensor]", _written_calls())
    return path


def test_an_archive_runs_the_text(archive: Path) -> None:
    for found, expected in zip(torch.jit.load(archive)(), _expected(), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_pytorch_loads_and_runs_the_text(archive: Path) -> None:
    for found, expected in zip(run_by_peer(archive), _expected(), strict=True):
        torch.testing.assert_close(torch.tensor(found), expected, rtol=1e-5, atol=1e-6)


def test_one_dimension_stands_for_a_list() -> None:
    var = decomposition_table[torch.ops.aten.var.correction]
    assert_same(var(_x(2, 3), 0, correction=0), _x(2, 3).var(0, correction=0), "var")
    assert_same(var(_x(2, 3), dim=1), _x(2, 3).var(1), "var")
