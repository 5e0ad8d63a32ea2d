"""torch.fx: recording modules as graphs, changing them, and running them again."""

from __future__ import annotations

import copy
import io
import math
import operator
import os
import pickle
import subprocess
import sys
import textwrap
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import torch
import torch.nn.functional as F
from torch import fx, nn
from torch.fx.passes.shape_prop import ShapeProp
from torch.fx.passes.split_module import split_module

PEER = os.environ.get("TORCH_PEER")
MODELS = Path(__file__).parents[1] / "data" / "fx_models.py"
sys.path.insert(0, str(MODELS.parent))
import fx_models  # noqa: E402

sys.path.pop(0)


@pytest.mark.parametrize("name", sorted(fx_models.MODELS))
def test_traced_models_compute_the_same(name: str) -> None:
    torch.manual_seed(0)
    model, inputs = fx_models.MODELS[name]()
    traced = fx.symbolic_trace(model)
    traced.graph.lint()
    expected = model(*inputs)
    torch.testing.assert_close(traced(*inputs), expected)
    torch.testing.assert_close(fx.Interpreter(traced).run(*inputs), expected)
    torch.testing.assert_close(copy.deepcopy(traced)(*inputs), expected)
    restored = pickle.loads(pickle.dumps(traced))
    assert restored.code == traced.code
    torch.testing.assert_close(restored(*inputs), expected)
    torch.testing.assert_close(fx.Transformer(traced).transform()(*inputs), expected)


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_code_and_graphs_read_as_in_pytorch() -> None:
    assert PEER
    ours, theirs = (
        subprocess.run([python, MODELS], capture_output=True, text=True, check=True).stdout
        for python in (sys.executable, PEER)
    )
    assert ours == theirs


def test_a_traced_module_can_be_saved() -> None:
    traced = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 3), nn.ReLU()))
    file = io.BytesIO()
    torch.save(traced, file)
    file.seek(0)
    restored = torch.load(file, weights_only=False)
    x = torch.randn(4, 2)
    assert torch.equal(restored(x), traced(x))
    assert list(restored.state_dict()) == list(traced.state_dict())


def test_a_traced_module_trains() -> None:
    traced = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)))
    traced(torch.ones(1, 2)).sum().backward()
    assert all(parameter.grad is not None for parameter in traced.parameters())


def test_a_module_becomes_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    traced = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 3)))
    traced.to_folder(tmp_path / "written", "Written")
    monkeypatch.syspath_prepend(tmp_path)
    import written  # type: ignore[import-not-found]

    x = torch.randn(4, 2)
    assert torch.equal(written.Written()(x), traced(x))


def test_control_flow_is_refused() -> None:
    with pytest.raises(fx.TraceError, match="control flow"):
        fx.symbolic_trace(lambda x: x if x.sum() > 0 else -x)
    with pytest.raises(fx.TraceError, match="cannot be iterated"):
        fx.symbolic_trace(lambda x: [-item for item in x])
    with pytest.raises(RuntimeError, match="'len' is not supported"):
        fx.symbolic_trace(lambda x: len(x))


def test_unpacking_into_names_is_recorded() -> None:
    def first(x: Any) -> Any:
        a, _ = x.split(1)
        return a

    assert fx.symbolic_trace(first)(torch.tensor([3, 4])).tolist() == [3]


def test_concrete_arguments_are_checked() -> None:
    def choose(x: Any, negative: Any) -> Any:
        return -x if negative else x

    traced = fx.symbolic_trace(choose, concrete_args={"negative": True})
    assert traced(torch.ones(1), True).item() == -1
    with pytest.raises(AssertionError, match="specialized"):
        traced(torch.ones(1), False)


def test_containers_of_concrete_arguments_stay_inputs() -> None:
    def total(pair: Any, flag: Any) -> Any:
        return {"sum": pair["a"] + pair["b"] if flag else pair["a"], "b": pair["b"]}

    class Total(torch.nn.Module):
        def forward(self, pair: Any, flag: Any) -> Any:
            return total(pair, flag)

    kept = {"pair": {"a": fx.PH, "b": fx.PH}, "flag": True}
    for root in (total, Total()):
        traced = fx.symbolic_trace(root, concrete_args=kept)
        result = traced({"a": torch.ones(1), "b": torch.ones(1)}, True)
        assert {name: value.item() for name, value in result.items()} == {"sum": 2, "b": 1}
        with pytest.raises(AssertionError, match="flag has been specialized"):
            traced({"a": torch.ones(1), "b": torch.ones(1)}, False)
    assert type(fx.PH) is fx._symbolic_trace.PHBase


def test_functions_of_math_are_recorded() -> None:
    traced = fx.symbolic_trace(lambda x: x * math.sqrt(x.size(0)))
    assert traced(torch.ones(4)).tolist() == [2.0] * 4
    assert math.sqrt(4.0) == 2.0


