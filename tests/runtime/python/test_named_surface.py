"""Names that PyTorch's documentation has, and that are small: each does what it says, or raises PyTorch's error."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

from torch import nn  # noqa: E402
from torch.autograd.profiler import EnforceUnique, KinetoStepTracker, MemRecordsAcc  # noqa: E402
from torch.overrides import redispatch_function, resolve_name  # noqa: E402


# ---- optimizers ----------------------------------------------------------------------------------
def test_an_optimizer_acts_on_other_parameters_for_a_while() -> None:
    weights = [torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)]
    optimizer = torch.optim.Adam([{"params": weights[:1]}, {"params": weights[1:], "lr": 0.5}])
    for weight in weights:
        weight.grad = torch.ones_like(weight)
    optimizer.step()
    kept = [weight.detach().clone() for weight in weights]
    state = optimizer.state_dict()
    others = {name: torch.zeros_like(w) for name, w in zip("ab", weights, strict=True)}
    for other in others.values():
        other.grad = torch.ones_like(other)
    with torch.optim.swap_in_optimizer_params_and_state(optimizer, others, state):
        optimizer.param_groups[0]["lr"] = 1.0
        optimizer.step()
        assert optimizer.param_groups[0]["params"] == [others["a"]]
    torch.testing.assert_close(others["a"], torch.full((2,), -1.0))
    torch.testing.assert_close(others["b"], torch.full((1,), -0.5))
    assert all(torch.equal(w, k) for w, k in zip(weights, kept, strict=True))
    assert optimizer.param_groups[0]["lr"] == 1e-3
    assert (
        optimizer.state[weights[0]]["step"] == 2
    )  # the tensors of the state were changed in place
    with (
        pytest.raises(ValueError, match=r"groups of \[1, 1\]"),
        torch.optim.swap_in_optimizer_params_and_state(optimizer, {}, state),
    ):
        pass


# ---- autograd and profiles -----------------------------------------------------------------------
def test_budgets_are_shares() -> None:
    half = torch.autograd.graph.region_activation_memory_budget(0.5)
    with half:
        pass
    assert half(lambda: 3)() == 3  # it decorates, too
    with (
        pytest.raises(ValueError, match=r"must be in \[0, 1\], got 2"),
        torch.autograd.graph.region_activation_memory_budget(2),
    ):
        pass
    with pytest.raises(TypeError, match="enabled must be a bool"):
        torch.autograd.graph.set_override_stale_capture_stream(1)


def test_steps_are_counted_by_requester() -> None:
    start = KinetoStepTracker.current_step()
    KinetoStepTracker.init_step_count("a")
    KinetoStepTracker.init_step_count("b")
    counted = [KinetoStepTracker.increment_step(name) - start for name in ("a", "b", "a")]
    assert counted == [1, 1, 2]
    assert KinetoStepTracker.erase_step_count("a")
    assert not KinetoStepTracker.erase_step_count("a")


def test_records_are_found_by_time() -> None:
    def record(time: int) -> tuple[Any, int]:
        return SimpleNamespace(start_ns=lambda: time), time

    found = MemRecordsAcc([record(7000), record(1000), record(3000)])
    assert [time for _, time in found.in_interval(1000, 3000)] == [1000, 3000]


def test_keys_occur_once() -> None:
    seen = EnforceUnique()
    seen.see(1, 2)
    with pytest.raises(RuntimeError, match=r"duplicate key: \(1, 2\)"):
        seen.see(1, 2)


# ---- overrides -----------------------------------------------------------------------------------
class Logged(torch.Tensor):
    seen: ClassVar[list[str]] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.seen.append(resolve_name(func) or func.__name__)
        return redispatch_function(func, types, args, kwargs)


def test_the_calls_of_a_function_are_overridden_too() -> None:
    Logged.seen.clear()
    result = nn.functional.relu(torch.tensor([-1.0, 1.0]).as_subclass(Logged))
    assert Logged.seen[:2] == ["torch.nn.functional.relu", "torch.relu"]
    assert result.tolist() == [0, 1]


# ---- guards, monitors, devices -------------------------------------------------------------------
def guard(kind: str, value: Any = None) -> Any:
    source = SimpleNamespace(
        is_unspecialized_nn_module=lambda: True, is_unspecialized_builtin_nn_module=lambda: False
    )
    return SimpleNamespace(guard_type=kind, value=value, orig_guard=SimpleNamespace(source=source))


def test_filters_of_guards() -> None:
    compiler = torch.compiler
    guards = [
        guard("TENSOR_MATCH", torch.ones(1)),
        guard("TENSOR_MATCH", nn.Parameter(torch.ones(1))),
        guard("GLOBAL_STATE"),
        guard("ID_MATCH"),
    ]
    assert compiler.keep_portable_guards_unsafe(guards) == [True, True, True, False]
    assert compiler.keep_tensor_guards_unsafe(guards) == [True, False, False, False]
    assert compiler.keep_tensor_guards_unsafe(guards, keep_parameters=True)[1]
    assert compiler.skip_guard_on_all_nn_modules_unsafe(guards) == [False] * 4
    assert compiler.skip_guard_on_inbuilt_nn_modules_unsafe(guards) == [True] * 4


def test_statistics_go_to_a_writer() -> None:
    written = []
    writer = SimpleNamespace(
        add_scalar=lambda name, value, walltime: written.append((name, value, walltime))
    )
    handler = torch.monitor.TensorboardEventHandler(writer)
    time = datetime.fromtimestamp(12)
    handler(torch.monitor.Event("torch.monitor.Stat", time, {"loss.mean": 2.0}))
    handler(torch.monitor.Event("other", time, {"loss.mean": 2.0}))
    assert written == [("loss.mean", 2.0, 12.0)]
    with pytest.raises(TypeError, match="No constructor"):
        torch.monitor.data_value_t()


@pytest.mark.parametrize(
    ("name", "error"), [("xpu", AssertionError), ("mtia", AssertionError), ("ipu", RuntimeError)]
)
def test_tensors_do_not_move_to_devices_without_a_back_end(
    name: str, error: type[Exception]
) -> None:
    with pytest.raises(error, match=name if name == "ipu" else name.upper()):
        getattr(torch.ones(1), name)()


@pytest.mark.skipif(torch.accelerator.is_available(), reason="this process has an accelerator")
def test_graphs_and_capabilities_need_an_accelerator() -> None:
    for ask in (torch.accelerator.get_device_capability, torch.accelerator.Graph):
        with pytest.raises(RuntimeError, match="when none is available"):
            ask()


def test_generators_of_the_cpu_have_no_state_for_graphs() -> None:
    generator = torch.Generator()
    with pytest.raises(NotImplementedError, match="graphsafe_get_state is not supported"):
        generator.graphsafe_get_state()
    with pytest.raises(NotImplementedError, match="graphsafe_set_state is not supported"):
        generator.graphsafe_set_state(generator)


def test_small_names() -> None:
    assert [kind.value for kind in (torch.SUM, torch.AVG)] == [0, 1]
    assert torch.AggregationType(1) is torch.AVG
    torch.init_num_threads()
    assert torch.thread_safe_generator() is None
    assert torch.backends.cuda.preferred_rocm_fa_library("ck").name == "Ck"
    assert torch.backends.cuda.preferred_rocm_fa_library("default").value == 0
    with pytest.raises(RuntimeError, match="Choose from: default, aotriton, ck"):
        torch.backends.cuda.preferred_rocm_fa_library("flash")


def test_the_stack_of_cpp_functions_has_the_interpreter() -> None:
    lines = torch.utils.get_cpp_backtrace(maximum_number_of_frames=5).splitlines()
    assert len(lines) == 5 and all(line.startswith("frame #") for line in lines)
    whole = torch.utils.get_cpp_backtrace()
    assert "Py" in whole and len(torch.utils.get_cpp_backtrace(2).splitlines()) > 2


# ---- tags ----------------------------------------------------------------------------------------
def test_operators_have_tags() -> None:
    Tag, aten = torch.Tag, torch.ops.aten
    assert aten.add.Tensor.tags == [Tag.core, Tag.pointwise, Tag.pt2_compliant_tag]
    assert aten.relu_.default.tags == [Tag.inplace, Tag.pointwise, Tag.pt2_compliant_tag]
    assert Tag.nondeterministic_seeded in aten.bernoulli.default.tags
    assert Tag.out in aten.add.out.tags and Tag.view_copy in aten.view_copy.default.tags
    assert [tag.value for tag in Tag] == list(range(20))


def test_operators_of_libraries_have_the_tags_they_are_given() -> None:
    library = torch.library.Library("tag_demo", "FRAGMENT")
    library.define("f(Tensor x) -> Tensor", tags=torch.Tag.pointwise)
    library.define("g(Tensor x) -> Tensor", tags=(torch.Tag.reduction, torch.Tag.core))
    library.define("h(Tensor x) -> Tensor")
    tags = [getattr(torch.ops.tag_demo, name).default.tags for name in "fgh"]
    assert tags == [[torch.Tag.pointwise], [torch.Tag.core, torch.Tag.reduction], []]


PROGRAM = """
import json, torch
found = {}
for name in torch._C._dispatch_get_all_op_names():
    base, _, overload = name.removeprefix("aten::").partition(".")
    if name.startswith("aten::") and hasattr(torch.ops.aten, base):
        packet = getattr(torch.ops.aten, base)
        if (overload or "default") in packet.overloads():
            found[name] = [tag.name for tag in getattr(packet, overload or "default").tags]
print(json.dumps(found))
"""


@pytest.mark.skipif(
    "TORCH_PEER" not in os.environ, reason="set TORCH_PEER to a Python that has torch==2.13.0"
)
@pytest.mark.peer
def test_tags_agree_with_pytorch(tmp_path: Path) -> None:
    command = [os.environ["TORCH_PEER"], "-W", "ignore", "-c", PROGRAM]
    printed = subprocess.run(command, check=True, capture_output=True, cwd=tmp_path).stdout
    compared = 0
    for name, expected in json.loads(printed).items():
        base, _, overload = name.removeprefix("aten::").partition(".")
        if overload in torch._C._get_operator_overloads(f"aten::{base}"):
            operator = getattr(getattr(torch.ops.aten, base), overload or "default")
            assert sorted(tag.name for tag in operator.tags) == sorted(expected), name
            compared += 1
    assert compared > 1000
