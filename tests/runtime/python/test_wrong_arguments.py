"""Functions that are written in Python refuse wrong arguments as PyTorch's functions in C++ do.

wrong_arguments.txt lists the calls that raise another error than TypeError in PyTorch, or none.
"""

from __future__ import annotations

import inspect
import json
import os
import pickle
import subprocess
import timeit
from pathlib import Path
from typing import ClassVar

import pytest
from wrong_arguments import calls, raised

import torch
from torch._deferred_names import HOMES
from torch._signatures import SIGNATURES, parameters

HERE = Path(__file__).parent
EXCEPTIONS = HERE / "wrong_arguments.txt"
PEER = os.environ.get("TORCH_PEER")
EXPRESSIONS = {name: calls(name, parameters(name)) for name in sorted(SIGNATURES)}


def recorded() -> dict[str, str]:
    """Return what the listed calls raise."""
    lines = EXCEPTIONS.read_text(encoding="utf-8").splitlines()
    return dict(reversed(line.split(": ", 1)) for line in lines if not line.startswith("#"))


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_wrong_arguments_are_refused(name: str) -> None:
    expected = recorded()
    different = {
        expression: found
        for expression in EXPRESSIONS[name]
        if (found := raised(expression)) != expected.get(expression, "TypeError")
    }
    assert not different


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_pytorch_refuses_them_with_the_same_errors(tmp_path: Path) -> None:
    assert PEER
    expressions = [expression for listed in EXPRESSIONS.values() for expression in listed]
    asked, answers = tmp_path / "calls.json", tmp_path / "outcomes.json"
    asked.write_text(json.dumps(expressions))
    command = [PEER, str(HERE / "wrong_arguments.py"), str(asked), str(answers), *HOMES]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run(command, check=True, cwd=tmp_path, env=environment)
    found = json.loads(answers.read_text())
    others = {e: found[e] for e in expressions if found[e] != "TypeError"}
    assert others == recorded()
    # Functions in C++ that are not in the table parse their arguments by hand there, too.
    in_c = {name for name in HOMES if "builtin" in found[f"type of {name}"]}
    by_hand = {name for name in in_c if "autocast" in name} | {"fork", "wait", "init_num_threads"}
    rarely_called = {name for name in HOMES if HOMES[name] == "_operator_functions"}
    assert in_c - by_hand - rarely_called - SIGNATURES.keys() == UNCHECKED


UNCHECKED = {
    "_empty_affine_quantized",
    "_empty_per_channel_affine_quantized",
    "_grouped_mm",
    "_has_compatible_shallow_copy_type",
    "_native_multi_head_attention",
    "_nested_tensor_from_mask",
    "_nested_tensor_from_mask_left_aligned",
    "_scaled_grouped_mm_v2",
    "_scaled_mm_v2",
    "_segment_reduce",
    "_transform_bias_rescale_qkv",
    "_transformer_encoder_layer_fwd",
    "to_dlpack",
}


def test_messages_name_the_argument() -> None:
    for expression, message in {
        "torch.fmax(1, torch.ones(1))": "fmax(): argument 'input' (position 1) must be Tensor, not int",
        "torch.take(torch.ones(1))": 'take() missing 1 required positional arguments: "index"',
        "torch.det(torch.ones(1), 2)": "det() takes 1 positional argument but 2 were given",
    }.items():
        with pytest.raises(TypeError) as refused:
            eval(expression)
        assert str(refused.value).startswith(message)


def test_numpy_names_of_arguments_reach_the_function() -> None:
    given = torch.tensor([[1.0, 4.0], [3.0, 2.0]])
    low, _ = torch.aminmax(x=given, axis=0, keepdims=True)
    assert low.tolist() == [[1.0, 2.0]]
    assert torch.fmax(x1=given, x2=given + 1).equal(given + 1)


class Named(torch.Tensor):
    calls: ClassVar[list[str]] = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.calls.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


def test_subclasses_see_the_function_itself() -> None:
    given = torch.tensor([1.0, 2.0]).as_subclass(Named)
    Named.calls.clear()
    result = torch.fmax(given, torch.zeros(2))
    assert type(result) is Named and Named.calls == ["fmax"]


def test_checked_functions_are_like_others() -> None:
    assert str(inspect.signature(torch.take)).startswith("(input")
    assert torch.take.__module__ == "torch" and "Example:" in torch.take.__doc__
    assert pickle.loads(pickle.dumps(torch.take)) is torch.take
    assert repr(torch.take).startswith("<built-in method take of type object at 0x")


def test_the_check_is_cheap() -> None:
    """A check takes a fraction of a microsecond; the limit leaves room for slow machines."""
    given = torch.ones(2)
    bare = torch.ravel.__wrapped__
    checked = min(timeit.repeat(lambda: torch.ravel(given), number=2000, repeat=5))
    unchecked = min(timeit.repeat(lambda: bare(given), number=2000, repeat=5))
    assert (checked - unchecked) / 2000 < 3e-6


def test_results_are_written_to_out() -> None:
    given, out = torch.ones(2, 2), torch.empty(0)
    assert torch.kron(given, given, out=out) is out and out.shape == (4, 4)
    parts = torch.empty(0), torch.empty(0)
    assert torch.linalg.multi_dot([*torch.qr(given, out=parts)]).allclose(given)
    assert parts[0].numel() == 4
    with pytest.warns(UserWarning, match="was resized since it had shape"):
        torch.inner(given, given, out=torch.empty(3))
    with pytest.raises(
        RuntimeError, match="result type Float can't be cast to the desired output type Long"
    ):
        torch.ger(given[0], given[0], out=torch.empty(0, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.fmin(given.requires_grad_(), given, out=torch.empty(0))


def test_checked_functions_can_be_overridden() -> None:
    overrides = torch.overrides.get_testing_overrides()
    in_pytorch = {"fmax", "take", "addbmm", "aminmax", "kron", "ravel", "msort", "sspaddmm"}
    assert not {name for name in in_pytorch if getattr(torch, name) not in overrides}
    assert list(inspect.signature(overrides[torch.fmax]).parameters) == ["input", "other", "out"]