def test_replace_pattern() -> None:
    def pattern(x: Any, w: Any) -> Any:
        return torch.relu(x) * w

    def replacement(x: Any, w: Any) -> Any:
        return torch.sigmoid(x) + w

    traced = fx.symbolic_trace(lambda x: torch.relu(torch.relu(x) * 2) * 3 + torch.relu(x))
    found = fx.replace_pattern(traced, pattern, replacement)
    assert len(found) == 2
    traced.graph.lint()
    x = torch.randn(3)
    expected = torch.sigmoid(torch.sigmoid(x) + 2) + 3 + torch.relu(x)
    torch.testing.assert_close(traced(x), expected)


def test_a_pattern_whose_inner_values_are_used_stays() -> None:
    def program(x: Any) -> Any:
        y = torch.relu(x)
        return y * 2 + y

    traced = fx.symbolic_trace(program)
    assert not fx.replace_pattern(traced, lambda x: torch.relu(x) * 2, lambda x: x)


def test_nodes_can_be_changed() -> None:
    traced = fx.symbolic_trace(lambda x: torch.add(x, 1) * torch.add(x, 1))
    for node in traced.graph.nodes:
        if node.target is torch.add:
            node.target = torch.mul
            node.update_arg(1, 3)
    mul = next(n for n in traced.graph.nodes if n.target is operator.mul)
    with traced.graph.inserting_after(mul):
        negative = traced.graph.call_function(torch.neg, (mul,))
        mul.replace_all_uses_with(negative, lambda user: user is not negative)
    traced.recompile()
    assert traced(torch.tensor(2.0)).item() == -36
    assert traced.graph.output_node().all_input_nodes == [negative]
    unused = next(n for n in traced.graph.nodes if n.op == "placeholder")
    with pytest.raises(RuntimeError, match="still had 2 users"):
        traced.graph.erase_node(unused)


def test_dead_code_is_eliminated() -> None:
    def program(x: Any) -> Any:
        x.exp().sin()
        return x + 1

    traced = fx.symbolic_trace(program)
    assert traced.graph.eliminate_dead_code()
    assert [node.name for node in traced.graph.nodes] == ["x", "add", "output"]
    assert len(traced.graph.nodes) == 3
    assert not traced.graph.eliminate_dead_code()


def test_lint_finds_uses_before_definitions() -> None:
    graph = fx.Graph()
    x = graph.placeholder("x")
    y = graph.call_function(torch.relu, (x,))
    graph.output(y)
    y.append(x)
    with pytest.raises(RuntimeError, match="before it has been defined"):
        graph.lint()


def test_arguments_cannot_be_mutated() -> None:
    traced = fx.symbolic_trace(lambda x: torch.cat([x, x]))
    cat = next(n for n in traced.graph.nodes if n.target is torch.cat)
    with pytest.raises(NotImplementedError, match="does not support mutation"):
        cat.args[0].append(1)


def test_shapes_are_recorded() -> None:
    traced = fx.symbolic_trace(nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten()))
    ShapeProp(traced).propagate(torch.zeros(2, 3, 5, 5))
    shapes = [tuple(n.meta["tensor_meta"].shape) for n in traced.graph.nodes]
    assert shapes == [(2, 3, 5, 5), (2, 4, 3, 3), (2, 36), (2, 36)]


def test_annotations_and_defaults_survive_pickling() -> None:
    class Scaled(torch.nn.Module):
        def forward(self, x, *, scale=2.0, flag=True):
            return x * scale if flag else x

    Scaled.forward.__annotations__.update(x=torch.Tensor, scale=float)
    traced = fx.symbolic_trace(Scaled(), concrete_args={"flag": True})
    assert "x : torch.Tensor, scale : float = 2.0" in traced.code
    assert pickle.loads(pickle.dumps(traced)).code == traced.code


def test_a_value_is_no_number() -> None:
    """Python's own errors are those that PyTorch gives."""
    for program in (lambda x: range(x), lambda x: [1, 2][x], lambda x: float(x)):
        with pytest.raises(TypeError, match="Proxy"):
            fx.symbolic_trace(program)
    with pytest.raises(fx.TraceError, match="cannot be iterated"):
        fx.symbolic_trace(lambda x: 1 in x)


def test_parts_need_no_import_of_their_own() -> None:
    program = (
        "import torch, torch.fx; print(torch.fx.passes.split_module.split_module.__name__, "
        "torch.fx.experimental.proxy_tensor.make_fx.__name__, hasattr(torch.fx, 'nothing'))"
    )
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["split_module", "make_fx", "False"]


def test_a_module_is_split_without_its_root() -> None:
    traced = fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()))
    split = split_module(traced, None, lambda n: int(n.name == "_1"))
    assert len(list(split.children())) == 2
    x = torch.ones(1, 2)
    assert torch.equal(split(x), traced(x))


