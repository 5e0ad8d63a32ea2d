"""Forward derivatives of operators.

A rule takes an operator, its primal arguments, their tangents (None where zero) and its keyword
arguments, and returns the result and its tangent. Operators that are linear, or linear in several
arguments each, need only their row; others have a formula. The rest is derived from the backward
formula: an element-wise operator's Jacobian is diagonal, so one backward pass is enough; any other
needs the transpose of the backward pass, which is linear in the gradient that it is given.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import _C
from torch._transforms import functions
from torch._transforms.dual import (
    DualLevel,
    DualTensor,
    become_dual,
    has_tangent,
    materialized,
    tangent_of,
)
from torch._transforms.formulas import FORMULAS
from torch._transforms.levels import keeps_tangents, tensors_in, without_graph
from torch._transforms.operators import (
    BILINEAR,
    CONSTANT,
    ELEMENT_WISE,
    JOINTLY_LINEAR,
    LINEAR,
    VIEWS,
    ZERO,
    base_name,
    functional_of,
    operator_name,
)

Tensor = torch.Tensor
Rule = Callable[..., tuple[Any, Any]]

_rules: dict[Any, Rule] = {}
_in_place: dict[Any, Any] = {}


def rule_of(func: Any) -> Rule:
    """Return the rule of an operator."""
    rule = _rules.get(func)
    if rule is None:
        rule = _rules[func] = _find_rule(func)
    return rule


def _find_rule(func: Any) -> Rule:
    name, base = operator_name(func), base_name(func)
    for table, rule in _TABLES:
        if name in table or base in table:
            return rule
    formula = FORMULAS.get(name) or FORMULAS.get(base)
    if formula is None:
        return _element_wise if base in ELEMENT_WISE else _transposed

    def by_formula(func: Any, p: list[Any], t: list[Any], named: Any) -> tuple[Any, Any]:
        if any(tangent is not None for _, tangent in named.values()):
            return _transposed(func, p, t, named)
        found = formula(func, p, t, {key: value for key, (value, _) in named.items()})
        return _transposed(func, p, t, named) if found is NotImplemented else found

    return by_formula


# ---- linear operators ---------------------------------------------------------------------------


def _plain(named: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, (value, _) in named.items()}


def _constant(func: Any, p: list[Any], t: list[Any], named: Any) -> tuple[Any, Any]:
    return func(*p, **_plain(named)), None


def _zero(func: Any, p: list[Any], t: list[Any], named: Any) -> tuple[Any, Any]:
    out = func(*p, **_plain(named))
    return out, torch.zeros_like(out) if _differentiable(out) else None


def _linear(func: Any, p: list[Any], t: list[Any], named: Any) -> tuple[Any, Any]:
    """Call the operator on the tangent of its first argument."""
    keywords = _plain(named)
    out = func(*p, **keywords)
    if t[0] is None or (isinstance(out, Tensor) and not _differentiable(out)):
        return out, None
    return out, func(_filled(p[0], t[0]), *p[1:], **keywords)


def _detached(func: Any, p: list[Any], t: list[Any], named: Any) -> tuple[Any, Any]:
    """Leave out the tangent, unless a rule only needs a tensor without a graph."""
    if keeps_tangents():
        return _linear(func, p, t, named)
    return func(*p, **_plain(named)), None


def _differentiable(value: Tensor) -> bool:
    return value.is_floating_point() or value.is_complex()


def _jointly_linear(func: Any, p: list[Any], t: list[Any], named: Any) -> tuple[Any, Any]:
    """Call the operator on all tangents, with zeros for those that are missing."""
    keywords = _plain(named)
    places = JOINTLY_LINEAR.get(operator_name(func)) or JOINTLY_LINEAR[base_name(func)]
    tangents = [
        _filled(value, tangent) if i in places and value is not None else value
        for i, (value, tangent) in enumerate(zip(p, t, strict=True))
    ]
    return func(*p, **keywords), func(*tangents, **keywords)


def _filled(primal: Any, tangent: Any) -> Any:
    """Return the tangent with zeros in place of None."""
    if isinstance(primal, (list, tuple)):
        given = tangent or [None] * len(primal)
        return [_filled(p, t) for p, t in zip(primal, given, strict=True)]
    return torch.zeros_like(primal) if tangent is None else tangent


def _bilinear(func: Any, p: list[Any], t: list[Any], named: Any) -> tuple[Any, Any]:
    """Add the products of each factor's tangent with the other factors."""
    keywords = _plain(named)
    out = func(*p, **keywords)
    tangent = None
    for i, each in enumerate(t):
        if each is not None:
            term = func(*p[:i], each, *p[i + 1 :], **keywords)
            tangent = term if tangent is None else tangent + term
    return out, tangent


