"""Autocast on the CPU: which operators change their dtype, the state of a region, its cache."""

from __future__ import annotations

import gc
import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest

import torch
from samples import record_autocast

PEER = os.environ.get("TORCH_PEER")
RUNTIME = Path(__file__).parents[1]


def test_a_region_casts_products_and_leaves_the_rest() -> None:
    x, w = torch.randn(3, 4), torch.randn(4, 5)
    with torch.autocast("cpu"):
        product = x @ w
        assert product.dtype == torch.bfloat16
        assert (x + 1).dtype == torch.float32
        assert torch.cat([product, torch.ones(1, 5)]).dtype == torch.float32
        assert torch.nn.functional.mse_loss(product, product).dtype == torch.float32
    assert (x @ w).dtype == torch.float32
    torch.testing.assert_close(product, x.bfloat16() @ w.bfloat16())


def test_float64_and_integers_stay() -> None:
    with torch.autocast("cpu"):
        assert torch.mm(torch.ones(2, 2).double(), torch.ones(2, 2).double()).dtype == torch.float64
        assert torch.mm(torch.ones(2, 2).long(), torch.ones(2, 2).long()).dtype == torch.int64


def test_regions_nest_and_restore() -> None:
    x = torch.ones(2, 2)
    with torch.autocast("cpu", dtype=torch.float16):
        assert torch.mm(x, x).dtype == torch.float16
        with torch.autocast("cpu", enabled=False):
            assert not torch.is_autocast_enabled("cpu")
            assert torch.mm(x, x).dtype == torch.float32
            with torch.autocast("cpu", dtype=torch.bfloat16):
                assert torch.mm(x, x).dtype == torch.bfloat16
        assert torch.get_autocast_dtype("cpu") == torch.float16
        assert torch.mm(x, x).dtype == torch.float16
    assert torch.get_autocast_dtype("cpu") == torch.bfloat16
    assert not torch.is_autocast_enabled("cpu")


def test_one_region_may_be_entered_twice() -> None:
    region = torch.autocast("cpu")
    with region, region:
        assert torch.is_autocast_enabled("cpu")
    assert not torch.is_autocast_enabled("cpu")


def test_an_exception_ends_the_region() -> None:
    with pytest.raises(ZeroDivisionError), torch.autocast("cpu"):
        raise ZeroDivisionError
    assert not torch.is_autocast_enabled("cpu")


def test_the_decorator_runs_the_function_in_a_region() -> None:
    @torch.autocast("cpu", dtype=torch.bfloat16)
    def product(x: torch.Tensor) -> torch.Tensor:
        return x @ x

    assert product(torch.ones(2, 2)).dtype == torch.bfloat16
    assert product.__name__ == "product"


def test_other_threads_are_not_affected() -> None:
    seen = []
    with torch.autocast("cpu"):
        thread = threading.Thread(
            target=lambda: seen.append((torch.ones(2, 2) @ torch.ones(2, 2)).dtype)
        )
        thread.start()
        thread.join()
    assert seen == [torch.float32]


def test_gradients_have_the_dtype_of_the_weights() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    with torch.autocast("cpu"):
        loss = model(torch.randn(16, 4)).float().pow(2).mean()
    loss.backward()
    assert {p.grad.dtype for p in model.parameters()} == {torch.float32}


def cast_of(weight: torch.Tensor) -> torch.Tensor:
    """The node of the weight's cast in the graph of a product."""
    product = torch.ones(1, 2) @ weight
    return product.grad_fn.next_functions[1][0]


def test_a_weight_is_cast_once_in_a_region() -> None:
    weight = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        first = cast_of(weight)
        with torch.autocast("cpu"):
            pass
        assert cast_of(weight) is first
    with torch.autocast("cpu"):
        assert cast_of(weight) is not first
    with torch.autocast("cpu", cache_enabled=False):
        assert cast_of(weight) is not cast_of(weight)


def test_a_cast_without_gradients_does_not_cut_the_graph() -> None:
    weight = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        with torch.no_grad():
            torch.ones(1, 2) @ weight
        product = torch.ones(1, 2) @ weight
    product.sum().backward()
    assert weight.grad is not None


def test_the_cache_does_not_mistake_a_new_weight_for_a_dead_one() -> None:
    with torch.autocast("cpu"):
        for value in range(20):
            weight = torch.full((2, 2), float(value), requires_grad=True)
            assert (torch.ones(1, 2) @ weight)[0, 0].item() == 2 * value
            del weight
            gc.collect()


