"""Calls whose errors and results are compared with PyTorch's; runs in both interpreters.

`python scenarios.py FILE` writes {name: what came out} as JSON.
"""

from __future__ import annotations

import json
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import Function, backward, grad  # noqa: F401 (LINES name them)

SCENARIOS: dict[str, Callable[[], Any]] = {}


def scenario(function: Callable[[], Any]) -> Callable[[], Any]:
    """Register a scenario under its name."""
    SCENARIOS[function.__name__] = function
    return function


def leaf() -> torch.Tensor:
    return torch.ones(2, requires_grad=True)


def made(**methods: Any) -> Any:
    """Make a Function from lambdas."""
    return type("Made", (Function,), {name: staticmethod(f) for name, f in methods.items()})


LINES = """
(leaf() * 2).backward()
torch.ones(2).backward()
torch.ones(1).sum().backward()
grad(leaf().sum(), leaf())
grad(leaf().sum(), torch.ones(2))
grad(leaf() * 2, leaf(), torch.ones(3))
backward([3])
grad(leaf().sum(), [3])
grad(leaf().sum(), [])
backward(leaf().sum(), inputs=[])
backward(leaf().sum(), inputs=[torch.ones(2)])
backward(leaf() * 2, [3])
leaf().to(torch.complex64).sum().backward()
backward(leaf().to(torch.complex64).sum(), torch.tensor(1.0))
setattr(leaf() * 2, "requires_grad", False)
setattr(leaf() * 2, "requires_grad", True)
setattr(leaf(), "requires_grad", 1)
(leaf() * 2).requires_grad_(False)
torch.ones(2, dtype=torch.int64).requires_grad_()
setattr(torch.ones(2, dtype=torch.int64), "requires_grad", True)
torch.zeros(2, dtype=torch.int64, requires_grad=True)
torch.tensor([1], requires_grad=True)
setattr(leaf(), "grad", 3)
setattr(leaf(), "grad", torch.ones(3))
setattr(leaf(), "grad_fn", 3)
setattr(leaf(), "data", 3)
setattr(leaf(), "data", torch.ones(2, dtype=torch.int64))
torch.ones(2).retain_grad()
torch.ones(2).register_hook(print)
torch.ones(2).register_post_accumulate_grad_hook(print)
(leaf() * 1).register_post_accumulate_grad_hook(print)
leaf().numpy()
leaf().add_(1)
leaf()[0:1].add_(1)
(leaf() * 1).unbind()[0].add_(1)
(leaf() * 1)[0:1].detach_()
leaf().resize_(3)
torch.add(leaf(), 1, out=torch.empty(2))
made(forward=lambda ctx, x: x * 2).apply(leaf()).sum().backward()
made(forward=lambda ctx, x: x * 2, backward=lambda ctx, g: (g, g)).apply(leaf()).sum().backward()
made(forward=lambda ctx, x: x * 2, backward=lambda ctx, g: 3).apply(leaf()).sum().backward()
made(forward=lambda ctx, x: x * 2, backward=lambda ctx, g: g[:1]).apply(leaf()).sum().backward()
made(forward=lambda ctx, x: [x * 2], backward=lambda ctx, g: g).apply(leaf())
made(forward=lambda ctx, x: (x * 2, None), backward=lambda ctx, g, h: g).apply(leaf())
made(forward=lambda ctx, x: x, backward=lambda ctx, g: g).apply(leaf())
made(forward=lambda ctx, x: x.view(2, 1), backward=lambda ctx, g: g).apply(leaf())
made(forward=lambda ctx, x: (ctx.save_for_backward(3), x)[1]).apply(leaf())
made(forward=lambda ctx, x: (ctx.mark_dirty(x), x * 1)[1]).apply(leaf() * 1)
made(forward=lambda ctx, x: (ctx.mark_dirty(x), x.add_(1))[1]).apply(leaf())
torch.autograd.Function.apply(leaf())
(leaf() * leaf()).grad_fn(torch.ones(2))
(leaf() * leaf()).grad_fn()
leaf() * leaf()
leaf().sum()
leaf()[0]
[type(n).__name__ for n, _ in (leaf() * leaf()).sum().grad_fn.next_functions]
(leaf() * 2).grad_fn.next_functions[0][0].name()
leaf().unbind()[1].output_nr
(leaf() * 1).is_leaf
torch.tensor(1.0)[:]
torch.tensor(1.0)[1:]
torch.tensor(1.0)[0]
torch.tensor(1.0)[0,]
torch.tensor(1.0)[:, :]
torch.tensor(1.0)[[0]]
torch.tensor(1.0)[torch.tensor(0)]
torch.tensor(1.0)[None, 0]
torch.tensor(1.0).__setitem__(slice(None), 1)
torch.tensor(1.0).__setitem__(0, 1)
torch.floor_divide(leaf(), 2)
(leaf() * 1).floor_divide_(2).sum().backward()
torch.remainder(5.0, leaf()).sum().backward()
leaf().scatter(0, torch.tensor([0]), leaf(), reduce="add").sum().backward()
leaf().scatter(0, torch.tensor([0]), 2.0, reduce="multiply").sum().backward()
torch.bernoulli(leaf(), 0.5).sum().backward()
torch.ops.aten.copy(leaf(), leaf()).sum().backward()
(leaf() * leaf()).grad_fn._saved_x
[name for name in dir((leaf() * leaf()).grad_fn) if "saved" in name]
torch.autograd.set_grad_enabled(True)
grad(leaf().prod(), [leaf()], allow_unused=True)
"""