# ---- derived from the backward formula ----------------------------------------------------------


class _Tracked:
    """A call of an operator on arguments that a separate graph tracks."""

    def __init__(self, func: Any, p: list[Any], t: list[Any], named: dict[str, Any]) -> None:
        self.outer = torch.is_grad_enabled() and any(
            tensor.requires_grad
            for tensor in tensors_in((p, t, [list(pair) for pair in named.values()]))
        )
        self.inputs: list[Tensor] = []
        self.tangents: list[Tensor] = []
        with torch.enable_grad():
            args = [self._track(a, b) for a, b in zip(p, t, strict=True)]
            keywords = {key: self._track(*pair) for key, pair in named.items()}
            self.result = func(*args, **keywords)
        self.outputs = [o for o in _flat(self.result) if isinstance(o, Tensor) and o.requires_grad]

    def _track(self, primal: Any, tangent: Any) -> Any:
        if isinstance(primal, (list, tuple)) and tangent is not None:
            return [self._track(p, t) for p, t in zip(primal, tangent, strict=True)]
        if tangent is None or not isinstance(primal, Tensor):
            return primal
        keep = self.outer and primal.requires_grad
        tracked = primal.view_as(primal) if keep else without_graph(primal).requires_grad_()
        self.inputs.append(tracked)
        self.tangents.append(tangent)
        return tracked

    def finished(self, value: Any) -> Any:
        """Detach a result from the graph unless the tensors outside it have graphs too."""
        if isinstance(value, (list, tuple)):
            return type(value)(self.finished(each) for each in value)
        return value if self.outer or not isinstance(value, Tensor) else without_graph(value)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _flat(each)
    else:
        yield value


def _unflat(value: Any, tangents: dict[int, Any]) -> Any:
    if isinstance(value, (list, tuple)):
        return [_unflat(each, tangents) for each in value]
    return tangents.get(id(value))


def _element_wise(func: Any, p: list[Any], t: list[Any], named: Any) -> tuple[Any, Any]:
    """Multiply by the diagonal Jacobian, which is its own transpose."""
    if any(isinstance(v, Tensor) and v.is_complex() for v in p):
        return _transposed(func, p, t, named)  # the function may not be holomorphic
    call = _Tracked(func, *_broadcast(p, t), named)
    if not call.outputs or not isinstance(call.result, Tensor):
        return (
            (call.finished(call.result), None)
            if not call.outputs
            else _transposed(func, p, t, named)
        )
    out, total = call.result, None
    for tracked, tangent in zip(call.inputs, call.tangents, strict=True):
        weight = tangent.expand_as(out) if tangent.shape != out.shape else tangent
        with torch.enable_grad():
            (found,) = torch.autograd.grad(
                [out], [tracked], [weight.to(out.dtype)], retain_graph=True,
                create_graph=call.outer, allow_unused=True,
            )  # fmt: skip
        if found is not None:
            total = found if total is None else total + found
    if total is not None and total.dtype != out.dtype:
        total = total.to(out.dtype)
    return call.finished(out), total


def _broadcast(p: list[Any], t: list[Any]) -> tuple[list[Any], list[Any]]:
    """Expand tensors to their common shape, so that each Jacobian is diagonal.

    A 0-dim tensor takes part in the promotion of types by its kind alone: it stays as it is without a
    tangent, and is converted first with one.
    """
    tensors = [v for v in p if isinstance(v, Tensor)]
    shapes = {tuple(v.shape) for v in tensors}
    if len(shapes) < 2:
        return p, t
    shape = torch.broadcast_shapes(*shapes)
    full = [v for v in tensors if v.dim()]
    dtype = functools.reduce(torch.promote_types, (v.dtype for v in full))
    expanded = list(p), list(t)
    for i, value in enumerate(p):
        if not isinstance(value, Tensor):
            continue
        if value.dim():
            expanded[0][i] = value.expand(shape)
        elif t[i] is not None:
            like = torch.result_type(full[0].new_empty(1, dtype=dtype), value)
            expanded[0][i], expanded[1][i] = (v.to(like).expand(shape) for v in (value, t[i]))
        if value.dim() and t[i] is not None:
            expanded[1][i] = t[i].expand(shape)
    return expanded


