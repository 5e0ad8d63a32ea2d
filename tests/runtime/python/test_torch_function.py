"""torch.overrides: subclasses and modes that handle calls of torch's functions."""

from __future__ import annotations

import ast
import gc
import operator
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

import torch
import torch.nn.functional as F
from torch import overrides
from torch.overrides import TorchFunctionMode


class Names(TorchFunctionMode):
    def __init__(self) -> None:
        self.seen: list[str] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        self.seen.append(str(overrides.resolve_name(func)))
        return func(*args, **(kwargs or {}))


CALLS = [
    (lambda x: x + 1, "torch.Tensor.add"),
    (lambda x: 1 - x, "torch.Tensor.__rsub__"),
    (lambda x: 1 / x, "torch.Tensor.__rtruediv__"),
    (lambda x: x**2, "torch.Tensor.__pow__"),
    (lambda x: x @ x, "torch.Tensor.matmul"),
    (lambda x: x == x, "torch.Tensor.__eq__"),
    (lambda x: x > 0, "torch.Tensor.gt"),
    (lambda x: -x, "torch.Tensor.neg"),
    (lambda x: x[0], "torch.Tensor.__getitem__"),
    (lambda x: operator.setitem(x, 0, 1), "torch.Tensor.__setitem__"),
    (lambda x: operator.iadd(x, 1), "torch.Tensor.add_"),
    (lambda x: x.T, "torch.Tensor.T.__get__"),
    (lambda x: x.shape, "torch.Tensor.shape.__get__"),
    (lambda x: x.size(0), "torch.Tensor.size"),
    (lambda x: len(x), "torch.Tensor.__len__"),
    (lambda x: x.sum(), "torch.Tensor.sum"),
    (lambda x: x.detach(), "torch.Tensor.detach"),
    (lambda x: torch.zeros(2), "torch.zeros"),
    (lambda x: torch.cat([x, x]), "torch.cat"),
    (lambda x: torch.einsum("ij,jk", x, x), "torch.functional.einsum"),
    (lambda x: F.relu(x), "torch.nn.functional.relu"),
    (lambda x: F.linear(x, x), "torch.nn.functional.linear"),
    (lambda x: F.cross_entropy(x, x), "torch.nn.functional.cross_entropy"),
    (lambda x: torch.linalg.vector_norm(x), "torch.linalg.vector_norm"),
    (lambda x: torch.linalg.norm(x), "torch.linalg.norm"),
    (lambda x: torch.linalg.pinv(x), "torch.linalg.pinv"),
    (lambda x: torch.linalg.multi_dot([x, x]), "torch.linalg.multi_dot"),
    (lambda x: torch.fft.fft(x), "torch.fft.fft"),
    (lambda x: torch.fft.fftshift(x), "torch.fft.fftshift"),
    (lambda x: torch.fft.fftfreq(4), "torch.fft.fftfreq"),
    (lambda x: torch.special.expit(x), "torch.special.expit"),
    (lambda x: torch.special.xlogy(x, 2), "torch.special.xlogy"),
    (lambda x: torch.atleast_3d(x), "torch.functional.atleast_3d"),
    (lambda x: torch.cdist(x, x), "torch.functional.cdist"),
    (lambda x: torch.chain_matmul(x, x), "torch.functional.chain_matmul"),
    (lambda x: torch.block_diag(x, x), "torch.functional.block_diag"),
    (lambda x: x.lu(), "torch.Tensor.lu"),
    (lambda x: x.fmax(x), "torch.Tensor.fmax"),
    (lambda x: x.renorm_(1, 0, 1), "torch.Tensor.renorm_"),
    (lambda x: F.relu_(x), "torch.nn.functional.relu_"),
    (lambda x: x.to_dense(), "torch.Tensor.to_dense"),
    (lambda x: x.sparse_dim(), "torch.Tensor.sparse_dim"),
]