def test_what_autocast_refuses() -> None:
    for arguments, error in (
        ((3,), ValueError),
        (("meta",), RuntimeError),
        (("nonsense",), RuntimeError),
    ):
        with pytest.raises(error):
            torch.autocast(*arguments)
    with pytest.warns(UserWarning, match="target dtype is not supported"):
        assert not torch.autocast("cpu", dtype=torch.float32)._enabled
    with pytest.raises(RuntimeError):
        torch.is_autocast_enabled("meta")
    with pytest.raises(TypeError):
        torch.set_autocast_enabled("cpu", 1)
    assert not torch.amp.is_autocast_available("meta")
    assert torch.amp.is_autocast_available("cuda")


@pytest.mark.skipif(torch.cuda.is_available(), reason="this build has a CUDA device")
def test_cuda_regions_without_cuda_are_off() -> None:
    with pytest.warns(UserWarning, match="CUDA is not available"):
        region = torch.autocast("cuda")
    with region:
        assert not torch.is_autocast_enabled("cuda")


def test_functions_for_one_device_type_are_deprecated() -> None:
    with pytest.warns(DeprecationWarning, match=r"is_autocast_enabled\('cpu'\)"):
        assert torch.is_autocast_cpu_enabled() is False
    with pytest.warns(DeprecationWarning):
        assert torch.get_autocast_gpu_dtype() == torch.float16
    with pytest.warns(FutureWarning, match="torch.amp.autocast"):
        torch.cpu.amp.autocast(enabled=False)


class Recorded(torch.autograd.Function):
    seen: ClassVar[list[tuple[torch.dtype, bool]]] = []

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        Recorded.seen.append((torch.get_autocast_dtype("cpu"), torch.is_autocast_enabled("cpu")))
        return grad @ w.t(), x.t() @ grad


@pytest.mark.parametrize("enabled", [True, False])
def test_custom_functions_run_backward_in_the_state_of_forward(enabled: bool) -> None:
    x, w = torch.randn(3, 4, requires_grad=True), torch.randn(4, 5, requires_grad=True)
    Recorded.seen.clear()
    with torch.autocast("cpu", dtype=torch.float16, enabled=enabled):
        output = Recorded.apply(x, w)
    output.float().sum().backward()
    assert Recorded.seen == [(torch.float16, enabled)]
    assert x.grad.dtype == w.grad.dtype == torch.float32


@pytest.fixture(scope="module")
def theirs(once: Callable[..., Path]) -> dict[record_autocast.Key, list[object]]:
    """PyTorch's dtypes for the whole table."""
    return pickle.loads(once("autocast.pickle", record).read_bytes())


def record(file: Path) -> None:
    assert PEER
    script = RUNTIME / "samples" / "record_autocast.py"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run([PEER, str(script), str(file)], check=True, env=environment, cwd=file.parent)


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
@pytest.mark.parametrize("device", ["CPU", "CUDA"])
def test_every_operator_of_pytorchs_lists_has_a_row(device: str) -> None:
    assert PEER
    program = f"""if True:
        import torch
        for name in torch._C._dispatch_get_all_op_names():
            if torch._C._dispatch_has_kernel_for_dispatch_key(name, "Autocast{device}"):
                print(name.removeprefix("aten::"))
        """
    listed = subprocess.run([PEER, "-I", "-c", program], capture_output=True, text=True, check=True)
    root = RUNTIME.parents[1] / "aten" / "src" / "ATen"
    schemas = (root / "native" / "native_functions.yaml").read_text()
    exist = set(re.findall(r"^- func: ([\w.]+)\(", schemas, re.MULTILINE))
    rows = (root / f"Autocast{device}.cpp").read_text()
    have = set(re.findall(r"^    [A-Z]+\((\w+)\)", rows, re.MULTILINE))
    have |= set(re.findall(r"&at::_ops::(\w+)::entry", rows))
    lacking = [n for n in listed.stdout.split() if n in exist and n.replace(".", "_") not in have]
    assert not lacking, f"add to Autocast{device}.cpp: {', '.join(lacking)}"


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_every_operator_returns_the_dtypes_of_pytorch(theirs, tmp_path: Path) -> None:
    file = tmp_path / "ours.pickle"
    script = RUNTIME / "samples" / "record_autocast.py"
    subprocess.run([sys.executable, str(script), str(file)], check=True)
    ours = pickle.loads(file.read_bytes())
    differences = [
        f"{title} of {dtype}, sample {number}: PyTorch {other}, we {mine}"
        for (title, dtype), expected in theirs.items()
        for number, (mine, other) in enumerate(
            zip(ours.get((title, dtype), expected), expected, strict=True)
        )
        if mine != other and other != "NotImplementedError"  # a dtype that PyTorch lacks
    ]
    assert not differences, "\n".join(differences)
