"""torch.jit._shape_functions: the sizes that the operators' kernels and Meta kernels give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from program_registries import PEER, Registry, run_by_peer

import torch
from samples import TABLE, Operator
from torch.jit import _shape_functions as shapes
from torch.jit import _shape_programs as programs
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

_MODULE = "__torch__.torch.jit._shape_programs"
_PATH = "__torch__/torch/jit/_shape_programs.py"
Find = Callable[[str], Callable[..., Any] | None]

# Called by composite operators only under other names.
DIRECT = {
    "aten::matmul": [([2, 3, 4], [4, 5]), ([4], [4]), ([4], [2, 4, 5]), ([3, 4], [4])],
    "aten::linear": [([2, 4], [3, 4], [3]), ([4], [3, 4])],
    "aten::flatten.using_ints": [([2, 3, 4], 1), ([],), ([2, 3], 0, 1)],
    "aten::movedim.intlist": [([2, 3, 4], [0, 1], [2, 0])],
    "aten::max_pool2d": [([1, 7, 8], 3, 2, 1, 1, True), ([2, 1, 7, 8], [2, 3])],
    "aten::view": [([2, 6], [3, -1]), ([0, 2], [2, 0])],
    "aten::detach": [([2, 3],)],
}


class Comparison(TorchDispatchMode):
    """Compares the sizes of every result with those of the shape function, and those on Meta."""

    def __init__(self, find: Find) -> None:
        super().__init__()
        self.find = find
        self.compared: set[str] = set()
        self.differing: list[str] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if self.find(func.name()) is not None:
            self.compared.add(func.name())
            self.differing += self._difference(func, result, args, kwargs)
        return result

    def _difference(self, func: Any, result: Any, args: Any, kwargs: Any) -> list[str]:
        function = self.find(func.name())
        assert function is not None
        expected, given = sizes_of(result), (sizes_of(args), sizes_of(kwargs))
        try:
            found = function(*given[0], **given[1])
        except (TypeError, ValueError, IndexError, RuntimeError) as error:
            found = error
        return [] if found == expected else [f"{func.name()}{given}: {found!r}, not {expected}"]


def sizes_of(value: Any) -> Any:
    return tree_map(lambda x: list(x.shape) if isinstance(x, torch.Tensor) else x, value)


def on_meta(value: Any) -> Any:
    return tree_map(lambda x: x.to("meta") if isinstance(x, torch.Tensor) else x, value)


def _run(operator: Operator, seen: Comparison) -> None:
    for sample in operator.make(operator.dtypes[-1]):
        for given in ((sample.args, sample.kwargs), on_meta((sample.args, sample.kwargs))):
            try:
                operator.function()(*given[0], **given[1])
                with seen:
                    operator.function()(*given[0], **given[1])
            except (RuntimeError, ValueError, IndexError, NotImplementedError):
                continue  # a sample of one kernel's, or of another signature


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    """What the generator writes for C++."""
    folder = tmp_path_factory.mktemp("generated")
    return Registry.generated("gen_jit_shape_functions", folder)


def _of_torchscript(generated: Registry) -> Find:
    """Return what finds functions of the generated text by its own table."""
    program, found = generated.program(_PATH), {}
    for full, name in generated.rows.items():
        count = getattr(programs, name).__code__.co_argcount
        found[full] = shapes.taking_arguments_of(
            _named(full)._schema, program.resolve(f"{_MODULE}.{name}"), count
        )
    return found.get


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("language", ["Python", "TorchScript"])
def test_shape_functions_give_the_sizes_of_kernels_and_of_meta(
    language: str, generated: Registry
) -> None:
    find = shapes.shape_function_of if language == "Python" else _of_torchscript(generated)
    seen = Comparison(find)
    for operator in TABLE:
        if not operator.random:
            _run(operator, seen)
    assert not seen.differing, "\n".join(seen.differing[:20])
    rest = {schema.partition("(")[0] for schema in shapes.shape_compute_graph_mapping}
    unreached = sorted(rest - seen.compared - set(DIRECT))
    assert unreached == []


def _named(name: str) -> Any:
    base, _, overload = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


@pytest.mark.parametrize("name", DIRECT)
def test_shape_function_called_directly(name: str, generated: Registry) -> None:
    in_torchscript = _of_torchscript(generated)(name)
    count = 2 if name in ("aten::matmul", "aten::linear") else 1
    for case in DIRECT[name]:
        tensors = [torch.zeros(size) for size in case[:count]]
        rest = [torch.zeros(x) for x in case[count:]] if count == 2 else case[count:]
        result = _named(name)(*tensors, *rest)
        function = shapes.shape_function_of(name)
        assert function is not None and function(*case) == list(result.shape)
        assert in_torchscript is not None and in_torchscript(*case) == list(result.shape)


def test_shape_functions_refuse_what_operators_refuse() -> None:
    for function, arguments in (
        (programs.mm, ([2, 3], [2, 3])),
        (programs.dot, ([2], [3])),
        (programs.view, ([5], [2, -1])),
        (programs.view, ([6], [2, 2])),
        (programs.expand, ([2], [3])),
        (programs.expand, ([2, 2], [2])),
        (programs.broadcast_inplace, ([1], [3])),
        (programs.matmul, ([], [3])),
        (programs.maybe_wrap_dim, (2, 2)),
        (programs.broadcast, ([2], [3])),
    ):
        with pytest.raises((ValueError, IndexError, RuntimeError)):
            function(*arguments)


def test_programs_of_torchscript_refuse_with_the_same_message(generated: Registry) -> None:
    program = generated.program(_PATH)
    with pytest.raises(torch.jit.Error, match=r"ValueError: the size 2 cannot be expanded to 3"):
        program.resolve(f"{_MODULE}.expand")([2], [3])
    with pytest.raises(torch.jit.Error, match=r"range of \[-2, 1\], but got 2"):
        program.resolve(f"{_MODULE}.maybe_wrap_dim")(2, 2)


def test_numbers_stand_for_lists_and_for_tensors() -> None:
    pool, add = map(shapes.shape_function_of, ("aten::max_pool2d", "aten::add.Tensor"))
    assert pool is not None and add is not None
    assert pool([1, 9, 9], 3) == pool([1, 9, 9], (3, 3), stride=[3]) == [1, 3, 3]
    assert add([2, 3], 1.5, alpha=2) == add([2, 3], other=[1]) == [2, 3]
    with pytest.raises(TypeError, match="missing argument 'other'"):
        add([2])


CALLS = {
    "broadcast([2, 1, 3], [4, 1])": [2, 4, 3],
    "expand([2, 1], [3, -1, 4])": [3, 2, 4],
    "flatten([2, 3, 4], 1, -1)": [2, 12],
    "movedim([2, 3, 4], [0, 1], [2, 0])": [3, 4, 2],
    "slice([9], 0, None, -2, 3)": [3],
    "cat([[0], [2, 3], [5, 3]], 0)": [7, 3],
    "sum_mean_dim([2, 3], None, True)": [1, 1],
    "argmax([2, 3], -1, False)": [2],
    "matmul([4], [2, 4, 5])": [2, 5],
    "conv_forwards([1, 3, 8, 8], [6, 3, 3, 3], None, [2], [1], [1], False, [0], 1)": [1, 6, 4, 4],
    "max_pool2d([1, 7, 8], [3, 3], [2, 2], [1, 1], [1, 1], True)": [1, 4, 5],
    "transpose([2, 3, 4], 0, -1)": [4, 3, 2],
}


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_pytorch_loads_and_runs_the_text(generated: Registry, tmp_path: Path) -> None:
    archive = tmp_path / "shapes.pt"
    generated.write_archive(archive, _PATH, "List[List[int]]", [f"{_MODULE}.{c}" for c in CALLS])
    assert run_by_peer(archive) == torch.jit.load(archive)() == [*CALLS.values()]


def test_a_mapping_can_be_added() -> None:
    shapes.add_shape_compute_mapping("own::twice(Tensor x) -> Tensor", lambda x: [2 * n for n in x])
    try:
        function = shapes.shape_function_of("own::twice")
        assert function is not None and function([1, 2]) == [2, 4]
    finally:
        del shapes.shape_compute_graph_mapping["own::twice(Tensor x) -> Tensor"]
        del shapes._by_name["own::twice"]