@pytest.mark.parametrize(("call", "name"), CALLS, ids=[name for _, name in CALLS])
def test_a_mode_sees_the_public_function_first(call: Any, name: str) -> None:
    x = torch.rand(2, 2)
    expected = call(x.clone())
    with Names() as mode:
        result = call(x)
    assert mode.seen[0] == name
    assert not torch._C._len_torch_function_stack()
    if isinstance(expected, torch.Tensor):
        assert torch.equal(result, expected)


def test_modes_nest_and_end_with_their_blocks() -> None:
    x = torch.ones(2)
    with Names() as outer, Names() as inner:
        x.exp()
    x.exp()
    assert inner.seen == outer.seen == ["torch.Tensor.exp"]


def test_a_mode_ends_when_its_block_raises() -> None:
    class Refuses(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
        ) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), Refuses():
        torch.ones(1)
    assert torch.ones(1).item() == 1


def test_a_mode_can_be_disabled() -> None:
    with Names() as mode:
        with torch._C.DisableTorchFunction():
            torch.ones(1)
        with torch._C.DisableTorchFunctionSubclass():
            torch.zeros(1)
    assert mode.seen == ["torch.zeros"]


def test_a_mode_of_one_thread_leaves_others_alone() -> None:
    import threading

    results: list[Any] = []
    with Names() as mode:
        thread = threading.Thread(target=lambda: results.append(torch.ones(3).sum().item()))
        thread.start()
        thread.join()
    assert results == [3.0]
    assert mode.seen == []


def test_subclass_sees_python_functions_and_attributes() -> None:
    seen: list[str] = []

    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
        ) -> Any:
            seen.append(str(overrides.resolve_name(func)))
            return super().__torch_function__(func, types, args, kwargs or {})

    x = torch.ones(2).as_subclass(Logged)
    result = F.dropout(x, 0.0) + 1
    assert type(result) is Logged
    assert type(x.shape) is torch.Size
    assert x.grad is None
    assert seen == [
        "torch.nn.functional.dropout",
        "torch.Tensor.add",
        "torch.Tensor.shape.__get__",
        "torch.Tensor.grad.__get__",
    ]


class Scalar:
    """Not a tensor."""

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return func, args, kwargs


def test_foreign_objects_take_part() -> None:
    scalar = Scalar()
    x = torch.ones(2)
    assert torch.add(x, scalar) == (torch.add, (x, scalar), None)
    assert torch.cat([scalar, x])[0] is torch.cat
    assert F.relu(scalar) == (F.relu, (scalar,), {"inplace": False})  # type: ignore[arg-type]
    assert torch.ops.aten.add(x, scalar)[0] is torch.ops.aten.add
    assert overrides.is_tensor_like(scalar)
    assert not overrides.is_tensor_like(1)


def test_a_type_that_declines_is_an_error() -> None:
    class Declines:
        @classmethod
        def __torch_function__(cls, *args: Any, **kwargs: Any) -> Any:
            return NotImplemented

    declines: Any = Declines()
    message = r"(?s)Multiple dispatch failed for 'torch.add'; all .*\n\n  - tensor subclass <class"
    with pytest.raises(TypeError, match=message):
        torch.add(torch.ones(1), declines)
    with pytest.raises(TypeError, match=r"'torch.nn.gelu'; all"):
        torch.nn.functional.gelu(declines)
    with pytest.raises(
        TypeError, match=r"no implementation found for 'torch.nn.functional.relu' on"
    ):
        torch.nn.functional.relu(declines)


def test_functions_without_named_arguments_pass_none() -> None:
    seen: list[Any] = []

    class Notes(torch.Tensor):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append(kwargs)
            return super().__torch_function__(func, types, args, kwargs or {})

    x = torch.ones(2).as_subclass(Notes)
    x + 1
    torch.sum(x, dim=0)
    torch.stack([x])
    assert seen == [None, {"dim": 0}, None]


