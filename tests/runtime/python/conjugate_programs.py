"""Programs with conjugated and negated views. As a script, prints what PyTorch makes of them.

The script runs with the Python that TORCH_PEER names; it must not import anything of this project.
"""

from __future__ import annotations

import copy
import io
import json
import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.autograd.forward_ad as forward_ad
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten
PROGRAMS: dict[str, Callable[[], Any]] = {}


def program(function: Callable[[], Any]) -> Callable[[], Any]:
    PROGRAMS[function.__name__] = function
    return function


def given() -> torch.Tensor:
    return torch.tensor([1 + 2j, 3 - 4j, 0.5j])


def matrix() -> torch.Tensor:
    parts = torch.arange(24, dtype=torch.float32).view(3, 4, 2) / 7 - 1.5
    return torch.view_as_complex(parts)


def state(tensor: torch.Tensor, base: torch.Tensor | None = None) -> list[Any]:
    """Return the bits, whether it is a view, whether it is in the base's memory, and the values."""
    shared = None
    if base is not None:
        first, other = base.untyped_storage(), tensor.untyped_storage()
        shared = first.data_ptr() == other.data_ptr()
    values = tensor.resolve_conj().resolve_neg()
    return [tensor.is_conj(), tensor.is_neg(), tensor._is_view(), shared, values.tolist()]


