"""torch.vmap: batching rules against a loop over the elements, and what it accepts and refuses."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, jvp, stack_module_state, vmap

_W = torch.linspace(-1, 1, 10).reshape(5, 2)


def _assigned(a: Any, b: Any) -> Any:
    c = a.clone()
    c[0] = b[1]
    c[:, 1] = 0
    c[torch.tensor([1, 2])] = b[:2]
    return c


_RULES: dict[str, Callable[[Any, Any], Any]] = {
    "point-wise": lambda a, b: torch.where(a > 0, a * b, -b) + a.clamp(-1, 1) + torch.add(a, b, alpha=2),
    "promotion": lambda a, b: a.sum().double() * b + b[0, 0],
    "products": lambda a, b: (a @ b.T) @ (a @ _W)[:, :1] + a @ b[0][:, None],
    "linear": lambda a, b: F.linear(a, b, torch.ones(4)) + F.linear(a, _W.T)[:, :1],
    "contractions": lambda a, b: torch.einsum("ij,kj->ik", a, b) + torch.tensordot(a, b, ([1], [1])),
    "outer": lambda a, b: torch.outer(a[0], b[0]) * torch.dot(a[0], b[1]),
    "reductions": lambda a, b: a.sum(0) * b.sum() + a.max(0)[0] + b.max() + a.prod(0) + b.amin(),
    "moments": lambda a, b: a.var() + b.std(1) + a.mean() + a.norm() + b.norm(dim=1).sum(),
    "arguments": lambda a, b: a.argmax() + b.argmin(1),
    "softmax": lambda a, b: a.softmax(-1) * b.log_softmax(0) + a.logsumexp(1)[:, None],
    "order": lambda a, b: a.sort(1)[0] + b.topk(2, 0)[0].sum() + a.kthvalue(2, 1)[0].sum(),
    "scan": lambda a, b: a.cumsum(1) + b.cumprod(0),
    "views": lambda a, b: a.reshape(2, 10).t().contiguous().view(4, 5) + b.unsqueeze(1).expand(4, 3, 5)[:, 0],
    "diagonals": lambda a, b: a.diagonal().sum() + torch.diag(b[0]).sum() + a.tril() + b.triu(1),
    "joined": lambda a, b: torch.stack([torch.cat([a, b]), torch.cat([b, a])], -1).flip(0).roll(1, 1),
    "fourier": lambda a, b: torch.fft.rfft(a).abs() + torch.fft.irfft(torch.fft.fft2(b), n=3),
    "parts": lambda a, b: torch.stack(a.unbind(1)) + b.chunk(5, 1)[0].T + b.roll(2)[0, 0],
    "indices": lambda a, b: a[torch.tensor([0, 2])] + b[:, :1][1:3] + a[:, torch.tensor([0, 2])].sum(),
    "batched indices": lambda a, b: a[b.argmax(0) % 4] + a[:, b.argmax(1) % 4].sum(),
    "gather": lambda a, b: a.gather(1, b.argsort(1)) + torch.zeros_like(a).scatter_add(1, b.argsort(1), a),
    "in place": lambda a, b: a.clone().mul_(b).add_(1),
    "assignment": _assigned,
    "masks": lambda a, b: a.masked_fill(b > 0, 0.0) + F.one_hot(b.argmax(1) % 4, 5),
    "losses": lambda a, b: F.mse_loss(a, b) + F.binary_cross_entropy_with_logits(a, b.sigmoid()),
    "cross entropy": lambda a, b: F.cross_entropy(a, torch.tensor([0, 1, 2, 3])) + F.cross_entropy(a, b.argmax(1)),
    "nll_loss": lambda a, b: F.nll_loss(a.log_softmax(1), b.argmax(1), reduction="sum"),
    "convolutions": lambda a, b: F.conv1d(a[None], torch.ones(2, 4, 3)) + F.conv1d(a[None], b[None, :, :3], torch.ones(1)),
    "pooling": lambda a, b: F.max_pool2d(a[None, None], 2) + F.avg_pool2d(b[None], 2),
    "resizing": lambda a, b: F.interpolate(a[None, None], scale_factor=2) + F.pad(b, (0, 5, 4, 0)),
    "layer_norm": lambda a, b: F.layer_norm(a, (5,), b[0]) + F.rms_norm(b, (5,)),
    "batch_norm": lambda a, b: F.batch_norm(a, torch.zeros(5), torch.ones(5)) + F.batch_norm(b, None, None, training=True),
    "group_norm": lambda a, b: F.group_norm(a[None], 2),
    "attention": lambda a, b: F.scaled_dot_product_attention(a[None], b[None], a[None]),
    "embedding": lambda a, b: F.embedding(b.argmax(1) % 4, a),
    "activations": lambda a, b: F.gelu(a) * F.silu(b) + F.prelu(a, torch.tensor([0.2])) + F.softplus(b),
    "gated": lambda a, b: F.glu(a, 0) + F.normalize(b, dim=1)[:2] + F.cosine_similarity(a, b)[0],
    "solves": lambda a, b: torch.linalg.solve(a @ a.T + torch.eye(4), b) + torch.linalg.det(a @ a.T),
    "inverse": lambda a, b: torch.linalg.inv(a @ a.T + torch.eye(4)) + torch.linalg.cholesky(b @ b.T + torch.eye(4)),
}  # fmt: skip


def _close(a: Any, b: Any) -> None:
    torch.testing.assert_close(a, b, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("name", _RULES)
def test_rules_agree_with_a_loop(name: str) -> None:
    function = _RULES[name]
    torch.manual_seed(0)
    a, b = torch.randn(3, 4, 5), torch.randn(3, 4, 5)
    each = [function(a[i], b[i]) for i in range(3)]
    result = vmap(function)(a, b)
    assert type(result) is torch.Tensor
    _close(result, torch.stack(each))
    _close(vmap(function, in_dims=(1, 0))(a.movedim(0, 1), b), torch.stack(each))
    if not result.is_floating_point():
        return

    def scalar(a: Any, b: Any) -> Any:
        return (function(a, b) ** 2).sum()

    expected = torch.stack([grad(scalar)(a[i], b[i]) for i in range(3)])
    _close(vmap(grad(scalar))(a, b), expected)
    leaf = a.clone().requires_grad_()
    (vmap(function)(leaf, b) ** 2).sum().backward()
    _close(leaf.grad, expected)
    products = torch.stack([jvp(scalar, (a[i], b[i]), (b[i], a[i]))[1] for i in range(3)])
    _close(vmap(lambda a, b: jvp(scalar, (a, b), (b, a))[1])(a, b), products)
    _close(jvp(vmap(scalar), (a, b), (b, a))[1], products)


@pytest.mark.parametrize("shape", [(0, 2, 4), (3, 0, 4)])
def test_convolutions_without_elements_have_batched_gradients(shape: tuple[int, ...]) -> None:
    x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(4, shape[1], 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(F.conv1d, (x, weight), check_batched_grad=True)


_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "product": lambda t: t * 0.1,
    "choice with a number": lambda t: torch.where(t > 0.5, 0.1, t),
    "choice between numbers": lambda t: torch.where(t > 0.5, 0.1, 2),
    "choice between whole numbers": lambda t: torch.where(t > 0.5, 1, 2),
    "composite": lambda t: torch.logit(t, 0.1),
}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
@pytest.mark.parametrize("name", _NUMBERS)
def test_numbers_do_not_change_the_dtype_of_scalars(name: str, dtype: torch.dtype) -> None:
    function, scalars = _NUMBERS[name], torch.tensor([0.25, 0.75], dtype=dtype)
    expected = torch.stack([function(t) for t in scalars])
    torch.testing.assert_close(vmap(function)(scalars), expected)


def test_every_point_wise_operator_has_the_rule() -> None:
    from torch._transforms.batching import rule_of

    path = Path(__file__).parents[3] / "aten/src/ATen/native/native_functions.yaml"
    lacking = set()
    for entry in yaml.load(path.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        name, _, overload = entry["func"].partition("(")[0].partition(".")
        kernels = entry.get("dispatch", {})
        composite = not kernels and "structured_delegate" not in entry
        if composite or "CompositeImplicitAutograd" in kernels:
            continue  # a mode sees what it calls
        if "pointwise" not in str(entry.get("tags")) or "out" in overload:
            continue
        func = getattr(getattr(torch.ops.aten, name), overload or "default")
        if rule_of(func).__name__ == "loop":
            lacking.add(name)
    assert not lacking


def test_distances() -> None:
    a, b = torch.randn(3, 4, 5), torch.randn(3, 6, 5)
    _close(vmap(torch.cdist)(a, b), torch.cdist(a, b))
    found = vmap(grad(lambda a, b: torch.cdist(a, b).sum()))(a, b)
    _close(
        found,
        torch.stack([grad(lambda a, b: torch.cdist(a, b).sum())(a[i], b[i]) for i in range(3)]),
    )


def test_dims_of_arguments_and_results() -> None:
    x = torch.randn(2, 3, 4)
    assert vmap(lambda t: t, out_dims=-1)(x).shape == (3, 4, 2)
    assert vmap(lambda t: (t, t * 2), out_dims=(0, 1))(x)[1].shape == (3, 2, 4)
    tree = vmap(lambda d: {"sum": d["a"][0] + d["b"]}, in_dims=({"a": (1,), "b": None},))(
        {"a": (x,), "b": torch.ones(4)}
    )
    _close(tree["sum"], x.movedim(1, 0) + 1)
    _close(vmap(vmap(torch.dot, (0, None)), (None, 0))(x[0], x[1]), x[1] @ x[0].T)
    _close(vmap(lambda t: t.sum(), chunk_size=2)(x.reshape(-1, 4)), x.reshape(-1, 4).sum(1))
    assert vmap(lambda t: torch.ones(2))(x).shape == (2, 2)
    constant = vmap(lambda t: torch.ones(2), out_dims=None)(x)  # type: ignore[arg-type]
    assert constant.shape == (2,)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: vmap(torch.sin, in_dims="0")(x), ValueError, "expected `in_dims` to be int"),
        (lambda x: vmap(torch.sin)(), ValueError, "got no inputs"),
        (lambda x: vmap(torch.add, in_dims=(0,))(x, x), ValueError, "not compatible"),
        (
            lambda x: vmap(torch.add, in_dims=(0, 0))(x, 3),
            ValueError,
            "cannot vmap over non-Tensor",
        ),
        (lambda x: vmap(torch.sin, in_dims=5)(x), ValueError, "expected in_dim to satisfy"),
        (lambda x: vmap(torch.add)(x, x[:1]), ValueError, "same size in the mapped dimension"),
        (lambda x: vmap(lambda t: 1)(x), ValueError, "must only return Tensors"),
        (lambda x: vmap(lambda t: t, out_dims=None)(x), ValueError, "out_dim is None"),
        (lambda x: vmap(lambda t: t.sum().item())(x), RuntimeError, ".item()"),
        (lambda x: vmap(lambda t: t.nonzero())(x), RuntimeError, "dynamic shape"),
        (lambda x: vmap(lambda t: torch.zeros(3).add_(t))(x), RuntimeError, "more elements"),
        (lambda x: vmap(lambda t: t + torch.randn(3))(x), RuntimeError, "randomness error mode"),
        (lambda x: vmap(lambda t: 1 if t.sum() > 0 else 2)(x), RuntimeError, "control flow"),
        (lambda x: vmap(lambda t: torch.equal(t, t))(x), RuntimeError, "rule not implemented for"),
        (lambda x: vmap(lambda t: t[t > 0])(x), RuntimeError, "indexing with a boolean mask"),
        (lambda x: vmap(lambda t: t.tolist())(x), RuntimeError, "Cannot access data pointer"),
        (lambda x: vmap(torch.sin, randomness="any")(x), RuntimeError, "Only allowed values"),
        (lambda x: vmap(torch.sin, chunk_size=0)(x), ValueError, "chunk_size"),
    ],
)
def test_errors(call: Callable[[Any], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(torch.randn(2, 3))


@pytest.mark.filterwarnings("error")
def test_least_squares_of_all_elements_at_once() -> None:
    A, b = torch.randn(3, 5, 2), torch.randn(3, 5, 2)
    _close(vmap(torch.linalg.lstsq)(A, b).solution, torch.linalg.lstsq(A, b).solution)
    expected = torch.linalg.lstsq(A, b, driver="gels").residuals
    _close(vmap(lambda a, r: torch.linalg.lstsq(a, r, driver="gels").residuals)(A, b), expected)
    one = vmap(lambda t: torch.linalg.lstsq(A[0], t).solution)(b[..., :1])
    _close(one, torch.linalg.lstsq(A[:1].expand(3, 5, 2), b[..., :1]).solution)
    A[1, :, 1] = A[1, :, 0]
    assert vmap(lambda a, t: torch.linalg.lstsq(a, t, driver="gelsd").rank)(A, b).tolist() == [
        2,
        1,
        2,
    ]


def test_a_missing_rule_loops_and_warns() -> None:
    from torch._transforms import batch_calls

    batch_calls._warned.clear()
    x = torch.rand(2, 5)
    with pytest.warns(UserWarning, match="performance drop"):
        found = vmap(lambda t: torch.histc(t, 3, 0, 1))(x)
    _close(found, torch.stack([torch.histc(t, 3, 0, 1) for t in x]))


def test_ensembles_and_per_sample_gradients() -> None:
    torch.manual_seed(0)
    models = [
        nn.Sequential(nn.Conv2d(3, 4, 3), nn.GroupNorm(2, 4), nn.Flatten(), nn.Linear(64, 2))
        for _ in range(3)
    ]
    images, labels = torch.randn(5, 3, 6, 6), torch.randint(2, (5,))
    parameters, buffers = stack_module_state(models)  # type: ignore[arg-type]
    found = vmap(lambda p, b, x: functional_call(models[0], (p, b), (x,)), (0, 0, None))(
        parameters, buffers, images
    )
    _close(found, torch.stack([model(images) for model in models]))

    def loss(p: Any, x: Any, y: Any) -> Any:
        return F.cross_entropy(functional_call(models[0], p, (x[None],)), y[None])

    own = {name: p.detach() for name, p in models[0].named_parameters()}
    each = vmap(grad(loss), (None, 0, 0))(own, images, labels)
    for i in range(5):
        expected = grad(loss)(own, images[i], labels[i])
        for name in own:
            _close(each[name][i], expected[name])
    assert not each["0.weight"].requires_grad


class _Cube(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any) -> Any:
        return x**3, x.sum()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Any, of_sum: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2 + of_sum

    @staticmethod
    def jvp(ctx: Any, tangent: Any) -> Any:
        (x,) = ctx.saved_tensors
        return tangent * 3 * x**2, tangent.sum()


class _Scaled(torch.autograd.Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return x * 2

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any) -> Any:
        assert info.batch_size == 2
        return _Scaled.apply(x), in_dims[0]


def test_functions() -> None:
    x, ones = torch.randn(2, 3), torch.ones(2, 3)

    def cube(x: Any) -> Any:
        return _Cube.apply(x)[0]

    _close(vmap(cube)(x), x**3)
    _close(grad(lambda x: vmap(cube)(x).sum())(x), 3 * x**2)
    _close(vmap(grad(lambda x: cube(x).sum()))(x), 3 * x**2)
    _close(vmap(lambda x: jvp(cube, (x,), (ones[0],))[1])(x), 3 * x**2)
    _close(jvp(vmap(cube), (x,), (ones,))[1], 3 * x**2)
    _close(vmap(_Scaled.apply)(x), x * 2)


def test_library_rules() -> None:
    library = torch.library.Library("test_vmap", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x * 2, "CPU")
    seen = []

    @torch.library.register_vmap("test_vmap::twice")
    def rule(info: Any, in_dims: Any, x: Any) -> Any:
        seen.append((info.batch_size, in_dims))
        return torch.ops.test_vmap.twice(x), in_dims[0]

    x = torch.randn(3, 2)
    _close(vmap(torch.ops.test_vmap.twice)(x), x * 2)
    assert seen == [(3, (0,))]


def test_a_batched_tensor_shows_its_level() -> None:
    seen: list[str] = []
    vmap(lambda x: seen.append(repr(x)) or x)(torch.ones(2))
    assert seen == ["BatchedTensor(lvl=1, bdim=0, value=\n    tensor([1., 1.])\n)"]


def test_named_tuples_of_operators_are_mapped() -> None:
    x = torch.randn(3, 6)
    result = torch.vmap(torch.topk, in_dims=(0, None))(x, 2)
    assert isinstance(result, torch.return_types.topk)
    assert torch.equal(result.values, x.topk(2).values)
    (values, _), moved = torch.func.jvp(lambda y: y.max(0), (x,), (torch.ones_like(x),))
    assert torch.equal(values, x.max(0).values) and torch.equal(moved[0], torch.ones(6))


@pytest.mark.parametrize(
    "call",
    [
        lambda t, form: t.clone(memory_format=form),
        lambda t, form: t.contiguous(memory_format=form),
        lambda t, form: t.to(torch.float64, memory_format=form),
        lambda t, form: torch.ones_like(t, memory_format=form) * t,
        lambda t, form: torch.rand_like(t, memory_format=form) * 0 + t,
    ],
)
def test_memory_formats_are_those_of_elements(call: Callable[..., torch.Tensor]) -> None:
    images, volumes = torch.randn(3, 2, 4, 5, 6), torch.randn(3, 2, 4, 5, 6, 7)
    for batch, form in ((images, torch.channels_last), (volumes, torch.channels_last_3d)):
        result = vmap(lambda t, form=form: call(t, form), randomness="different")(batch)
        torch.testing.assert_close(result, batch.to(result.dtype))
        assert result[0].is_contiguous(memory_format=form)
    with pytest.raises(RuntimeError, match="required rank 4 tensor to use channels_last format"):
        vmap(lambda t: call(t, torch.channels_last), randomness="different")(images[0])


def test_layers_of_stacked_channels_last_images() -> None:
    images = torch.randn(2, 4, 5, 5).contiguous(memory_format=torch.channels_last)
    weight = torch.randn(6, 4, 3, 3)
    batch = torch.stack([images] * 3)
    result = vmap(lambda t: torch.conv2d(torch.channel_shuffle(t, 2), weight))(batch)
    expected = torch.conv2d(torch.channel_shuffle(images, 2), weight)
    torch.testing.assert_close(result, torch.stack([expected] * 3))


_VIEWED_IN_PLACE: dict[str, Callable[[Any], Any]] = {
    "squeeze": lambda x: x.unsqueeze(0).squeeze_() + 1,
    "squeeze a dimension": lambda x: x.unsqueeze(1).squeeze_(1),
    "unsqueeze": lambda x: x.clone().unsqueeze_(0),
    "transpose": lambda x: x.clone().transpose_(0, 1),
    "t": lambda x: x.clone().t_().mul_(2),
    "as_strided": lambda x: x.clone().as_strided_((2, 2), (1, 2), 1),
    "resize": lambda x: x.clone().resize_(2, 2),
}


@pytest.mark.parametrize("name", _VIEWED_IN_PLACE)
def test_in_place_views_of_elements(name: str) -> None:
    x = torch.randn(3, 2, 4)
    function = _VIEWED_IN_PLACE[name]
    torch.testing.assert_close(vmap(function)(x), torch.stack([function(each) for each in x]))


_X, _ROWS = torch.randn(3, 4, 5), torch.tensor([[0, 3], [2, 1], [3, 3]])
_PLACES = torch.tensor([1, 0, 3])


def _written(x: torch.Tensor, place: Any, value: Any) -> torch.Tensor:
    x = x.clone()
    x[place] = value
    return x


_CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "masked_fill": (lambda x, v: x.masked_fill(x > 0, v), (_X, torch.ones(3))),
    "masked_fill_": (lambda x, v: x.clone().masked_fill_(x > 0, v), (_X, torch.ones(3))),
    "masked_scatter": (lambda x: x.masked_scatter(x > 0, x.flip(0)), (_X,)),
    "matrix_exp": (lambda x: torch.matrix_exp(x[:, :4]), (_X.double() * 3,)),
    "quantile": (lambda x, q: torch.quantile(x, q, dim=1), (_X, torch.rand(3, 2))),
    "put": (lambda x, i: x.put(i, torch.ones(2)), (_X, _ROWS)),
    "take": (torch.take, (_X, _ROWS)),
    "nonzero_static": (lambda x: torch.nonzero_static(x > 0, size=12), (_X,)),
    "gradient": (lambda x: torch.gradient(x, spacing=None)[0], (_X,)),
    "multi_margin_loss": (F.multi_margin_loss, (_X[:, :2], _ROWS)),
    "multilabel_margin_loss": (F.multilabel_margin_loss, (_X[:, 0, :2], _ROWS.clamp(max=1))),
    "nll_loss": (lambda x, i: F.nll_loss(x, i, weight=torch.arange(1.0, 6.0)), (_X[:, 0], _ROWS[:, 0])),
    "matrix_rank": (
        lambda x, a: torch.linalg.matrix_rank(x, atol=a), (_X, torch.tensor([0.1, 1.0, 9.0]))
    ),
    "vdot": (torch.vdot, (torch.randn(3, 4, dtype=torch.cfloat),) * 2),
    "searchsorted": (torch.searchsorted, (_X[:, 0].sort().values, _X)),
    "unfold": (lambda x: F.unfold(x[None], 2), (_X,)),
    "reflection_pad3d": (lambda x: F.pad(x[None], (1, 1) * 3, "reflect"), (_X.expand(3, 3, 4, 5)[:, None],)),
    "adaptive_max_pool3d": (lambda x: F.adaptive_max_pool3d(x[None, None], 1), (_X[:, None],)),
    "grid_sample": (
        lambda x, g: F.grid_sample(x, g, align_corners=False),
        (torch.randn(3, 1, 2, 4, 4), torch.rand(3, 1, 3, 3, 2)),
    ),
    "householder_product": (torch.linalg.householder_product, (_X.mT, torch.rand(3, 4))),
    "index_add": (lambda x, i: x.index_add(1, i, x[:, :2], alpha=2), (_X, _ROWS)),
    "index_copy": (lambda x, i: x.clone().index_copy_(-1, i[:1], x[:, :1]), (_X, _ROWS)),
    "index_add of vectors": (lambda x, i: x.index_add(0, i, x[:2]), (_X[:, 0], _ROWS)),
    "gather of numbers": (lambda x, i: x.gather(0, i), (torch.randn(3), _ROWS[:, :1] * 0)),
    "gather by a number": (lambda x, i: x.gather(0, i), (torch.randn(3, 4), _PLACES)),
    "number as an index": (lambda x, i: x[i], (_X, _PLACES)),
    "number as an index among others": (lambda x, i: x[..., i, None], (_X, _PLACES)),
    "two numbers as indices": (lambda x, i: x[i, i], (_X, _PLACES)),
    "writing at a number": (lambda x, i: _written(x, i, 9), (_X, _PLACES)),
    "writing rows at a number": (lambda x, i: _written(x, (slice(None), i), x[:, 0]), (_X, _PLACES)),
    "bucketize": (lambda x, b: torch.bucketize(x, b, right=True), (_X, _X[:, 0].sort().values)),
    "nonzero_static of numbers": (lambda x: torch.nonzero_static(x, size=2), (torch.ones(3),)),
    "addr": (lambda x: torch.addr(x, x[:, 0].detach() * 0 + 1, _X[0, 0], beta=0.5), (_X,)),
    "addr of shared vectors": (lambda x: torch.addr(x, _X[0, :, 0], _X[0, 0], beta=0.5), (_X,)),
    "products along no dimension": (lambda x: x[:, :0] @ torch.ones(0, 3), (_X,)),
    "scatter_reduce_": (
        lambda x, i: x.clone().scatter_reduce_(0, i, x, "sum"), (_X[:, 0, :2], _ROWS * 0)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", _CALLS)
def test_calls_for_all_elements_agree_with_calls_for_each(name: str) -> None:
    function, args = _CALLS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error" if name not in ("put", "take") else "ignore")
        torch.manual_seed(0)
        found = vmap(function)(*args)
    each = []
    for element in zip(*args, strict=True):
        torch.manual_seed(0)
        each.append(function(*element))
    torch.testing.assert_close(found, torch.stack(each))


def test_values_that_decide_shapes_are_refused() -> None:
    x, places = torch.randn(3, 6), torch.tensor([[2], [3], [1]])
    with pytest.raises(RuntimeError, match="item"):
        vmap(torch.tensor_split)(x, places)
    with pytest.raises(RuntimeError, match="item"):
        vmap(lambda n: F.ctc_loss(torch.zeros(3, 1, 2), torch.ones(1, 1).int(), n, n))(places)


def test_transposed_numbers_have_one_dimension() -> None:
    assert vmap(lambda x: x.transpose(0, -1))(torch.ones(3)).shape == (3,)
    with pytest.raises(IndexError, match="but got 1"):
        vmap(lambda x: x.transpose(0, 1))(torch.ones(3))


@pytest.mark.parametrize(
    "name",
    [
        "cholesky",
        "det",
        "eig",
        "eigh",
        "eigvalsh",
        "inv",
        "lu_factor",
        "pinv",
        "qr",
        "slogdet",
        "svd",
        "svdvals",
    ],
)
def test_vectors_are_no_matrices(name: str) -> None:
    with pytest.raises(RuntimeError, match=r"at least 2|matrices or batches of matrices"):
        vmap(getattr(torch.linalg, name))(torch.eye(3))


@pytest.mark.parametrize("dim", [2, -3])
def test_indices_along_a_dimension_that_does_not_exist(dim: int) -> None:
    x, index = torch.ones(2, 3, 4), torch.zeros(3, 4, dtype=torch.int64)
    for call in (lambda t: t.index_select(dim, index[0]), lambda t: t.gather(dim, index)):
        with pytest.raises(IndexError, match=f"but got {dim}"):
            vmap(call)(x)