def outcome(call: Callable[[], Any]) -> list[str]:
    """Return the result of a call, or the type and message of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ["result", repr(call())]
    except Exception as error:
        return [type(error).__name__, str(error)]


@scenario
def saved_input_changed() -> None:
    x = leaf() * 1
    y = x * x
    x.add_(1)
    y.sum().backward()


@scenario
def saved_output_changed() -> None:
    x = (leaf() * 1).exp()
    x.add_(1)
    x.sum().backward()


@scenario
def backward_twice() -> None:
    y = (leaf() * leaf()).sum()
    y.backward()
    y.backward()


@scenario
def saved_after_release() -> Any:
    y = leaf() * leaf()
    y.sum().backward()
    return y.grad_fn._saved_self


@scenario
def inference_tensor_saved() -> Any:
    with torch.inference_mode():
        x = torch.ones(2)
    return leaf() * x


@scenario
def inference_tensor_requires_grad() -> Any:
    with torch.inference_mode():
        x = torch.ones(2)
    return x.requires_grad_()


@scenario
def view_of_no_grad_changed() -> Any:
    with torch.no_grad():
        x = leaf().view(2)
    return x.add_(1)


@scenario
def number_assigned_to_everything() -> Any:
    x = leaf() * 1
    x[...] = 5.0
    return [x, *x.grad_fn.next_functions[1:]]


@scenario
def tensor_without_dimensions_assigned() -> Any:
    x, value = torch.ones(2), torch.tensor(2.0, requires_grad=True)
    x[:] = value
    x.sum().backward()
    return x, value.grad


@scenario
def number_assigned_to_an_element() -> Any:
    x = leaf()
    y = x * 1
    y[0] = 5
    y.sum().backward()
    return y, x.grad


@scenario
def view_of_a_detached_base() -> Any:
    x = leaf()
    base = x * 2
    view = base[:1]
    base.detach_()
    view.sum().backward()
    return view, x.grad, base.requires_grad


@scenario
def view_of_a_detached_base_changed_since() -> Any:
    x = leaf()
    base = x * 2
    view = base[:1]
    base.detach_()
    base.mul_(3)
    view.sum().backward()
    return view, view.grad_fn.next_functions, x.grad


@scenario
def view_changed_after_its_base_was_detached() -> Any:
    base = leaf() * 2
    view = base[:1]
    base.detach_()
    return view.mul_(2)


@scenario
def hook_of_another_size() -> None:
    x = leaf()
    x.register_hook(lambda g: g[:1])
    x.sum().backward()


# ---- warnings from C++

LIBRARIES = []  # keeps the libraries and thus the operators alive


def operator(schema: str, kernel: Callable[..., Any], key: str = "CPU") -> Any:
    """Define an operator without its own autograd kernel."""
    library = torch.library.Library(f"scenario{len(LIBRARIES)}", "DEF")
    LIBRARIES.append(library)
    library.define(schema)
    library.impl(schema.partition("(")[0], kernel, key)
    return getattr(getattr(torch.ops, library.ns), schema.partition("(")[0])


def warned(call: Callable[[], Any]) -> Any:
    """Return the result of a call and its warnings, without the position in C++."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [str(warning.message).partition(" (Triggered")[0] for warning in caught]


def gradient_of(call: Callable[[torch.Tensor], Any]) -> Any:
    """Apply a call to a leaf; return the result, the gradient and the warnings of both passes."""
    x = leaf()
    result = warned(lambda: call(x))
    first = result[0][0] if isinstance(result[0], (list, tuple)) else result[0]
    return result, warned(lambda: grad(first.sum(), x, allow_unused=True))


OPERATORS = {
    "not_recorded": operator("f(Tensor x) -> Tensor", lambda x: x.detach() * 2),
    "recorded_below": operator("f(Tensor x) -> Tensor", lambda x: x.sin()),
    "returns_its_argument": operator("f(Tensor x) -> Tensor", lambda x: x),
    "composite": operator("f(Tensor x) -> Tensor", torch.sin, "CompositeImplicitAutograd"),
    "explicit_composite": operator("f(Tensor x) -> Tensor", torch.sin, "CompositeExplicitAutograd"),
    "two_results": operator("f(Tensor x) -> (Tensor, Tensor)", lambda x: (x.detach(), x.cos())),
    "a_list": operator("f(Tensor x) -> Tensor[]", lambda x: [x.detach() * 2, x.detach().long()]),
}
for name, call in OPERATORS.items():
    SCENARIOS[f"operator_{name}"] = lambda call=call: gradient_of(call)
    SCENARIOS[f"operator_{name}_twice"] = lambda call=call: gradient_of(
        lambda x: call(torch.stack(list(call(x))))
    )


@scenario
def operator_without_gradients() -> Any:
    call = OPERATORS["not_recorded"]
    with torch.no_grad():
        return call(leaf()), call(torch.ones(2)), call(torch.ones(4)[:2])


@scenario
def operator_on_meta() -> Any:
    call = operator("f(Tensor x) -> Tensor", torch.empty_like, "Meta")
    return call(torch.ones(2, device="meta", requires_grad=True)).grad_fn.name()


@scenario
def operator_changes_a_view() -> Any:
    call = operator("f(Tensor(a!) x) -> Tensor(a!)", lambda x: (x.detach().add_(1), x)[1])
    return gradient_of(lambda x: (base := x * 2, call(base[:1])))


@scenario
def operator_with_a_fallthrough() -> Any:
    call = operator("f(Tensor x) -> Tensor", lambda x: x.detach() * 2)
    LIBRARIES[-1].impl("f", torch.library.fallthrough_kernel, "Autograd")
    return call(leaf())


@scenario
def operator_in_a_thread() -> Any:
    caught = []
    call = OPERATORS["not_recorded"]
    thread = threading.Thread(target=lambda: caught.append(gradient_of(call)))
    thread.start()
    thread.join()
    return caught


@scenario
def warning_made_an_error_in_a_thread() -> Any:
    raised = []

    def run() -> None:
        try:
            OPERATORS["not_recorded"](leaf()).sum().backward()
        except UserWarning as warning:
            raised.append(str(warning).partition(" (Triggered")[0])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    return raised


@scenario
def complex_becomes_real() -> Any:
    z = torch.ones(2, dtype=torch.complex64)
    # No warning for truth values, and a single one for everything else.
    return [
        warned(lambda: z.to(torch.bool)),
        warned(lambda: torch.zeros(2).copy_(z)),
        warned(lambda: z.to(torch.int32)),
    ]


@scenario
def numbers_assigned_through_masks() -> Any:
    results = []
    for mask in (torch.tensor([True, False]), torch.tensor([[True, False], [False, True]])):
        x = torch.ones(2, 2, requires_grad=True)
        y = x * 1
        y[mask] = 5.0
        results.append((y, grad(y.sum(), x)))
    return results


def main() -> None:
    """Run all scenarios and write their outcomes."""
    results = {line: outcome(lambda line=line: eval(line)) for line in LINES.split("\n") if line}
    results |= {name: outcome(call) for name, call in SCENARIOS.items()}
    with open(sys.argv[1], "w") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
