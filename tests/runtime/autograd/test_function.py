"""torch.autograd.Function: ctx, its node, and error messages."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import torch
from torch.autograd import Function, forward_ad, grad
from torch.autograd.function import once_differentiable


class Cube(Function):
    """x**3, which saves x."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return g * 3 * x * x


class Exp(Function):
    """exp with setup_context, which saves its output."""

    @staticmethod
    def forward(x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
        return (x * scale).exp()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        ctx.scale = inputs[1]
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> tuple[torch.Tensor, None]:
        (y,) = ctx.saved_tensors
        return g * y * ctx.scale, None


def function(**methods: Any) -> type[Function]:
    """Make a Function from lambdas."""
    return type("Made", (Function,), {name: staticmethod(f) for name, f in methods.items()})


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_gradients_of_every_order() -> None:
    assert torch.autograd.gradcheck(Cube.apply, leaf(1.0, 2.0))
    assert torch.autograd.gradgradcheck(Cube.apply, leaf(1.0, 2.0))
    assert torch.autograd.gradcheck(Exp.apply, leaf(1.0, 2.0))
    assert torch.autograd.gradgradcheck(Exp.apply, leaf(1.0, 2.0))


def test_defaults_and_keywords() -> None:
    x = leaf(1.0)
    assert grad(Exp.apply(x, scale=2.0), x)[0].item() == pytest.approx(2 * 7.389056, rel=1e-6)
    assert grad(Exp.apply(x), x)[0].item() == pytest.approx(2.7182818, rel=1e-6)
    with_ctx = function(forward=lambda ctx, x, k=2: x * k, backward=lambda ctx, g: (g, None))
    assert with_ctx.apply(x, k=5).item() == 5.0


def test_ctx_is_the_node() -> None:
    x = leaf(2.0)
    y = Cube.apply(x)
    node = y.grad_fn
    assert y.grad_fn is node
    assert type(node).__name__ == node.name() == "CubeBackward"
    assert type(node) is Cube._backward_cls
    assert node.saved_tensors[0] is x
    assert node.needs_input_grad == (True,)
    assert node.next_functions[0][0].variable is x
    node.note = "kept"
    del node
    gc.collect()
    assert y.grad_fn.note == "kept"
    assert repr(y.detach().requires_grad_()) != repr(y)
    assert "CubeBackward" in repr(y)


def test_a_python_reference_to_a_node_keeps_its_graph_alive() -> None:
    x = leaf(2.0)
    y = Cube.apply(x * x)
    node = y.grad_fn
    del y
    gc.collect()
    assert node.next_functions[0][0].name() == "MulBackward0"
    assert node.saved_tensors[0].item() == 4.0


def test_ctx_is_freed_with_the_graph() -> None:
    seen = []

    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        seen.append(weakref.ref(ctx))
        ctx.state = [1, 2]
        return x * 2

    made = function(forward=forward, backward=lambda ctx, g: g * 2)
    x = leaf(1.0)
    y = made.apply(x)
    assert seen[0]().state == [1, 2]
    z = y.sum()
    del y
    assert seen[0]() is not None
    z.backward()
    del z
    assert seen[0]() is None
    made.apply(torch.ones(1))
    assert seen[1]() is None


def test_cycles_through_ctx_are_collected() -> None:
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    made = function(forward=forward, backward=lambda ctx, g: g * 2)
    y = made.apply(leaf(1.0))
    y.grad_fn.output = y
    context = weakref.ref(y.grad_fn)
    del y
    gc.collect()
    assert context() is None


def test_several_outputs() -> None:
    split = function(
        forward=lambda ctx, x: (x * 2, "text", x * 3),
        backward=lambda ctx, a, text, b: a * 2 + b * 3,
    )
    x = leaf(1.0)
    a, text, b = split.apply(x)
    assert text == "text"
    assert a.grad_fn is b.grad_fn
    assert grad(a + b, x, retain_graph=True)[0].item() == 5.0
    assert grad(b, x)[0].item() == 3.0


def test_undefined_gradients_are_zeros_or_none() -> None:
    seen: list[Any] = []

    def backward(ctx: Any, a: Any, b: Any) -> Any:
        seen.append(b)
        return a

    zeros = function(forward=lambda ctx, x: (x * 1, x * 2), backward=backward)
    x = leaf(1.0, 2.0)
    zeros.apply(x)[0].sum().backward()
    assert seen.pop().tolist() == [0.0, 0.0]

    def forward(ctx: Any, x: torch.Tensor) -> Any:
        ctx.set_materialize_grads(False)
        return x * 1, x * 2

    function(forward=forward, backward=backward).apply(x)[0].sum().backward()
    assert seen.pop() is None


def test_non_differentiable_outputs() -> None:
    def forward(ctx: Any, x: torch.Tensor) -> Any:
        index = x.argsort()
        second = x * 2
        ctx.mark_non_differentiable(index, second)
        return x * 1, index, second

    made = function(forward=forward, backward=lambda ctx, a, b, c: a)
    a, index, second = made.apply(leaf(2.0, 1.0))
    assert a.requires_grad
    assert not index.requires_grad
    assert not second.requires_grad


def test_in_place_functions() -> None:
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(x)
        return x.mul_(2)

    double = function(forward=forward, backward=lambda ctx, g: g * 2)
    x = leaf(1.0)
    y = x * 1
    version = y._version
    z = double.apply(y)
    assert z is y
    assert y._version > version
    assert grad(y, x)[0].item() == 2.0
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        double.apply(x)
    forgets = function(
        forward=lambda ctx, x: (ctx.mark_dirty(x), x * 2)[1], backward=lambda ctx, g: g
    )
    with pytest.raises(RuntimeError, match="marked as dirty"):
        forgets.apply(x * 1)


def test_inputs_that_are_returned_become_views() -> None:
    same = function(forward=lambda ctx, x: x, backward=lambda ctx, g: g * 3)
    x = leaf(1.0)
    y = same.apply(x)
    assert y is not x
    assert y.data_ptr() == x.data_ptr()
    assert grad(y, x)[0].item() == 3.0


def test_needs_input_grad() -> None:
    seen: list[Any] = []

    def backward(ctx: Any, g: torch.Tensor) -> Any:
        seen.append(ctx.needs_input_grad)
        return g, None, None

    made = function(forward=lambda ctx, x, y, n: x + y * n, backward=backward)
    made.apply(leaf(1.0), torch.ones(1, dtype=torch.float64), 3).backward()
    assert seen == [(True, False, False)]


def test_forward_is_not_recorded() -> None:
    modes = []

    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        modes.append(torch.is_grad_enabled())
        return x * 2

    made = function(forward=forward, backward=lambda ctx, g: g * 2)
    y = made.apply(leaf(1.0))
    assert modes == [False]
    assert len(y.grad_fn.next_functions) == 1
    with torch.no_grad():
        assert made.apply(leaf(1.0)).grad_fn is None


@pytest.mark.parametrize(
    ("methods", "arguments", "message"),
    [
        ({"forward": lambda ctx, x: x * 2}, (), "must implement either the backward or vjp"),
        (
            {"forward": lambda ctx, x: x * 2, "backward": lambda ctx, g: (g, g)},
            (),
            r"incorrect number of gradients \(expected 1, got 2\)",
        ),
        (
            {"forward": lambda ctx, x, n: x * 2, "backward": lambda ctx, g: (g, g)},
            (3,),
            "gradient different than None at position 2",
        ),
        (
            {"forward": lambda ctx, x: x * 2, "backward": lambda ctx, g: 3},
            (),
            r"expected Variable or None \(got int\)",
        ),
        (
            {"forward": lambda ctx, x: x * 2, "backward": lambda ctx, g: torch.ones(3)},
            (),
            r"MadeBackward returned an invalid gradient at index 0 - got \[3\]",
        ),
        (
            {
                "forward": lambda ctx, x: (ctx.save_for_backward(3), x * 2)[1],
                "backward": lambda ctx, g: g,
            },
            (),
            "can only save variables, but argument 0 is of type int",
        ),
    ],
)
def test_mistakes_are_reported(methods: Any, arguments: Any, message: str) -> None:
    with pytest.raises((RuntimeError, TypeError, NotImplementedError), match=message):
        function(**methods).apply(leaf(1.0, 2.0), *arguments).sum().backward()


def test_surplus_nones_are_accepted() -> None:
    made = function(forward=lambda ctx, x: x * 2, backward=lambda ctx, g: (g, None, None))
    x = leaf(1.0)
    made.apply(x).backward()
    assert x.grad.item() == 1.0


def test_saved_tensors_are_freed() -> None:
    y = Cube.apply(leaf(1.0))
    node = y.grad_fn
    y.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        _ = node.saved_tensors
    with pytest.raises(RuntimeError, match="a second time"):
        y.backward()


def test_once_differentiable() -> None:
    square = function(
        forward=lambda ctx, x: (ctx.save_for_backward(x), x * x)[1],
        backward=once_differentiable(lambda ctx, g: g * 2 * ctx.saved_tensors[0]),
    )
    x = leaf(3.0)
    assert grad(square.apply(x), x)[0].item() == 6.0
    (first,) = grad((square.apply(x) * x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        first.sum().backward()


def test_instantiating_or_calling_a_function_class_is_an_error() -> None:
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = Cube()
    with pytest.raises(RuntimeError, match="Legacy autograd function"):
        instance(1)
    with pytest.raises(NotImplementedError, match="must implement the forward"):
        Function.apply(torch.ones(1))


def _function(forward: Any, jvp: Any) -> Any:
    methods = {"forward": forward, "jvp": jvp, "backward": lambda ctx, *grads: grads}
    return type("Made", (Function,), {k: staticmethod(v) for k, v in methods.items()})


def _in_place(ctx: Any, x: torch.Tensor) -> torch.Tensor:
    ctx.mark_dirty(x)
    return x.mul_(2)


def _with_constant(ctx: Any, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    constant = x.clone()
    ctx.mark_non_differentiable(constant)
    return x.clone(), constant


@pytest.mark.parametrize(
    ("forward", "jvp", "message"),
    [
        (_in_place, lambda ctx, t: t * 2, "must modify the corresponding gradient inplace"),
        (lambda ctx, x: x, lambda ctx, t: t, "the jvp is not returning a view"),
        (lambda ctx, x: x[:1], lambda ctx, t: t[:1].clone(), "the jvp is not returning a view"),
        (
            lambda ctx, x: x[:1],
            lambda ctx, t: t.clone()[:1],
            "not returning a view of the given grad input",
        ),
        (_with_constant, lambda ctx, t: (t, t), "at position 1, but  the corresponding forward"),
        (lambda ctx, x: x * 2, lambda ctx, t: (t, t), r"expected 1 but got 2"),
        (lambda ctx, x: x * 2, lambda ctx, t: 3, r"expected Variable or None \(got int\)"),
        (lambda ctx, x: x * 2, lambda ctx, t: t[:1], "has a different size than that of"),
    ],
)
def test_tangents_of_functions_must_fit_the_outputs(forward: Any, jvp: Any, message: str) -> None:
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.ones(2), torch.ones(2))
        with pytest.raises(RuntimeError, match=message):
            _function(forward, jvp).apply(x)


def test_tangents_of_inputs_that_are_returned() -> None:
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.ones(2), torch.ones(2))
        same = _function(_in_place, lambda ctx, t: t.mul_(2)).apply(x)
        assert same is x and forward_ad.unpack_dual(x).tangent.tolist() == [2, 2]
        view = _function(lambda ctx, x: x[:1], lambda ctx, t: t[:1]).apply(x)
        assert forward_ad.unpack_dual(view).tangent._base is forward_ad.unpack_dual(x).tangent


def test_gradients_of_constant_outputs_are_zeros() -> None:
    seen = []

    class Mixed(Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> Any:
            constant = x + 1
            ctx.mark_non_differentiable(constant)
            return constant, x * 2, x.int()

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            seen.extend(grads)
            return grads[1]

    x = torch.ones(2, requires_grad=True)
    Mixed.apply(x)[1].sum().backward()
    assert [g.tolist() for g in seen] == [[0, 0], [1, 1], [0, 0]]
    assert seen[2].dtype is torch.int32


def test_an_input_that_is_returned_keeps_its_class() -> None:
    class Kind(torch.Tensor):
        pass

    for requires_grad in (False, True):
        x = torch.ones(2, requires_grad=requires_grad).as_subclass(Kind)
        same = _function(lambda ctx, x: x, None).apply(x)
        assert type(same) is Kind and same.requires_grad == requires_grad