def test_programs_import_names_that_are_not_listed() -> None:
    from torch.overrides import (
        _get_current_function_mode,
        _get_current_function_mode_stack,
        _get_overloaded_args,
        _pop_mode_temporarily,
        has_torch_function_unary,
        has_torch_function_variadic,
    )

    outer, inner = Names(), Names()
    with outer, inner:
        assert _get_current_function_mode_stack() == [outer, inner]
        with _pop_mode_temporarily() as popped:
            assert popped is inner and _get_current_function_mode() is outer
    tensor = torch.ones(1)
    assert not has_torch_function_unary(tensor) and not has_torch_function_variadic(tensor, 1)
    assert _get_overloaded_args((tensor, 1)) == []


def test_lists_of_overridable_functions() -> None:
    functions = overrides.get_overridable_functions()
    assert F.relu in functions[F]
    assert torch.Tensor.add in functions[torch.Tensor]
    ignored = overrides.get_ignored_functions()
    assert torch.is_tensor in ignored
    assert torch.relu not in ignored
    assert torch.broadcast_shapes in ignored
    assert not any(function in ignored for listed in functions.values() for function in listed)
    assert torch.is_autocast_enabled in ignored
    assert torch.randn_like in ignored
    assert torch.Tensor.new_zeros in ignored
    assert F.grid_sample in functions[F]  # its module is imported when a program asks for it
    assert F.relu_ not in functions[F]
    testing = overrides.get_testing_overrides()
    assert torch.nn.init.uniform_ in testing
    assert torch.nn.init.ones_ not in testing
    assert all(function in testing for listed in functions.values() for function in listed)
    assert testing[torch.add]() == -1
    assert overrides.resolve_name(torch.Tensor.shape.__get__) == "torch.Tensor.shape.__get__"
    assert overrides.is_tensor_method_or_property(torch.Tensor.T.__get__)
    assert not overrides.is_tensor_method_or_property(torch.relu)


def test_wrap_torch_function() -> None:
    @overrides.wrap_torch_function(lambda x: (x,))
    def double(x: Any) -> Any:
        return x * 2

    assert double(torch.ones(1)).item() == 2
    assert double(Scalar())[0] is double


def test_modes_are_released() -> None:
    import weakref

    with Names() as mode:
        torch.ones(1)
    alive = weakref.ref(mode)
    del mode
    gc.collect()
    assert alive() is None


OPERATORS = [
    (operator.add, "add"),
    (operator.sub, "sub"),
    (operator.mul, "mul"),
    (operator.truediv, "div"),
    (operator.and_, "bitwise_and"),
    (operator.lt, "lt"),
    (operator.iadd, "add_"),
    (operator.ior, "bitwise_or_"),
]