def _transposed(func: Any, p: list[Any], t: list[Any], named: Any) -> tuple[Any, Any]:
    """Transpose the backward pass: differentiate it by the gradient that it is given."""
    call = _Tracked(func, p, t, named)
    if not call.outputs:
        return call.finished(call.result), None
    with torch.enable_grad():
        weights = [torch.zeros_like(o).requires_grad_() for o in call.outputs]
        try:
            grads = torch.autograd.grad(
                call.outputs, call.inputs, weights, create_graph=True, allow_unused=True
            )
            pairs = [
                (g, v)
                for g, v in zip(grads, call.tangents, strict=True)
                if g is not None and g.requires_grad
            ]
            found = torch.autograd.grad(
                [g for g, _ in pairs], weights, [v for _, v in pairs],
                create_graph=call.outer, allow_unused=True,
            ) if pairs else [None] * len(weights)  # fmt: skip
        except (NotImplementedError, RuntimeError) as error:
            if "not implemented" not in str(error) and "differentiate twice" not in str(error):
                raise
            raise NotImplementedError(_missing(func)) from error
    tangents = {
        id(o): torch.zeros_like(o).detach() if v is None else v
        for o, v in zip(call.outputs, found, strict=True)
    }
    return call.finished(call.result), _unflat(call.result, tangents)


def _missing(func: Any) -> str:
    name = base_name(func)
    return (
        f"Trying to use forward AD with {name} that does not support it because it has not been "
        "implemented yet."
    )


def _reduced(func: Any, p: list[Any], t: list[Any], named: Any) -> tuple[Any, Any]:
    """Sum the products of tangent and gradient, as each element is in one result only."""
    call = _Tracked(func, p, t, named)
    out, keywords = call.result, _plain(named)
    with torch.enable_grad():
        (grad,) = torch.autograd.grad(
            [out], call.inputs, [torch.ones_like(out)], create_graph=call.outer, allow_unused=True
        )
    if grad is None:
        return call.finished(out), torch.zeros_like(out).detach()
    product = grad.conj() * t[0]
    dim = keywords.get("dim", p[2] if len(p) > 2 else None)
    tangent = (product.real if product.is_complex() else product).sum(
        dim, keepdim=keywords.get("keepdim", p[3] if len(p) > 3 else False), dtype=out.dtype
    )
    return call.finished(out), tangent


_TABLES: list[tuple[Any, Rule]] = [
    (("linalg_vector_norm",), _reduced),
    (("detach",), _detached),
    (ZERO, _zero),
    (CONSTANT, _constant),
    (VIEWS, _linear),
    (LINEAR, _linear),
    (JOINTLY_LINEAR, _jointly_linear),
    (BILINEAR, _bilinear),
]


# ---- in-place and out= --------------------------------------------------------------------------


def in_place_rule(func: Any) -> Any:
    """Return the rule of an operator that writes its arguments, or None."""
    if func not in _in_place:
        _in_place[func] = _find_in_place(func)
    return _in_place[func]


def _find_in_place(func: Any) -> Any:
    base = base_name(func)
    if not func._schema.is_mutable or base in FORMULAS:
        return None
    if base == "detach_":
        return _forget_tangent
    if base in ("copy_", "fill_", "zero_", *_RANDOM):
        return _overwrite
    if not base.endswith("_"):
        return _refuse_out
    if base.removesuffix("_") in VIEWS:
        return _change_geometry
    functional = functional_of(func)
    if functional is None:
        return _refuse_out
    places = _places_of(functional, func)

    def rule(
        level: DualLevel, func: Any, args: Any, p: list[Any], t: list[Any], named: dict[str, Any]
    ) -> Any:
        pairs = {name: (value, None) for name, value in named.items()}
        if all(each is None for each in t):
            func(*p, **named)
            return args[0]
        written = p[0]
        if torch.is_grad_enabled() and any(each.requires_grad for each in tensors_in((p, t))):
            # A graph may save the overwritten values.
            p = [written.clone(), *p[1:]]
            t = [t[0] if t[0] is None else t[0].clone(), *t[1:]]
        if places is not None and len(p) == len(places):
            p, t = [p[i] for i in places], [t[i] for i in places]
        out, tangent = rule_of(functional)(functional, p, t, pairs)
        written.copy_(out)
        return _written(level, args[0], tangent)

    return rule


