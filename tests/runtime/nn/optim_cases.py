"""Optimizers and schedules: parameters, state and rates after some steps."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import both

import torch
from torch import optim
from torch.optim import lr_scheduler as schedules

CASES: dict[str, Callable[[], Any]] = {}


def parameters(dtype: torch.dtype = torch.float32) -> list[torch.nn.Parameter]:
    return [
        torch.nn.Parameter(torch.randn(shape).to(dtype)) for shape in ((4, 3), (5,), (2, 2, 17), ())
    ]


def steps(make: Callable[..., optim.Optimizer], dtype: torch.dtype, count: int = 6) -> Any:
    """Two groups, six steps, the state saved and loaded in between."""
    torch.manual_seed(0)
    values = parameters(dtype)
    unused = torch.nn.Parameter(torch.ones(2))
    optimizer = make([{"params": values[:2]}, {"params": [*values[2:], unused], "lr": 0.02}])
    for step in range(count):
        for value in values:
            value.grad = torch.randn_like(value)
        optimizer.step()
        if step == 2:
            optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    return values, optimizer.state_dict()


_SETTINGS: dict[str, list[dict[str, Any]]] = {
    "SGD": [
        {},
        {"momentum": 0.9},
        {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
        {"momentum": 0.8, "dampening": 0.3, "maximize": True},
    ],
    "Adam": [{}, {"weight_decay": 0.1}, {"amsgrad": True, "maximize": True}],
    "AdamW": [{}, {"amsgrad": True, "weight_decay": 0.3}],
    "RMSprop": [
        {},
        {"momentum": 0.9},
        {"centered": True, "weight_decay": 0.1, "momentum": 0.5},
        {"centered": True, "maximize": True},
    ],
    "Adagrad": [{}, {"lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.2}],
    "Adadelta": [{}, {"weight_decay": 0.1, "maximize": True}],
    "Adamax": [{}, {"weight_decay": 0.1, "maximize": True}],
    "NAdam": [{}, {"weight_decay": 0.1}, {"weight_decay": 0.1, "decoupled_weight_decay": True}],
    "RAdam": [{}, {"weight_decay": 0.1}, {"betas": (0.5, 0.6)}],
    "ASGD": [{}, {"t0": 2, "weight_decay": 0.1}],
    "Rprop": [{}, {"maximize": True, "etas": (0.4, 1.3)}],
}
for name, settings in _SETTINGS.items():
    for setting in settings:
        title = " ".join([name, *(f"{key}={value}" for key, value in setting.items())])
        for dtype in (torch.float32, torch.float64, torch.complex64):
            if dtype.is_complex and setting.get("amsgrad"):
                continue
            CASES[f"{title} {dtype}"] = lambda n=name, s=setting, d=dtype: steps(
                lambda groups: getattr(optim, n)(groups, **s), d
            )
        CASES[f"{title} foreach"] = lambda n=name, s=setting: steps(
            lambda groups: getattr(optim, n)(groups, **s, foreach=True), torch.float64
        )


def real_steps(make: Callable[..., optim.Optimizer], shapes: tuple[tuple[int, ...], ...]) -> Any:
    """Six steps of optimizers for real parameters only."""
    torch.manual_seed(0)
    values = [torch.nn.Parameter(torch.randn(shape)) for shape in shapes]
    optimizer = make(values)
    for _ in range(6):
        for value in values:
            value.grad = torch.randn_like(value)
        optimizer.step()
    return values, optimizer.state_dict()


for title, options in {"plain": {}, "decay": {"weight_decay": 0.1, "maximize": True}}.items():
    CASES[f"Adafactor {title}"] = lambda o=options: real_steps(
        lambda values: optim.Adafactor(values, **o), ((4, 3), (5,), (2, 3, 4))
    )


def minimized(line_search: str | None) -> Any:
    torch.manual_seed(0)
    weight = torch.nn.Parameter(torch.randn(3, 2, dtype=torch.float64))
    inputs, targets = torch.randn(20, 3).double(), torch.randn(20, 2).double()
    optimizer = optim.LBFGS([weight], lr=0.5, max_iter=8, line_search_fn=line_search)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = (torch.tanh(inputs @ weight) - targets).square().sum() + weight.pow(4).sum()
        loss.backward()
        return loss

    losses = [float(optimizer.step(closure)) for _ in range(3)]
    state = optimizer.state_dict()["state"][0]  # its numbers differ more than those of the weight
    lengths = {name: len(value) for name, value in state.items() if isinstance(value, list)}
    return losses, weight, sorted(state), saved(lengths), state["func_evals"], state["n_iter"]


for line_search in (None, "strong_wolfe"):
    CASES[f"LBFGS {line_search}"] = lambda s=line_search: minimized(s)


def error(function: Callable[[], Any]) -> list[str]:
    try:
        function()
    except Exception as raised:
        return [type(raised).__name__, str(raised)]
    return ["nothing raised"]


def refusals() -> Any:
    value = torch.nn.Parameter(torch.zeros(2))
    return [
        error(lambda: optim.SGD([value], lr=-1)),
        error(lambda: optim.SGD([value], nesterov=True)),
        error(lambda: optim.Adam([value], betas=(1.0, 0.5))),
        error(lambda: optim.Adam([value], eps=-1)),
        error(lambda: optim.RMSprop([value], alpha=-1)),
        error(lambda: optim.Adadelta([value], rho=2.0)),
        error(lambda: optim.SGD([])),
        error(lambda: optim.SGD(value)),
        error(lambda: optim.SGD([3])),
        error(lambda: optim.SGD([value * 2])),
        error(lambda: optim.SGD([{"params": {value}}])),
        error(lambda: optim.SGD([{"params": [value]}, {"params": [value]}])),
        error(lambda: optim.SGD([value]).load_state_dict({"state": {}, "param_groups": []})),
    ]


CASES["refusals"] = refusals


def prints() -> Any:
    value = torch.nn.Parameter(torch.zeros(2))
    kinds = (optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop, optim.Adagrad, optim.Adadelta)
    return [repr(kind([value])) for kind in kinds]


CASES["prints"] = prints


def hooks() -> Any:
    seen: list[Any] = []
    value = torch.nn.Parameter(torch.ones(2))
    value.grad = torch.ones(2)
    optimizer = optim.SGD([value], lr=0.5)
    optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append("pre"))
    optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append("post"))
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "more": 1})
    optimizer.register_load_state_dict_pre_hook(
        lambda o, state: {k: v for k, v in state.items() if k != "more"}
    )
    seen.append(optimizer.step(lambda: seen.append("closure") or 3.0))
    optimizer.load_state_dict(optimizer.state_dict())
    optimizer.zero_grad(set_to_none=False)
    zeroed = value.grad
    optimizer.zero_grad()
    return seen, value, zeroed, value.grad, list(optimizer.state_dict())


CASES["hooks"] = hooks


def rates(make: Callable[[optim.Optimizer], Any], metrics: list[float] | None = None) -> Any:
    values = [torch.nn.Parameter(torch.zeros(2)) for _ in range(2)]
    groups = [{"params": [values[0]]}, {"params": [values[1]], "lr": 0.05}]
    optimizer = optim.SGD(groups, lr=0.1, momentum=0.9)
    schedule = make(optimizer)
    seen = []
    for step in range(30):
        seen.append([[group["lr"], group["momentum"]] for group in optimizer.param_groups])
        optimizer.step()
        schedule.step(*(() if metrics is None else (metrics[step],)))
        seen.append(list(schedule.get_last_lr()))
        if step == 12:
            schedule.load_state_dict(copy.deepcopy(schedule.state_dict()))
    return seen, saved(schedule.state_dict())


def saved(state: dict[str, Any]) -> dict[str, Any]:
    """Return a state in one order, without functions."""
    return {name: value for name, value in sorted(state.items()) if not callable(value)}


_SCHEDULES: dict[str, Callable[[Any], Any]] = {
    "LambdaLR": lambda o: schedules.LambdaLR(o, [lambda e: 0.9**e, lambda e: 1 / (e + 1)]),
    "MultiplicativeLR": lambda o: schedules.MultiplicativeLR(o, lambda e: 0.95),
    "StepLR": lambda o: schedules.StepLR(o, 4),
    "MultiStepLR": lambda o: schedules.MultiStepLR(o, [3, 3, 8]),
    "ConstantLR": lambda o: schedules.ConstantLR(o),
    "LinearLR": lambda o: schedules.LinearLR(o, 0.2, 0.9, 10),
    "ExponentialLR": lambda o: schedules.ExponentialLR(o, 0.9),
    "PolynomialLR": lambda o: schedules.PolynomialLR(o, 10, 2.0),
    "CosineAnnealingLR": lambda o: schedules.CosineAnnealingLR(o, 7, 0.01),
    "CosineAnnealingWarmRestarts": lambda o: schedules.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
    "CyclicLR": lambda o: schedules.CyclicLR(o, 0.01, 0.1, 4, 3),
    "CyclicLR exp_range": lambda o: schedules.CyclicLR(
        o, 0.01, 0.1, 4, mode="exp_range", gamma=0.9
    ),
    "CyclicLR triangular2": lambda o: schedules.CyclicLR(o, 0.01, 0.1, 4, mode="triangular2"),
    "OneCycleLR": lambda o: schedules.OneCycleLR(o, [0.1, 0.2], total_steps=32),
    "OneCycleLR of three": lambda o: schedules.OneCycleLR(
        o, 0.1, total_steps=32, three_phase=True, anneal_strategy="linear"
    ),
    "SequentialLR": lambda o: schedules.SequentialLR(
        o,
        [schedules.ConstantLR(o, 0.1, 5), schedules.ExponentialLR(o, 0.9), schedules.StepLR(o, 2)],
        [6, 12],
    ),
    "SequentialLR of cosine": lambda o: schedules.SequentialLR(
        o, [schedules.LinearLR(o, 0.1, 1.0, 5), schedules.CosineAnnealingLR(o, 10)], [5]
    ),
    "ChainedScheduler": lambda o: schedules.ChainedScheduler(
        [schedules.ConstantLR(o, 0.1, 5), schedules.ExponentialLR(o, 0.9)]
    ),
}
for name, make in _SCHEDULES.items():
    CASES[name] = lambda m=make: rates(m)

_METRICS = [(7 * i % 11) / 11 + 1 / (i + 1) for i in range(30)]
for name, options in {
    "plain": {"patience": 3},
    "max": {
        "mode": "max",
        "patience": 1,
        "cooldown": 2,
        "threshold_mode": "abs",
        "min_lr": [1e-3, 1e-2],
    },
}.items():
    CASES[f"ReduceLROnPlateau {name}"] = lambda o=options: rates(
        lambda optimizer: schedules.ReduceLROnPlateau(optimizer, **o), _METRICS
    )


if __name__ == "__main__":
    both.record(CASES)