class Record(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


def operators(function: Callable[[], Any]) -> list[str]:
    with Record() as mode:
        function()
    return mode.seen


def error(function: Callable[[], Any]) -> str:
    try:
        return f"returns {function()}"
    except Exception as raised:
        return f"{type(raised).__name__}: {raised}"


# ---- what is a view


@program
def views_of_the_same_memory():
    z = given()
    c = z.conj()
    made = [
        *(c, c.conj(), c.imag, c.real, c.imag.clone(), z._neg_view(), z._neg_view()._neg_view()),
        *(torch._conj(z), torch._neg_view(c), torch.real(c), torch.imag(c), c.detach(), c.data),
        *(c[0], c[:2], c.view(3, 1), c.reshape(1, 3), c.unsqueeze(0), c.expand(2, 3)),
        *(
            c.as_strided((2,), (1,)),
            *c.split(1),
            *c.unbind(),
            *c.chunk(2),
            c.squeeze(),
            c.flatten(),
        ),
        *(c.movedim(0, 0), c.unfold(0, 2, 1), c.view_as(z), c.narrow(0, 0, 1), c.t()),
        *(aten.alias(c), c.contiguous(), c.to(c.dtype), c.as_subclass(torch.Tensor)),
        *(torch.nn.Parameter(c), copy.copy(c), torch.asarray(c), torch.as_tensor(c), c.cpu()),
        *(torch.view_as_real(z._neg_view()), torch.view_as_complex(torch.ones(3, 2)._neg_view())),
    ]
    return [state(each, z) for each in made]


@program
def adjoints_are_views():
    m = matrix()
    made = [m.mH, m.H, m.adjoint(), torch.adjoint(m), m.t().conj(), m.mH.mH, m.mH.conj(), m.mT]
    return [[*state(each, m), list(each.stride())] for each in made]


@program
def real_tensors_are_returned():
    x = torch.ones(2)
    results = [
        x.conj(),
        torch.conj(x),
        x.resolve_conj(),
        x.resolve_neg(),
        x.conj_physical(),
        x.real,
    ]
    return [each is x for each in results] + [x.is_conj(), x.is_neg(), torch.is_neg(x)]


@program
def copies_have_no_bits():
    z = given()
    c, n = z.conj(), z.conj().imag
    both = c._neg_view()
    made = [
        *(c.clone(), n.clone(), both.clone(), c.resolve_conj(), n.resolve_neg(), c.resolve_neg()),
        *(both.resolve_conj(), both.resolve_neg(), n.resolve_conj(), c.conj_physical()),
        *(z.conj_physical(), both.conj_physical(), c.to(torch.complex128), n.double(), n.int()),
        *(c.to(c.dtype, copy=True), torch.tensor(c), torch.tensor(n), torch.tensor([c[0], c[1]])),
        *(c + 1, n * 2, c.neg(), n.neg(), -both, c.abs(), n.abs(), c.real.abs()),
        *(torch.cat([c, z]), torch.stack([n, n]), c.sum(), c.flip(0), c[[0, 2]], n > 0, c.angle()),
        *(torch._conj_copy(z), torch._conj_copy(c), torch._neg_view_copy(both)),
        *(torch._neg_view_copy(n), torch.conj_physical(z, out=torch.empty_like(z))),
        aten._conj_copy.out(z, out=torch.empty(0, dtype=torch.complex64)),
        *(torch.zeros_like(c), torch.ones_like(n), torch.full_like(c, 2), c.new_zeros(2)),
        *(copy.deepcopy(c), copy.deepcopy(n), copy.deepcopy(both), *torch.split_copy(c, 1)),
        *(c.repeat(2), torch.where(n > 0, c, z), c.diff(), torch.outer(c, c)),
    ]
    return [state(each, z) for each in made]


@program
def copies_keep_strides():
    c = matrix().t().conj()
    made = [
        *(c.resolve_conj(), c.clone(), c.sin(), c + 1, c.conj_physical(), c.imag.resolve_neg()),
        *(c.imag.sin(), c.contiguous(), c.imag.contiguous(), torch.empty_like(c.imag)),
    ]
    return [[list(each.stride()), each.tolist()] for each in made[:-1]] + [list(made[-1].stride())]


@program
def numbers():
    c = given().conj()
    n = c.imag
    return [
        *(c[0].item(), n[1].item(), complex(c[0]), float(n[0]), int(n[0]), bool(n[0])),
        *(c.tolist(), n.tolist(), c._neg_view().tolist(), f"{c[0]} {n[0]:.2f}", sum(n).item()),
        *(str(c), repr(n), str(c._neg_view()), [each.item() for each in c], (1 - 2j) in c),
        *(torch.equal(c, c.clone()), torch.allclose(c, c.clone()), n.any().item(), c.type()),
        torch.tensor([1, 2])._neg_view().tolist(),
    ]


@program
def outside_of_tensors():
    c = given().conj()
    n = c.imag
    return [
        *(error(c.numpy), error(n.numpy), error(c.__array__)),
        *(c.numpy(force=True).tolist(), n.numpy(force=True).tolist()),
        *(error(c.__dlpack__), error(lambda: torch.from_dlpack(c))),
        *(error(lambda: torch.view_as_real(c)), error(lambda: c.view(torch.float32))),
        *(error(lambda: c.view(torch.complex64)), error(lambda: n.view(torch.int32))),
        c.untyped_storage().tolist(),
        torch.empty(0, dtype=c.dtype).set_(c.untyped_storage(), 0, (3,)).tolist(),
        error(torch.tensor([True])._neg_view().tolist),
    ]


@program
def pickles():
    z = given()
    c = z.conj()
    results = []
    for each in (c, c.imag, c._neg_view(), torch.nn.Parameter(c)):
        for weights_only in (True, False):
            file = io.BytesIO()
            torch.save(each, file)
            file.seek(0)
            results.append(state(torch.load(file, weights_only=weights_only)))
        results.append(state(pickle.loads(pickle.dumps(each))))
    return [
        *results,
        [c.__reduce_ex__(2)[0].__name__, len(c.__reduce_ex__(2)[1]), c.__reduce_ex__(2)[1][-1]],
        [len(z.__reduce_ex__(2)[1]), torch._utils.get_tensor_metadata(c.imag)],
    ]


# ---- writes


@program
def writes_reach_the_storage():
    results = []

    def write(function: Callable[[torch.Tensor], Any]) -> None:
        z = given()
        returned = function(z)
        if isinstance(returned, torch.Tensor):
            results.append(state(returned, z))
        results.append([z.tolist(), z._version])

    write(lambda z: z.conj().mul_(2j))
    write(lambda z: z.conj().add_(z))
    write(lambda z: z.add_(z.conj()))
    write(lambda z: z.conj().add_(z.conj()))
    write(lambda z: (lambda c: c.mul_(c))(z.conj()))
    write(lambda z: torch.add(z, z * 1j, out=z.conj()))
    write(lambda z: torch.mul(z, z.conj(), out=z.conj()))
    write(lambda z: z.conj().copy_(torch.tensor([1j, 2j, 3j])))
    write(lambda z: z.conj().copy_(torch.tensor([1.0, 2.0, 3.0])))
    write(lambda z: z.copy_(z.conj()))
    write(lambda z: z.conj().copy_(z))
    write(lambda z: z.conj().imag.copy_(torch.tensor([1.0, 2.0, 3.0])))
    write(lambda z: z.conj().imag.copy_(torch.tensor([1, 2, 3])))
    write(lambda z: z.conj().imag.fill_(9))
    write(lambda z: z.conj().imag.neg_())
    write(lambda z: z.conj().imag.zero_())
    write(lambda z: z.conj()._neg_view().mul_(1j))
    write(lambda z: z.conj().conj_physical_())
    write(lambda z: z._neg_view().conj_physical_())
    write(lambda z: torch.conj_physical(z, out=z.conj()))
    write(lambda z: z.conj().__setitem__(0, 7 + 7j))
    write(lambda z: z.conj().__setitem__(slice(None), z))
    write(lambda z: z.conj().__setitem__([0, 2], torch.tensor([1j, 2j])))
    write(lambda z: setattr(z.conj(), "imag", torch.ones(3)))
    write(lambda z: setattr(z.conj(), "real", torch.ones(3)))
    write(lambda z: z.conj().index_fill_(0, torch.tensor([1]), 1j))
    write(lambda z: z.conj().masked_fill_(torch.tensor([True, False, True]), 1j))
    write(lambda z: z.conj()[1:].sub_(1j))
    write(lambda z: z.conj().reciprocal_())
    write(lambda z: torch.max(torch.eye(3), 0, out=(z.conj().imag, torch.zeros(3).long()))[0])
    write(lambda z: torch.frexp(torch.ones(3), out=(z.conj().imag, torch.zeros(3).int()))[0])
    write(lambda z: aten._conj_copy.out(z, out=z.conj()))
    write(lambda z: torch.cat([z[:1], z[1:].conj()], out=z.conj()))
    return results


@program
def out_tensors_are_resized():
    out = torch.empty(0, dtype=torch.complex64).conj()
    return [state(torch.add(given(), 1j, out=out)), out.is_conj()]


@program
def changes_of_metadata():
    z, other = given(), matrix()
    results = [
        state(z.clone().conj().set_(other)),
        state(z.clone().set_(other.conj())),
        state(z.clone().conj().set_(other.untyped_storage(), 0, (3,))),
        state(z.clone().conj().resize_(2)),
        state(other.conj().t_()),
        state(other.conj().unsqueeze_(0).squeeze_(0).transpose_(0, 1).as_strided_((2,), (1,))),
    ]
    a, b = z.clone(), z.clone().conj()
    a.data, b.data = z.conj(), z
    return [*results, state(a), state(b), state(z.clone().conj().share_memory_())]


# ---- autograd


@program
def nodes():
    w = given().requires_grad_()
    made = [
        *(w.conj(), w.conj().conj(), w.conj().imag, w.imag, w.conj().real, w.conj().resolve_conj()),
        *(w._neg_view(), w.conj_physical(), w.conj().detach().requires_grad_(), w.conj() + 1),
    ]
    return [type(each.grad_fn).__name__ for each in made]


@program
def gradients():
    results = []

    def gradient(function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        w = given().requires_grad_()
        value = function(w)
        value.backward(torch.full_like(value, 2 + 1j if value.is_complex() else 2))
        results.append([w.grad.is_neg(), w.grad.tolist()])

    gradient(lambda w: w.conj())
    gradient(lambda w: w.conj() * torch.tensor([1, 2, 3j]))
    gradient(lambda w: w.conj().imag)
    gradient(lambda w: w.conj().imag * w.conj().real)
    gradient(lambda w: w.conj()._neg_view())
    gradient(lambda w: torch._neg_view(w.imag))
    gradient(lambda w: (w.conj() * w).real)
    gradient(lambda w: w.conj().resolve_conj())
    gradient(lambda w: torch.view_as_real(w.conj().resolve_conj()))
    gradient(lambda w: torch.view_as_complex(torch.view_as_real(w) * 2).conj())
    gradient(lambda w: torch.outer(w, w.conj()))
    gradient(lambda w: w.expand(2, 3).mH)
    gradient(lambda w: torch.vdot(w.conj(), w))
    gradient(lambda w: w.conj().abs() * w.conj().angle())
    gradient(lambda w: torch.stack([w, w.conj()]).prod(0))
    return results


@program
def changes_in_graphs():
    results = []

    def gradient(function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        w = given().requires_grad_()
        value = function(w)
        (value * value.conj()).real.sum().backward()
        results.append([state(value), w.grad.tolist(), type(value.grad_fn).__name__])

    def change(before, write, after=lambda a: a):
        def run(w):
            a = before(w)
            write(a)
            return after(a)

        gradient(run)

    change(lambda w: w * 1, lambda a: a.conj().mul_(2j))
    change(lambda w: w * 1, lambda a: a.conj().imag.mul_(3))
    change(lambda w: w * 1, lambda a: a.conj()[1:].imag.pow_(2))
    change(lambda w: (w * 1).conj(), lambda a: a.mul_(1j), lambda a: a.imag)
    change(lambda w: (w * 1).conj(), lambda a: a.imag.mul_(3), lambda a: a.conj())
    change(lambda w: w * 1, lambda a: a._neg_view()[0].mul_(2j))
    change(lambda w: (w * 1).conj(), lambda a: a.conj_physical_())
    change(lambda w: w * 1, lambda a: a.conj_physical_())
    change(lambda w: w * 1, lambda a: a.conj().copy_(a * 2j))
    return results


@program
def second_derivatives():
    w = given().requires_grad_()
    first = torch.autograd.grad((w.conj() ** 3 * w).imag.sum(), w, create_graph=True)[0]
    second = torch.autograd.grad((first.conj() * first).real.sum(), w)[0]
    return [first.tolist(), second.tolist()]


# ---- modes and transforms


@program
def dispatched_operators():
    z, m = given(), matrix()
    c = z.conj()
    n = c.imag
    functions = [
        *(lambda: z.conj(), lambda: z.conj().conj(), lambda: z.conj() + 1, lambda: c + 1),
        *(lambda: c.resolve_conj(), lambda: n.resolve_neg(), lambda: z.imag, lambda: c.imag),
        *(lambda: c.real, lambda: n + 1, lambda: z.clone().conj().mul_(2), lambda: m.mH @ m),
        *(lambda: torch.add(z, z, out=z.clone().conj()), lambda: torch._neg_view(c) * 2),
        *(lambda: c.conj_physical(), lambda: z.conj_physical(), lambda: c.abs()),
        *(lambda: z.clone().copy_(c), lambda: c[0].item(), lambda: c.to(torch.complex128)),
        *(lambda: torch.stack([c, z]), lambda: torch._conj_copy(c), lambda: c[:2].expand(2, 2)),
        *(lambda: z.clone().conj().conj_physical_(), lambda: c.clone(), lambda: c.detach()),
    ]
    return [operators(each) for each in functions]


@program
def graphs():
    z = given()
    traced = [
        make_fx(lambda t: t.conj() + 1)(z),
        make_fx(lambda t: t.conj().imag * 2)(z),
        make_fx(lambda t: t + 1)(z.conj()),
        make_fx(torch.func.functionalize(lambda t: t.conj().add(t.imag)))(z),
        make_fx(torch.func.functionalize(lambda t: t.conj() * 2, remove="mutations_and_views"))(z),
    ]
    return [[str(node.target) for node in each.graph.nodes] for each in traced]


@program
def functionalized():
    results = []
    functions = [
        lambda t: t.conj(),
        lambda t: t.conj().mul_(2j),
        lambda t: (t * 1).conj().imag.mul_(2),
        lambda t: t.conj()._neg_view().add_(1j),
    ]
    for function in functions:
        for remove in ("mutations", "mutations_and_views"):
            z = given()
            result = torch.func.functionalize(function, remove=remove)(z)
            results.append([result.resolve_conj().resolve_neg().tolist(), z.tolist()])
    return results


@program
def transforms():
    z = given()
    c = z.conj()
    inside = []

    def conjugate(t):
        inside.append([t.is_conj(), t.conj().is_conj()])
        return t.conj()

    mapped = [
        torch.vmap(conjugate)(z),
        torch.vmap(conjugate)(c),
        torch.vmap(lambda t: (t.conj() * 2).imag)(z),
        torch.vmap(lambda t: t.sin())(c),
        torch.func.grad(lambda t: (t.conj() * t).real.sum())(z),
        torch.func.grad(lambda t: (t.conj() * t).real.sum())(c),
        *torch.func.jvp(lambda t: t.conj(), (z,), (z,)),
        *torch.func.jvp(lambda t: t * t.conj(), (c,), (c,)),
        *torch.func.jvp(lambda t: t.conj().imag, (z,), (c,)),
        torch.func.vjp(lambda t: t.conj(), z)[1](z)[0],
    ]
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(z, z * 1j)
        for each in (dual.conj(), dual.conj().imag, forward_ad.make_dual(c, z)):
            mapped += [forward_ad.unpack_dual(each).primal, forward_ad.unpack_dual(each).tangent]
    bits = [[each.is_conj(), each.is_neg()] for each in mapped]
    return [inside, bits[:2], [each.resolve_conj().resolve_neg().tolist() for each in mapped]]


@program
def inference():
    with torch.inference_mode():
        z = given().clone()
        made = [
            *(z.conj(), z.conj().reshape(1, 3), z.conj().imag, z.conj().contiguous()),
            *(torch.stack([z.conj()]), z.conj().flatten(), z.conj().expand(2, 3).mT, z.conj() @ z),
        ]
        return [state(each, z) for each in made]


@program
def meta():
    z = torch.empty(2, 3, dtype=torch.complex64, device="meta")
    c = z.conj()
    made = [
        *(c, c.imag, c + 1, c.clone(), c.mul_(2), c.mH, c[0], c.resolve_conj(), c.sum(), c @ z.t()),
        given().conj().to("meta"),
    ]
    return [[each.is_conj(), each.is_neg(), list(each.shape), list(each.stride())] for each in made]


@program
def vector_products():
    u, v = given(), given() * (1 + 1j)
    pairs = [(u, v), (u.conj(), v), (u, v.conj()), (u.conj(), v.conj()), (u.imag, v.conj().imag)]
    made = [function(*pair) for function in (torch.dot, torch.vdot) for pair in pairs]
    w = given().requires_grad_()
    (torch.vdot(w, w.conj()) * torch.dot(w.conj(), v.conj())).abs().backward()
    return [*map(state, made), w.grad.tolist()]


@program
def products():
    a, b = matrix(), matrix().flip(0)
    v = b[0]
    batch = torch.stack([a, b])
    results = [
        *(a.mH @ b, a @ b.mH, a.conj() @ b.t(), a.mH.conj() @ b, (a.mH @ b).mH, a.conj() @ v),
        *(a @ v.conj(), torch.dot(v.conj(), v), torch.vdot(v.conj(), v), torch.vdot(v, v.conj())),
        *(torch.bmm(batch.mH, batch), torch.bmm(batch, batch.mH), torch.mv(a.conj(), v)),
        torch.addmm(torch.eye(4).to(a.dtype).conj(), a.mH, b.conj(), beta=2j, alpha=1j),
        torch.addmv(v.conj(), a.mH, a[:, 0].conj()),
        torch.baddbmm(torch.zeros(2, 4, 4, dtype=a.dtype), batch.mH, batch.conj(), beta=0),
        torch.mm(a.mH, b, out=torch.empty(4, 4, dtype=a.dtype).conj()),
        torch.mm(a.mH, b, out=torch.empty(4, 4, dtype=a.dtype).mH),
        *(torch.matmul(batch.conj(), b.mH), torch.einsum("ij,kj->ik", a.conj(), b.conj())),
        *(torch.linalg.vecdot(a.conj(), b), torch.linalg.multi_dot([a.mH, b, a.mH])),
        *(torch.nn.functional.linear(a.conj(), b.conj()), torch.inner(v.conj(), v)),
        *(
            torch.addmm(a.mH[:, :3].conj(), a.mH, b[:, :3].conj()),
            torch.zeros(0, 3, dtype=a.dtype).conj() @ b,
        ),
    ]
    return [[list(each.stride()), each.tolist()] for each in results]


@program
def decompositions():
    a = matrix()[:, :3].contiguous() + 2 * torch.eye(3)
    c = a.mH
    solved = [
        *(
            torch.linalg.solve(c, a),
            torch.linalg.solve(a, c),
            torch.linalg.inv(c),
            torch.linalg.det(c),
        ),
        *(
            torch.linalg.svdvals(c),
            torch.linalg.cholesky(c @ c.mH),
            torch.linalg.eigvalsh(c @ c.mH),
        ),
        torch.linalg.solve_triangular(c.triu(), a.conj(), upper=True),
        *(torch.fft.fft(c), torch.fft.ifft(c), torch.fft.irfft(c.conj()), torch.fft.rfft(c.imag)),
    ]
    return [each.tolist() for each in solved]


@program
def layers_and_optimizers():
    layer = torch.nn.Linear(1, 1, dtype=torch.complex64)
    ones = torch.full((1, 1), 1 + 1j).conj()
    layer.load_state_dict({"weight": ones, "bias": ones[0]})
    result = [state(each.detach()) for each in layer.parameters()]
    w = given().requires_grad_()
    w.grad = (2 * given()).conj()
    torch.optim.SGD([w], lr=0.5).step()
    return [*result, w.tolist()]


@program
def foreach():
    z = given()
    targets = [z.clone(), torch.ones(3)]
    torch._foreach_add_(targets, [z.conj(), z.conj().imag])
    added = torch._foreach_mul([z.conj(), z.conj().imag], 2)
    return [[each.tolist() for each in targets], [state(each) for each in added]]


def plain(value: Any) -> Any:
    """Return a result as JSON can hold it."""
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return value


def outcomes() -> dict[str, Any]:
    """Return the results of all programs."""
    results = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, function in PROGRAMS.items():
            try:
                results[name] = plain(function())
            except Exception as raised:
                results[name] = f"{type(raised).__name__}: {raised}"
    return results


if __name__ == "__main__":
    json.dump(outcomes(), sys.stdout)