def _forget_tangent(
    level: DualLevel, func: Any, args: Any, p: list[Any], t: list[Any], named: dict[str, Any]
) -> Any:
    """Detach a tensor in place."""
    func(*p, **named)
    if level.owns(args[0]):
        args[0]._tangent, args[0]._origin = None, None
    return args[0]


def _places_of(functional: Any, func: Any) -> list[int] | None:
    """Return where the functional form's arguments are in those of the in-place form, if elsewhere."""
    names = [argument.name for argument in func._schema.arguments]
    places = [names.index(argument.name) for argument in functional._schema.arguments]
    return None if places == sorted(places) else places


def _change_geometry(
    level: DualLevel, func: Any, args: Any, p: list[Any], t: list[Any], named: dict[str, Any]
) -> Any:
    """Replace what a dual tensor holds by views."""
    dual = args[0]
    if not level.owns(dual):
        return func(*p, **named)
    functional = functional_of(func)

    def view(value: Any) -> Any:
        return functional(value, *p[1:], **named)

    dual._primal = view(p[0])
    if t[0] is not None:
        dual._tangent = view(t[0])
    if dual._origin is not None:
        origin, before = dual._origin
        dual._origin = origin, lambda tangent: view(before(tangent))
    _C._set_geometry_of(dual, dual._primal)
    return dual


_RANDOM = ("normal_", "uniform_", "random_", "bernoulli_", "exponential_", "geometric_", "cauchy_")


def _overwrite(
    level: DualLevel, func: Any, args: Any, p: list[Any], t: list[Any], named: dict[str, Any]
) -> Any:
    func(*p, **named)
    source = t[1] if len(t) > 1 and base_name(func) not in _RANDOM else None
    return _written(level, args[0], source)


def _written(level: DualLevel, destination: Any, tangent: Tensor | None) -> Any:
    """Give a tensor that was written its new tangent."""
    if not level.owns(destination):
        return destination
    own = tangent_of(destination)
    if own is None and tangent is not None:
        own = materialized(destination, tangent)
    if own is not None:
        if tangent is None:
            own.zero_()
        else:
            own.copy_(tangent)
    return destination


def _refuse_out(level: DualLevel, func: Any, args: Any, *rest: Any) -> Any:
    del level, args, rest
    raise NotImplementedError(
        f"Trying to use forward AD with {func.name()} that does not support it because it is an "
        "out= function"
    )


# ---- the level ----------------------------------------------------------------------------------


class RunningDual(DualLevel):
    """A level of forward-mode differentiation that calls operators by their rules."""

    def __init__(self) -> None:
        functions.install()
        super().__init__()

    def call(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call an operator on primal values, and its forward derivative on the tangents."""
        pairs = [self.split(value) for value in args]
        primals, tangents = [p for p, _ in pairs], [t for _, t in pairs]
        named = {name: self.split(value) for name, value in kwargs.items()}
        rule = in_place_rule(func)
        if rule is not None:
            if rule is not _refuse_out and has_tangent(tangents) and not self.owns(args[0]):
                become_dual(self, args[0])
                primals[0], tangents[0] = self.split(args[0])
            return rule(self, func, args, primals, tangents, _primals(named))
        if not any(has_tangent(t) for t in tangents) and not any(
            has_tangent(t) for _, t in named.values()
        ):
            result = self.join(func(*primals, **_primals(named)), None)
            if base_name(func) in VIEWS and base_name(func) != "detach":
                _note_origin(result, args[0], lambda t: func(t, *primals[1:], **_primals(named)))
            return result
        try:
            outputs = rule_of(func)(func, primals, tangents, named)
        except NotImplementedError as error:
            if not str(error).startswith("the derivative for"):
                raise
            raise NotImplementedError(_missing(func)) from error
        return self.join(*outputs)


def _primals(named: dict[str, tuple[Any, Any]]) -> dict[str, Any]:
    return {name: primal for name, (primal, _) in named.items()}


def _note_origin(result: Any, origin: Any, view: Any) -> None:
    if isinstance(result, DualTensor):
        result._origin = (origin, view)
    elif isinstance(result, (list, tuple)):
        for i, each in enumerate(result):
            each._origin = (origin, lambda t, i=i: view(t)[i])
