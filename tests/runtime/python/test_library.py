"""torch.ops and torch.library: calling operators by name, and defining them in Python."""

from __future__ import annotations

from typing import Any, Union

import pytest

import torch
from torch.library import Library


def test_overloads_resolve_by_type() -> None:
    a = torch.arange(3.0)
    assert torch.ops.aten.add(a, a).tolist() == [0.0, 2.0, 4.0]
    assert torch.ops.aten.add(a, 1).tolist() == [1.0, 2.0, 3.0]
    assert torch.ops.aten.add.Tensor(a, a, alpha=2).tolist() == [0.0, 3.0, 6.0]
    out = torch.empty(3)
    assert torch.ops.aten.add.out(a, a, out=out) is out
    assert torch.ops.aten.relu.default(a - 1).tolist() == [0.0, 0.0, 1.0]
    assert torch.ops.aten.sum.dim_IntList(a, [0]).item() == 3
    assert torch.ops.aten.index(a, [torch.tensor([2])]).item() == 2
    assert "Tensor" in torch.ops.aten.add.overloads()
    assert torch.ops.aten.max.dim(a, 0)[1].item() == 2


def test_unknown_names_and_arguments() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        assert torch.ops.aten.nonsense
    with pytest.raises(AttributeError, match="no overload name 'nonsense'"):
        assert torch.ops.aten.add.nonsense
    with pytest.raises(RuntimeError, match="missing value for argument 'other'"):
        torch.ops.aten.add.Tensor(torch.ones(2))
    with pytest.raises(
        RuntimeError, match="Expected a value of type 'Tensor' for argument 'other'"
    ):
        torch.ops.aten.add.Tensor(torch.ones(2), "x")
    with pytest.raises(RuntimeError, match="failed to match any schema"):
        torch.ops.aten.add("x", "y")


def test_schema_of_an_overload() -> None:
    schema = torch.ops.aten.add.Tensor._schema
    assert str(schema) == "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
    assert (schema.name, schema.overload_name, schema.is_mutable) == ("aten::add", "Tensor", False)
    alpha = schema.arguments[2]
    assert (alpha.name, alpha.type, alpha.kwarg_only) == ("alpha", "Scalar", True)
    assert alpha.has_default_value() and alpha.default_value == 1
    assert torch.ops.aten.add_.Tensor._schema.arguments[0].is_write
    assert [result.type for result in schema.returns] == ["Tensor"]


def test_schemas_of_a_name_and_of_all() -> None:
    named = torch._C._jit_get_schemas_for_operator("aten::add")
    assert torch.ops.aten.add.Tensor._schema in named
    assert {schema.name for schema in named} == {"aten::add"}
    assert set(named) <= set(torch._C._jit_get_all_schemas())
    assert torch._C._jit_get_schemas_for_operator("aten::no_such") == []