def test_a_module_can_be_split() -> None:
    torch.manual_seed(0)
    model, inputs = fx_models.MODELS["resnet"]()
    traced = fx.symbolic_trace(model)
    names = [n.name for n in traced.graph.nodes]
    split = split_module(traced, model, lambda n: names.index(n.name) // 8)
    assert len(list(split.children())) > 2
    torch.testing.assert_close(split(*inputs), model(*inputs))


def test_wrapped_functions_stay_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wrapped_program.py").write_text(
        textwrap.dedent(
            """
            import torch.fx

            @torch.fx.wrap
            def choose(x):
                return x if x.sum() > 0 else -x

            def program(x):
                return choose(x) + 1
            """
        )
    )
    monkeypatch.syspath_prepend(tmp_path)
    import wrapped_program  # type: ignore[import-not-found]

    traced = fx.symbolic_trace(wrapped_program.program)
    assert "choose" in traced.code
    assert traced(torch.tensor([-2.0])).item() == 3
    restored = pickle.loads(pickle.dumps(traced))
    assert restored(torch.tensor([-2.0])).item() == 3


def test_a_failing_line_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    traced = fx.symbolic_trace(lambda x: torch.relu(x) @ x)
    with pytest.raises(RuntimeError):
        traced(torch.ones(2, 3))
    assert "<--- HERE" in capsys.readouterr().err


def test_modules_called_in_the_graph_are_found() -> None:
    traced = fx.symbolic_trace(nn.Sequential(nn.Sequential(nn.Linear(2, 2)), nn.ReLU()))
    assert [n.target for n in traced.graph.find_nodes(op="call_module")] == ["0.0", "1"]
    assert F.relu is not torch.relu
    traced.add_submodule("extra.inner", nn.ReLU())
    traced.delete_all_unused_submodules()
    assert not hasattr(traced, "extra")


def test_tracers_of_libraries_have_the_parts_of_a_trace() -> None:
    import torch.fx._symbolic_trace as st

    class Pool:
        def __call__(self, x: Any) -> Any:
            return x.amax(0)

    class Whole(fx.Tracer):
        @st.compatibility(is_backward_compatible=True)
        def trace(self, root: Any, concrete_args: Any = None) -> fx.Graph:
            self.root = root
            self.graph = fx.Graph(tracer_cls=type(self))
            self.submodule_paths = {mod: name for name, mod in root.named_modules()}
            self.tensor_attrs = {root.shift: "shift"}
            assert not isinstance(root, st.ScriptObject)
            fn, args = self.create_args_for_root(type(root).forward, True, concrete_args)
            cache: dict[str, st.Proxy] = {}

            @st.functools.wraps(st._orig_module_getattr)
            def get(mod: Any, attr: str) -> Any:
                return self.getattr(attr, st._orig_module_getattr(mod, attr), cache)

            @st.functools.wraps(st._orig_module_call)
            def call(mod: Any, *args: Any, **kwargs: Any) -> Any:
                run = lambda *a, **k: st._orig_module_call(mod, *a, **k)  # noqa: E731
                return self.call_module(mod, run, args, kwargs)

            with st._Patcher() as patcher:
                patcher.patch_method(torch.nn.Module, "__getattr__", get, deduplicate=False)
                patcher.patch_method(torch.nn.Module, "__call__", call, deduplicate=False)
                pooled = lambda pool, x: self.create_proxy("call_function", max, (x,), {})  # noqa: E731
                patcher.patch_method(Pool, "__call__", pooled, deduplicate=False)
                st._patch_wrapped_functions(patcher)
                st._autowrap_check(patcher, type(root).forward.__globals__, set())
                self.create_node("output", "output", (self.create_arg(fn(*args)),), {})
            return self.graph

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(2, 2)
            self.__dict__["shift"] = torch.ones(2)
            self.pool = Pool()

        def forward(self, x: Any) -> Any:
            return self.pool(self.linear(x) + self.shift)

    nodes = list(Whole().trace(Net()).nodes)
    assert [node.op for node in nodes] == [
        "placeholder", "call_module", "get_attr", "call_function", "call_function", "output"
    ]  # fmt: skip
    assert nodes[2].target == "shift"
    assert torch.nn.Module.__call__ is st._orig_module_call


def test_annotations_of_inputs_are_kept() -> None:
    tensor = torch.Tensor
    annotations = {
        "a": typing.Optional[tensor],  # noqa: UP045
        "b": dict[str, typing.Union[int, None]],  # noqa: UP007
        "c": tensor | None,
        "d": typing.List[typing.Tuple[tensor, ...]],  # noqa: UP006
        "e": Callable[[int, tensor], None],
        "f": typing.Literal["x", 2],
        "g": type[int],
        "h": Any,
    }

    def first(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any) -> Any:
        return a

    first.__annotations__ = {**annotations, "return": tensor | None}
    traced = fx.symbolic_trace(first)
    assert "a : typing_Union[torch.Tensor,NoneType], b : dict[str,typing_Union[int,NoneType]]" in (
        traced.code
    )
    found = traced.forward.__annotations__
    assert {name: found[name] for name in annotations} == annotations
    assert found["return"] == tensor | None
