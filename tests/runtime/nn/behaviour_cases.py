"""Behaviour of Module apart from computing: registration, hooks, state, conversion, errors."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import both

import torch
from torch import nn

CASES: dict[str, Callable[[], Any]] = {}


def case(function: Callable[[], Any]) -> Callable[[], Any]:
    CASES[function.__name__] = function
    return function


def error(function: Callable[[], Any]) -> list[str]:
    """Return the type and the message of the exception that a call raises."""
    try:
        function()
    except Exception as raised:
        return [type(raised).__name__, str(raised)]
    return ["nothing raised"]


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.rest = nn.Sequential(nn.ReLU(), nn.BatchNorm1d(4))
        self.shared = self.first
        self.register_buffer("scale", torch.ones(1))
        self.register_buffer("scratch", torch.zeros(2), persistent=False)
        self.extra = nn.Parameter(torch.zeros(2, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.rest(self.first(x)) * self.scale


def net() -> Net:
    torch.manual_seed(0)
    return Net()


@case
def traversal() -> Any:
    module = net()
    return [
        [name for name, _ in module.named_parameters()],
        [name for name, _ in module.named_parameters(remove_duplicate=False)],
        [name for name, _ in module.named_parameters(recurse=False, prefix="p")],
        [name for name, _ in module.named_buffers()],
        [name for name, _ in module.named_modules()],
        [len(list(module.modules(remove_duplicate=once))) for once in (True, False)],
        [name for name, _ in module.named_children()],
        list(module.state_dict()),
        list(module.state_dict(prefix="net.")),
        dict(module.state_dict()._metadata),
        module.get_submodule("rest.1").num_features,
        module.get_parameter("first.weight"),
        sorted(set(dir(module)) & {"first", "rest", "scale", "extra", "forward"}),
    ]


@case
def registration_errors() -> Any:
    module = net()

    class Early(nn.Module):
        def __init__(self) -> None:
            self.weight = nn.Parameter(torch.zeros(1))

    leaf = torch.zeros(2, requires_grad=True)
    return [
        error(lambda: module.register_parameter("a.b", None)),
        error(lambda: module.register_parameter("", None)),
        error(lambda: module.register_parameter("forward", None)),
        error(lambda: module.register_parameter("w", torch.zeros(1))),
        error(lambda: module.register_parameter("w", nn.Parameter(leaf) * 2)),
        error(lambda: module.register_buffer("b", 3)),
        error(lambda: module.register_buffer(3, None)),
        error(lambda: module.add_module("m", 3)),
        error(lambda: setattr(module, "extra", 3)),
        error(lambda: setattr(module, "first", 3)),
        error(lambda: setattr(module, "scale", 3)),
        error(lambda: module.missing),
        error(lambda: module.get_submodule("rest.7")),
        error(lambda: module.get_parameter("scale")),
        error(lambda: module.train("yes")),
        error(lambda: module.to(torch.int64)),
        error(Early),
        error(lambda: nn.Module(1)),
        error(lambda: nn.Module()(1)),
        error(lambda: nn.Linear(2, 3)(torch.zeros(4, 4))),
    ]


@case
def assignment() -> Any:
    module = net()
    seen = []
    module.extra = None
    seen.append(list(module._parameters))
    module.first = None
    seen.append([name for name, _ in module.named_modules()])
    module.scale = torch.zeros(3)
    seen.append(module.scale)
    module.plain = 3
    module.plain = nn.Parameter(torch.ones(1))
    seen.append(["plain" in module.__dict__, "plain" in module._parameters])
    del module.plain
    seen.append(hasattr(module, "plain"))
    module.buffer = nn.Buffer(torch.ones(2), persistent=False)
    seen.append([list(module._buffers), sorted(module._non_persistent_buffers_set)])
    return seen


@case
def forward_hooks() -> Any:
    module, seen = net().eval(), []
    x = torch.ones(2, 3)
    handles = [
        module.register_forward_pre_hook(lambda m, args: seen.append("pre")),
        module.register_forward_pre_hook(lambda m, args: (args[0] * 2,), prepend=True),
        module.register_forward_pre_hook(lambda m, args, kwargs: (args, kwargs), with_kwargs=True),
        module.register_forward_hook(lambda m, args, out: seen.append(["post", args[0]])),
        module.register_forward_hook(lambda m, args, kwargs, out: out + 1, with_kwargs=True),
        module.first.register_forward_hook(lambda m, args, out: out * 0),
    ]
    results = [module(x)]
    for handle in handles:
        handle.remove()
        results.append(module(x))
    return seen, results


@case
def always_called_hooks() -> Any:
    seen: list[Any] = []

    class Raises(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            raise ValueError("inside")

    module = Raises()
    module.register_forward_hook(lambda m, args, out: seen.append("skipped"))
    module.register_forward_hook(
        lambda m, args, out: seen.append(["always", out]), always_call=True
    )
    return error(lambda: module(torch.ones(1))), seen


@case
def backward_hooks() -> Any:
    module, seen = net(), []
    module.first.register_full_backward_hook(lambda m, gin, gout: seen.append([*gin, *gout]))
    module.first.register_full_backward_pre_hook(lambda m, gout: (gout[0] * 2,))
    module.rest.register_full_backward_hook(lambda m, gin, gout: (gin[0] * 3,))
    # Batch normalization of two rows would leave only rounding errors of the gradients.
    x = torch.arange(15.0).reshape(5, 3).sin().requires_grad_()
    (module(x) * torch.arange(20.0).reshape(5, 4)).sum().backward()
    mixed = error(lambda: module.first.register_backward_hook(lambda *args: None))
    return seen, x.grad, module.first.weight.grad, mixed


@case
def global_hooks() -> Any:
    seen: list[str] = []
    modules = nn.modules.module
    handles = [
        modules.register_module_forward_pre_hook(
            lambda m, a: seen.append("pre " + type(m).__name__)
        ),
        modules.register_module_forward_hook(
            lambda m, a, o: seen.append("post " + type(m).__name__)
        ),
    ]
    net()(torch.randn(2, 3))
    for handle in handles:
        handle.remove()
    net()(torch.randn(2, 3))
    return seen


@case
def loading() -> Any:
    module = net()
    state = module.state_dict()
    wrong = OrderedDict(state)
    wrong["first.weight"] = torch.zeros(4, 2)
    wrong["unknown"] = torch.zeros(1)
    wrong["rest.1.unknown.deep"] = torch.zeros(1)
    del wrong["extra"]
    partial = {name: value for name, value in state.items() if "weight" in name}
    keys = net().load_state_dict(partial, strict=False)
    assigned = net()
    given = OrderedDict((name, value.double()) for name, value in state.items())
    assigned.load_state_dict(given, assign=True)
    return [
        repr(net().load_state_dict(state)),
        error(lambda: net().load_state_dict(wrong)),
        error(lambda: net().load_state_dict(wrong, strict=False)),
        error(lambda: net().load_state_dict(3)),
        error(lambda: net().load_state_dict({**state, "scale": 3})),
        [keys.missing_keys, keys.unexpected_keys],
        [str(value.dtype) for value in assigned.state_dict().values()],
        type(assigned.extra).__name__,
    ]


@case
def state_hooks() -> Any:
    module, seen = net(), []
    module.register_state_dict_pre_hook(lambda m, prefix, keep: seen.append(["pre", prefix, keep]))
    module.register_state_dict_post_hook(lambda m, state, prefix, meta: state.pop(prefix + "scale"))
    returned = error(module.state_dict)
    module = net()
    module.first.register_state_dict_post_hook(lambda m, state, prefix, meta: seen.append(prefix))
    module.register_load_state_dict_pre_hook(lambda m, state, *rest: state.pop("extra"))
    module.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
    loaded = module.load_state_dict(module.state_dict())
    return seen, returned, repr(loaded)


@case
def extra_state() -> Any:
    class Counter(nn.Module):
        count = 0

        def get_extra_state(self) -> Any:
            return {"count": self.count}

        def set_extra_state(self, state: Any) -> None:
            self.count = state["count"]

    module = nn.Sequential(Counter())
    module[0].count = 7
    other = nn.Sequential(Counter())
    other.load_state_dict(module.state_dict())
    return list(module.state_dict()), other[0].count, error(lambda: other.load_state_dict({}))


@case
def conversion() -> Any:
    module = net()
    module(torch.randn(4, 3)).sum().backward()
    weight = module.first.weight
    module.double()
    kept = module.first.weight is weight
    dtypes = [str(t.dtype) for t in module.state_dict().values()]
    gradient = str(module.first.weight.grad.dtype)
    meta = net().to("meta")
    return [
        kept,
        dtypes,
        gradient,
        str(meta.first.weight.device),
        [str(t.dtype) for t in net().to(torch.float64).state_dict().values()],
        net().apply(lambda m: setattr(m, "seen", True)).first.seen,
        [p.requires_grad for p in net().requires_grad_(False).parameters()],
    ]


@case
def zeroing() -> Any:
    module = net()
    module(torch.randn(4, 3)).sum().backward()
    module.zero_grad(set_to_none=False)
    zeros = module.first.weight.grad
    module.zero_grad()
    return zeros, module.first.weight.grad


@case
def copies() -> Any:
    import copy
    import pickle

    module = net()
    module.register_forward_hook(print)
    del module._forward_hooks[next(iter(module._forward_hooks))]
    copied = copy.deepcopy(module)
    thawed = pickle.loads(pickle.dumps(nn.Linear(2, 2)))
    return [
        copied.first is copied.shared,
        copied.first.weight is module.first.weight,
        copied.state_dict(),
        repr(thawed),
        thawed.weight.requires_grad,
    ]


@case
def sequential_operations() -> Any:
    layers = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
    named = nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh()))
    layers.append(nn.Tanh())
    layers.insert(0, nn.Identity())
    del layers[1]
    return [
        repr(layers),
        repr(layers[1:3]),
        repr(named[0]),
        repr(layers + named),
        repr(named * 2),
        len(layers),
        error(lambda: layers[9]),
        repr(layers.pop(-1)),
        list(layers._modules),
    ]


@case
def list_operations() -> Any:
    layers = nn.ModuleList([nn.ReLU(), nn.Tanh()])
    layers += [nn.Sigmoid()]
    layers.insert(1, nn.Identity())
    parameters = nn.ParameterList(
        [torch.ones(1), nn.Parameter(torch.zeros(2), requires_grad=False)]
    )
    parameters.append(torch.ones(3))
    table = nn.ParameterDict({"b": torch.ones(1), "a": torch.zeros(1)})
    table.update(nn.ParameterDict({"c": torch.ones(2)}))
    return [
        repr(layers),
        repr(layers[:2]),
        repr(layers[-1]),
        [p.requires_grad for p in parameters],
        list(parameters.state_dict()),
        list(table.keys()),
        table.pop("a"),
        error(lambda: table["a"]),
        error(lambda: nn.ModuleDict(3)),
        error(lambda: layers(torch.ones(1))),
    ]


@case
def clipping() -> Any:
    parameters = [nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(2, 2))]

    def fill() -> None:
        for index, parameter in enumerate(parameters):
            parameter.grad = torch.full_like(parameter, 2.0 * index - 1.5)

    seen = []
    for norm in (1.0, 2.0, float("inf")):
        fill()
        seen.append(
            [nn.utils.clip_grad_norm_(parameters, 1.0, norm), *(p.grad for p in parameters)]
        )
    fill()
    nn.utils.clip_grad_value_(parameters, 1.0)
    vector = nn.utils.parameters_to_vector(parameters)
    nn.utils.vector_to_parameters(torch.arange(7.0), parameters)
    parameters[0].grad = torch.full((3,), float("nan"))
    bad = error(lambda: nn.utils.clip_grad_norm_(parameters, 1.0, error_if_nonfinite=True))
    return seen, [p.grad for p in parameters], vector, parameters, bad


@case
def settings_under_their_old_names() -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        layer = nn.Hardtanh(min_value=-3.0, max_value=4.0)
    messages = [(str(warning.message), warning.category.__name__) for warning in caught]
    return layer(torch.tensor([-5.0, 0.0, 5.0])), repr(layer), messages


@case
def initial_values() -> Any:
    torch.manual_seed(3)
    init = nn.init
    return [
        init.xavier_uniform_(torch.empty(3, 4), 2.0),
        init.xavier_normal_(torch.empty(3, 4)),
        init.kaiming_uniform_(torch.empty(3, 4, 2), mode="fan_out", nonlinearity="relu"),
        init.kaiming_normal_(torch.empty(3, 4)),
        init.trunc_normal_(torch.empty(50), std=2.0),
        init.trunc_normal_(torch.empty(50), std=2.0, a=1.0, b=1.5),
        [init.orthogonal_(torch.empty(shape)) for shape in ((4, 4), (5, 3), (3, 2, 4))],
        init.orthogonal_(torch.empty(64, 100, dtype=torch.float64), gain=2.0),
        error(lambda: init.orthogonal_(torch.empty(3))),
        init.eye_(torch.empty(3, 4)),
        init.dirac_(torch.empty(4, 2, 3), 2),
        init.constant_(torch.empty(2), 3.0),
        [init.calculate_gain(name) for name in ("tanh", "relu", "selu", "linear", "leaky_relu")],
        error(lambda: init.calculate_gain("what")),
        error(lambda: init.xavier_uniform_(torch.empty(3))),
    ]


if __name__ == "__main__":
    both.record(CASES)