def test_operators_defined_at_run_time_are_found_by_name() -> None:
    library = Library("test_schemas", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    (schema,) = torch._C._jit_get_schemas_for_operator("test_schemas::twice")
    assert schema == torch._C.parse_schema("test_schemas::twice(Tensor x) -> Tensor")


def test_a_library_defines_and_implements() -> None:
    library = Library("test_defines", "DEF")
    library.define("scale(Tensor x, float by, *, int times=1) -> Tensor")
    library.impl("scale", lambda x, by, *, times: x * by * times, "CPU")
    scale = torch.ops.test_defines.scale
    assert scale(torch.ones(2), 2.0, times=3).tolist() == [6.0, 6.0]
    with pytest.raises(NotImplementedError, match="Meta"):
        scale(torch.ones(2, device="meta"), 2.0)
    library.impl("scale", lambda x, by, *, times: torch.empty_like(x), "Meta")
    assert scale(torch.ones(2, device="meta"), 2.0).is_meta


def test_several_results_and_lists() -> None:
    library = Library("test_results", "DEF")
    library.define("both(Tensor[] xs, int? n=None) -> (Tensor, Tensor[])")
    library.impl(
        "both", lambda xs, n=None: (xs[0] + (n or 0), list(xs)), "CompositeExplicitAutograd"
    )
    first, rest = torch.ops.test_results.both([torch.ones(1), torch.zeros(1)], 4)
    assert first.item() == 5
    assert len(rest) == 2


def test_exceptions_of_kernels_propagate() -> None:
    library = Library("test_raises", "DEF")
    library.define("fails(Tensor x) -> Tensor")

    def fails(x: torch.Tensor) -> torch.Tensor:
        raise KeyError("from Python")

    library.impl("fails", fails, "CPU")
    with pytest.raises(KeyError, match="from Python"):
        torch.ops.test_raises.fails(torch.ones(1))
    library.impl("fails", lambda x: "not a tensor", "Meta")
    with pytest.raises(RuntimeError, match="returned str"):
        torch.ops.test_raises.fails(torch.ones(1, device="meta"))


def test_destroying_a_library_removes_its_operators() -> None:
    library = Library("test_gone", "DEF")
    library.define("here(Tensor x) -> Tensor")
    assert torch.ops.test_gone.here
    library._destroy()
    assert not torch._C._get_operator_overloads("test_gone::here")


def test_an_override_is_undone_with_its_library() -> None:
    a = torch.ones(2)
    library = Library("aten", "IMPL")
    library.impl("neg", lambda x: x * 0 + 42, "CPU")
    assert torch.neg(a).tolist() == [42.0, 42.0]
    library._destroy()
    assert torch.neg(a).tolist() == [-1.0, -1.0]


def test_custom_op_infers_its_schema() -> None:
    @torch.library.custom_op("test_custom::clip", mutates_args=())
    def clip(x: torch.Tensor, low: float = 0.0, high: float | None = None) -> torch.Tensor:
        return x.clamp(low, high)

    assert clip(torch.tensor([-1.0, 5.0]), high=2.0).tolist() == [0.0, 2.0]
    assert torch.ops.test_custom.clip(torch.tensor([-1.0])).tolist() == [0.0]

    @clip.register_fake
    def _(x: torch.Tensor, low: float = 0.0, high: float | None = None) -> torch.Tensor:
        return torch.empty_like(x)

    assert clip(torch.zeros(2, device="meta")).is_meta


def test_define_and_impl_functions() -> None:
    torch.library.define("test_functions::twice", "(Tensor x) -> Tensor")

    @torch.library.impl("test_functions::twice", "cpu")
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x + x

    assert torch.ops.test_functions.twice(torch.ones(1)).item() == 2


def test_backward_through_an_operator_without_a_derivative_warns() -> None:
    library = Library("test_underived", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x.detach() * 2, "CPU")
    x = torch.ones(2, requires_grad=True)
    y = torch.ops.test_underived.twice(x)
    assert y.grad_fn.name() == "torch::autograd::WarnNotImplemented"
    with pytest.warns(UserWarning, match="test_underived::twice: an autograd kernel was not reg"):
        y.sum().backward()
    assert x.grad is None


def test_a_fallthrough_makes_the_missing_derivative_explicit() -> None:
    library = Library("test_passed_over", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x.detach() * 2, "CPU")
    library.impl("twice", torch.library.fallthrough_kernel, "Autograd")
    assert not torch.ops.test_passed_over.twice(torch.ones(2, requires_grad=True)).requires_grad


def test_bad_schemas_are_refused() -> None:
    library = Library("test_bad", "DEF")
    with pytest.raises(RuntimeError):
        library.define("broken(Tensor x")
    with pytest.raises(ValueError, match="Unsupported kind"):
        Library("x", "NONSENSE")
    with pytest.raises(TypeError, match="callable"):
        library.impl("x", 3)


def test_the_old_form_of_impl() -> None:
    library = Library("old_impl", "DEF")
    library.define("double(Tensor x) -> Tensor")

    @torch.library.impl(library, "double", "CPU")
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    assert torch.ops.old_impl.double(torch.ones(1)).item() == 2


def test_context_of_a_meta_kernel() -> None:
    assert torch.library.get_ctx() is None
    torch.library.define("context_of::sizes", "(Tensor x) -> Tensor")

    @torch.library.register_fake("context_of::sizes")
    def sizes(x: torch.Tensor) -> torch.Tensor:
        return torch.empty(torch.library.get_ctx().new_dynamic_size(), device="meta")

    with pytest.raises(RuntimeError, match="symbolic shapes"):
        torch.ops.context_of.sizes(torch.ones(1, device="meta"))


def test_rules_for_subclasses() -> None:
    class Plain(torch.Tensor):
        @classmethod
        def __torch_dispatch__(
            cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
        ) -> Any:
            raise AssertionError("the rule comes first")

    torch.library.define("rules_of::double", "(Tensor x) -> Tensor")
    torch.library.impl("rules_of::double", "cpu", lambda x: x * 2)

    @torch.library.register_torch_dispatch("rules_of::double", Plain)
    def rule(cls: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return torch.full((7,), 7.0)

    x = torch.Tensor._make_subclass(Plain, torch.ones(1))
    assert torch.ops.rules_of.double(x).shape == (7,)


def test_overloads_can_be_pickled() -> None:
    import pickle

    assert pickle.loads(pickle.dumps(torch.ops.aten.add.Tensor)) is torch.ops.aten.add.Tensor


def test_results_that_share_memory_with_arguments_are_refused() -> None:
    @torch.library.custom_op("aliases::same", mutates_args=())
    def same(x: torch.Tensor) -> torch.Tensor:
        return x

    with pytest.raises(RuntimeError, match="must not also be an input to this custom operator"):
        same(torch.ones(2))

    @torch.library.custom_op("aliases::views", mutates_args=())
    def views(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x.clone()
        return y, y[:1]

    with pytest.raises(RuntimeError, match="may not alias any inputs"):
        views(torch.ones(2))
    with pytest.raises(ValueError, match="prim is a reserved namespace"):
        torch.library.Library("prim", "DEF")


CPU = torch.device("cpu")


def test_defaults_of_all_kinds_are_stated_and_read_back() -> None:
    def scaled(
        x: torch.Tensor,
        least: Union[int, float, bool, None] = None,  # noqa: UP007 (libraries write it so)
        kind: torch.dtype = torch.bfloat16,
        place: torch.device = CPU,
        mode: str = "fast",
    ) -> torch.Tensor:
        return x.to(kind)

    text = torch.library.infer_schema(scaled, mutates_args=())
    assert text == (
        "(Tensor x, Scalar? least=None, ScalarType kind=bfloat16, "
        'Device place="cpu", str mode="fast") -> Tensor'
    )
    made = torch.library.custom_op("test_defaults::scaled", scaled, mutates_args=())
    assert made(torch.ones(1)).dtype is torch.bfloat16
    for name in ("float32", "half", "int8", "complex64", "bool", "float8_e4m3fn"):
        schema = torch._C.parse_schema(f"f(ScalarType kind={name}) -> ()")
        assert schema.arguments[0].default_value is getattr(torch, name)
    with pytest.raises(RuntimeError, match="default value"):
        torch._C.parse_schema("f(int kind=float32) -> ()")


def test_what_a_schema_cannot_state_is_refused() -> None:
    def clip(x: torch.Tensor, least: float = 0.0) -> torch.Tensor:
        return x.clamp(min=least)

    def stack(x: torch.Tensor, rest: list[torch.Tensor] = ()) -> torch.Tensor:
        return torch.stack([x, *rest])

    assert torch.library.infer_schema(clip, mutates_args="unknown").startswith("(Tensor(a0!) x")
    with pytest.raises(
        ValueError, match=r"\{'y'\} in mutates_args were not found in the custom op"
    ):
        torch.library.infer_schema(clip, mutates_args=("x", "y"))
    with pytest.raises(ValueError, match="Parameter rest has an unsupported default value type"):
        torch.library.infer_schema(stack, mutates_args=())


def test_kernels_of_a_custom_operator_can_be_disabled(caplog: pytest.LogCaptureFixture) -> None:
    @torch.library.custom_op("test_enabled::add", mutates_args=())
    def add(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    @add.register_kernel("cpu")
    def _(x: torch.Tensor) -> torch.Tensor:
        return x + 100

    x = torch.zeros(1)
    assert add(x).item() == 100
    with add.set_kernel_enabled("cpu", False):
        assert add(x).item() == 1
        with add.set_kernel_enabled("cpu"):
            assert add(x).item() == 100
        assert add(x).item() == 1
    with pytest.raises(KeyError), add.set_kernel_enabled("cpu", enabled=False):
        raise KeyError
    assert add(x).item() == 100 and not caplog.records
    with add.set_kernel_enabled("cuda"):
        assert add(x).item() == 100
    assert [record.getMessage() for record in caplog.records] == [
        "Attempted to enable kernel for cuda but no kernel was registered for this device type.",
        "Attempted to enable kernel for cuda but it was already enabled.",
    ]


def test_custom_operators_count_what_they_write_to() -> None:
    @torch.library.custom_op("test_versions::write", mutates_args={"x", "others"})
    def write(x: torch.Tensor, y: torch.Tensor, others: list[torch.Tensor]) -> None:
        pass

    write.register_fake(lambda x, y, others: None)
    x, y, others = torch.zeros(2), torch.zeros(2), [torch.zeros(1), torch.zeros(1)]
    write(x, y, others)
    torch.ops.test_versions.write(x=x, y=y, others=others)
    assert [t._version for t in (x, y, *others)] == [2, 0, 2, 2]
    view = x[:1]
    with torch.no_grad():
        write(view, y, [])
    assert x._version == view._version == 3
    meta = torch.empty(2, device="meta")
    write(meta, meta, [])
    assert meta._version == 1
    with torch.inference_mode():
        write(torch.zeros(1), y, [])


def test_custom_operators_that_write_are_seen_by_autograd() -> None:
    @torch.library.custom_op("test_versions::scale", mutates_args={"x"})
    def scale(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.mul_(2)
        return y.clone()

    leaf = torch.ones(2, requires_grad=True)
    saved = leaf.exp()
    result = scale(saved, leaf)
    assert result.requires_grad and "Exp" in type(saved.grad_fn).__name__
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        saved.sum().backward()
    with pytest.raises(RuntimeError, match="no autograd formula was registered"):
        result.sum().backward()


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((1.0,), {}, r"is missing value for argument 'b'. Declaration: told::scaled\(Tensor a"),
        ((1.0, "s"), {}, r"type 'str'.\nPosition: 1\nValue: 's'\nDeclaration: told::scaled"),
        ((1.0, 2.0, 3.0), {}, r"expected at most 2 argument\(s\) but received 3 argument\(s\)"),
        ((1.0, 2.0), {"c": 1}, "Unknown keyword argument 'c' for operator 'told::scaled'. Schema"),
        ((1.0, 2.0), {"b": 1}, "Argument 'b' specified both as positional and keyword argument"),
    ],
)
def test_the_only_overload_says_what_does_not_fit(args: Any, kwargs: Any, message: str) -> None:
    with torch.library._scoped_library("told", "FRAGMENT") as library:
        library.define("scaled(Tensor a, float b) -> Tensor")
        tensor = torch.tensor(args[0])
        with pytest.raises(RuntimeError, match=message):
            torch.ops.told.scaled(tensor, *args[1:], **kwargs)


def test_schemas_refuse_results_of_other_types() -> None:
    def name(x: torch.Tensor) -> str:
        return "x"

    def table(x: dict) -> torch.Tensor:  # type: ignore[type-arg]
        return x["x"]

    with pytest.raises(ValueError, match="Return has unsupported type <class 'str'>"):
        torch.library.infer_schema(name, mutates_args=())
    with pytest.raises(ValueError, match="Parameter x has unsupported type <class 'dict'>"):
        torch.library.infer_schema(table, mutates_args=())


def test_tags_of_a_custom_operator() -> None:
    @torch.library.custom_op(
        "test_library_tags::f", mutates_args=(), tags=torch.Tag.needs_fixed_stride_order
    )
    def f(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    assert {*f._opoverload.tags} == {
        torch.Tag.needs_fixed_stride_order,
        torch.Tag.pt2_compliant_tag,
    }


def test_a_kernel_is_only_replaced_if_that_is_allowed() -> None:
    library = torch.library.Library("test_library_replaced", "DEF")
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x + 1, "CPU", allow_override=False)
    with pytest.raises(RuntimeError, match="already a kernel registered from python"):
        library.impl("f", lambda x: x + 2, "CPU", allow_override=False)
    assert torch.ops.test_library_replaced.f(torch.zeros(1)).item() == 1
    library.impl("f", lambda x: x + 2, "CPU")
    assert torch.ops.test_library_replaced.f(torch.zeros(1)).item() == 2

    torch.library.register_fake("test_library_replaced::f", torch.empty_like, lib=library)
    torch.library.register_fake("test_library_replaced::f", torch.empty_like, lib=library)
    with pytest.raises(RuntimeError, match="already has a fake impl registered"):
        torch.library.register_fake(
            "test_library_replaced::f", torch.empty_like, allow_override=False
        )
