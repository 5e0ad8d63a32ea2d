"""torch.jit._shape_functions: the sizes that the operators' kernels and Meta kernels give."""

from __future__ import annotations

from typing import Any

import pytest

import torch
from samples import TABLE, Operator
from torch.jit import _shape_functions as shapes
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

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

    def __init__(self) -> None:
        super().__init__()
        self.compared: set[str] = set()
        self.differing: list[str] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if shapes.shape_function_of(func.name()) is not None:
            self.compared.add(func.name())
            self.differing += self._difference(func, result, args, kwargs)
        return result

    def _difference(self, func: Any, result: Any, args: Any, kwargs: Any) -> list[str]:
        function = shapes.shape_function_of(func.name())
        assert function is not None
        expected, given = sizes_of(result), (sizes_of(args), sizes_of(kwargs))
        try:
            found = function(*given[0], **given[1])
        except (TypeError, ValueError, IndexError) as error:
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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_shape_functions_give_the_sizes_of_kernels_and_of_meta() -> None:
    seen = Comparison()
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
def test_shape_function_called_directly(name: str) -> None:
    count = 2 if name in ("aten::matmul", "aten::linear") else 1
    for case in DIRECT[name]:
        tensors = [torch.zeros(size) for size in case[:count]]
        rest = [torch.zeros(x) for x in case[count:]] if count == 2 else case[count:]
        result = _named(name)(*tensors, *rest)
        function = shapes.shape_function_of(name)
        assert function is not None and function(*case) == list(result.shape)


def test_shape_functions_refuse_what_operators_refuse() -> None:
    for function, arguments in (
        (shapes.mm, ([2, 3], [2, 3])),
        (shapes.dot, ([2], [3])),
        (shapes.view, ([5], [2, -1])),
        (shapes.view, ([6], [2, 2])),
        (shapes.expand, ([2], [3])),
        (shapes.expand, ([2, 2], [2])),
        (shapes.broadcast_inplace, ([1], [3])),
        (shapes.matmul, ([], [3])),
        (shapes.maybe_wrap_dim, (2, 2)),
        (shapes.broadcast, ([2], [3])),
    ):
        with pytest.raises((ValueError, IndexError, RuntimeError)):
            function(*arguments)


def test_a_mapping_can_be_added() -> None:
    shapes.add_shape_compute_mapping("own::twice(Tensor x) -> Tensor", lambda x: [2 * n for n in x])
    try:
        function = shapes.shape_function_of("own::twice")
        assert function is not None and function([1, 2]) == [2, 4]
    finally:
        del shapes.shape_compute_graph_mapping["own::twice(Tensor x) -> Tensor"]
        del shapes._by_name["own::twice"]