@pytest.mark.parametrize(("operation", "method"), OPERATORS)
def test_operators_of_parameters_do_not_look_methods_up(
    operation: Any, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parameter = torch.nn.Parameter(torch.tensor([1, 2]), requires_grad=False)
    expected = operation(torch.tensor([3, 2]), torch.tensor([1, 2])).tolist()
    monkeypatch.setattr(torch.Tensor, method, lambda *_: pytest.fail("called by name"))
    result = operation(torch.tensor([3, 2]), parameter)
    assert type(result) is torch.Tensor
    assert result.tolist() == expected
    assert type(operation(parameter, 1)) in (torch.Tensor, torch.nn.Parameter)


@pytest.mark.parametrize(
    ("operation", "method"), [(operator.neg, "neg"), (operator.inv, "bitwise_not")]
)
def test_unary_operators_of_subclasses_call_the_operator(operation: Any, method: str) -> None:
    class Own(torch.Tensor):
        seen: ClassVar[list[str]] = []

        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            cls.seen.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    setattr(Own, method, lambda self: pytest.fail("called by name"))
    value = torch.tensor([1, 2]).as_subclass(Own)
    Own.seen.clear()
    result = operation(value)
    assert Own.seen == [method]
    assert type(result) is Own


def test_four_initializers_are_functions_of_their_own() -> None:
    weight = torch.empty(3, 3)
    for function, arguments in (
        (torch.nn.init.uniform_, ()),
        (torch.nn.init.normal_, ()),
        (torch.nn.init.constant_, (1.0,)),
        (torch.nn.init.kaiming_uniform_, ()),
    ):
        with Names() as names:
            assert function(weight, *arguments) is weight
        assert names.seen == [f"torch.nn.init.{function.__name__}"]
    for other in (
        torch.nn.init.ones_,
        torch.nn.init.xavier_uniform_,
        torch.nn.init.kaiming_normal_,
    ):
        with Names() as names:
            other(weight)
        assert names.seen and not any("init" in name for name in names.seen)


def test_initializers_of_other_types_are_theirs() -> None:
    class Plan:
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            return func.__name__, args, sorted(kwargs)

    found = torch.nn.init.normal_(Plan(), std=2.0)
    assert found == ("normal_", (), ["generator", "mean", "std", "tensor"])


class Seen:
    """Returns what it is asked, as a type that is no tensor."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func.__name__, len(args), sorted(kwargs or {})


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: F.pad(x, (1, 1)), ("pad", 2, ["mode", "value"])),
        (lambda x: F.threshold(x, 0.0, 1.0), ("_threshold", 3, ["inplace"])),
        (lambda x: torch.block_diag(x, x), ("block_diag", 2, [])),
        (lambda x: torch.lu(x), ("lu", 1, ["get_infos", "pivot"])),
        (torch.unique, ("unique", 1, ["dim", "return_counts", "return_inverse", "sorted"])),
        (
            torch.unique_consecutive,
            ("unique_consecutive", 1, ["dim", "return_counts", "return_inverse"]),
        ),
    ],
)
def test_functions_in_python_are_seen_whole(call: Any, expected: Any) -> None:
    assert call(Seen()) == expected


def test_subclasses_pass_functions_whose_parameter_has_their_name() -> None:
    class Derived(torch.Tensor):
        pass

    x = torch.arange(3.0).as_subclass(Derived)
    padded, limited = F.pad(x, (1, 0)), F.threshold(x, 1.0, -1.0)
    assert type(padded) is Derived and padded.tolist() == [0, 0, 1, 2]
    assert type(limited) is Derived and limited.tolist() == [-1, -1, 2]
    with Names() as names:
        assert F.pad(torch.ones(1), (1, 0)).tolist() == [0, 1]
        torch.ones(1).unique()
        torch.ones(1).unique_consecutive()
    expected = ("nn.functional.pad", "Tensor.unique", "Tensor.unique_consecutive")
    assert {f"torch.{name}" for name in expected} <= {*names.seen}


def test_no_function_gives_a_parameter_in_its_place() -> None:
    """handle_torch_function(pad, ...) in pad(input, pad) would call the sizes."""
    package, hidden = Path(torch.__file__).parent, []
    for path in package.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            names = {each.arg for each in function.args.args + function.args.kwonlyargs}
            for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
                called = getattr(call.func, "id", "") == "handle_torch_function" and call.args
                given = getattr(call.args[0], "id", "") if called else ""
                if given in names and given == function.name:
                    hidden.append(f"{path.name}: {given}")
    assert not hidden


@pytest.mark.parametrize(
    ("function", "module", "name"),
    [
        (torch.fft.fft, "torch._C._fft", "fft_fft"),
        (torch.linalg.norm, "torch._C._linalg", "linalg_norm"),
        (torch.linalg.inv, "torch._C._linalg", "linalg_inv"),
        (torch.special.expit, "torch._C._special", "special_expit"),
        (torch.special.entr, "torch._C._special", "special_entr"),
    ],
)
def test_functions_of_modules_have_the_names_of_their_operators(
    function: Any, module: str, name: str
) -> None:
    assert (function.__module__, function.__name__) == (module, name)
    assert pickle.loads(pickle.dumps(function)) is function
    assert function(Seen())[0] == name


SPARSE_CALLS = [
    ("coalesce", ()),
    ("indices", ()),
    ("values", ()),
    ("_nnz", ()),
    ("_indices", ()),
    ("_values", ()),
    ("is_coalesced", ()),
    ("sparse_dim", ()),
    ("dense_dim", ()),
    ("to_dense", ()),
    ("to_sparse_csr", ()),
    ("to_sparse_csc", ()),
    ("to_sparse_bsr", ((1, 1),)),
    ("to_sparse_bsc", ((1, 1),)),
    ("sparse_resize_", ((2, 2), 2, 0)),
    ("sparse_resize_and_clear_", ((2, 2), 2, 0)),
]


@pytest.mark.parametrize(("method", "arguments"), SPARSE_CALLS)
def test_methods_of_sparse_tensors_are_seen(method: str, arguments: tuple[Any, ...]) -> None:
    tensor = torch.eye(2).to_sparse().coalesce()
    expected = getattr(tensor, method)(*arguments)
    with Names() as outer, Names() as names:
        result = getattr(tensor, method)(*arguments)
    assert names.seen[0] == outer.seen[0] == f"torch.Tensor.{method}"
    unbound = getattr(torch.Tensor, method)(tensor, *arguments)
    for found in (result, unbound):
        assert type(found) is type(expected)

    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            return func

    own = torch.eye(2).as_subclass(Own)
    assert getattr(own, method)(*arguments) is getattr(torch.Tensor, method)


def test_methods_of_compressed_tensors_are_seen() -> None:
    tensor = torch.eye(2).to_sparse_csr()
    for method in ("crow_indices", "col_indices", "values", "to_dense", "_nnz"):
        with Names() as names:
            getattr(tensor, method)()
        assert names.seen[0] == f"torch.Tensor.{method}"


def test_a_subclass_can_extend_a_method_for_sparse_tensors() -> None:
    class Own(torch.Tensor):
        def to_dense(self, *args: Any, **kwargs: Any) -> Any:
            return super().to_dense(*args, **kwargs)

    assert torch.ones(2).as_subclass(Own).to_dense().tolist() == [1, 1]


def test_names_of_operators_are_found_before_their_modules_are_imported() -> None:
    script = (
        "import torch; assert 'torch.special' not in __import__('sys').modules;"
        "f = torch._C._special.special_expit; assert f is torch.special.expit;"
        "assert not hasattr(torch._C._special, 'special_unknown')"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [("grad", torch.ones(2)), ("data", torch.zeros(2)), ("requires_grad", True)],
)
def test_assignments_and_deletions_of_attributes_are_seen(name: str, value: Any) -> None:
    seen: list[tuple[Any, ...]] = []

    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append((func.__name__, *args[1:]))
            return super().__torch_function__(func, types, args, kwargs or {})

    own = torch.ones(2).as_subclass(Own)
    setattr(own, name, value)
    assert [call[0] for call in seen] == ["__set__"] and seen[0][1] is value
    assert torch.equal(torch.as_tensor(getattr(own, name)), torch.as_tensor(value))
    if name == "grad":
        del own.grad
        assert seen[-1] == ("__delete__",) and own.grad is None


def test_a_mode_sees_assignments() -> None:
    tensor = torch.ones(2)
    with Names() as names:
        tensor.requires_grad = True
    assert len(names.seen) == 1 and tensor.requires_grad


def test_a_subclass_may_keep_the_gradient_elsewhere() -> None:
    class Holder(torch.nn.Parameter):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            with torch._C.DisableTorchFunctionSubclass():
                return func(*(a.held if isinstance(a, cls) else a for a in args), **(kwargs or {}))

    holder = Holder(torch.empty(0))
    holder.__dict__["held"] = torch.nn.Parameter(torch.ones(2))
    holder.__dict__["held"].sum().backward()
    torch.optim.SGD([holder], 0.1).zero_grad()
    assert holder.__dict__["held"].grad is None
