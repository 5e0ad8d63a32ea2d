"""States of modules, optimizers and schedules, also those of older versions; see both.py."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import both

import torch
from torch import nn, optim
from torch.nn.utils import parametrizations, parametrize, prune
from torch.optim import lr_scheduler as schedules

CASES: dict[str, Callable[[], Any]] = {}


def case(function: Callable[[], Any]) -> Callable[[], Any]:
    CASES[function.__name__.replace("_", " ")] = function
    return function


def error(function: Callable[[], Any]) -> None:
    CASES["error: " + function.__name__.replace("_", " ")] = function


# ---- modules
def note_prefix(module: nn.Module, *rest: Any) -> None:
    module.prefix = rest[1]


@case
def hooks_of_pickled_and_copied_modules() -> Any:
    layer = nn.Linear(2, 2)
    layer.register_load_state_dict_pre_hook(note_prefix)
    results = []
    for other in (pickle.loads(pickle.dumps(layer)), copy.deepcopy(layer)):
        nn.ModuleDict({"a": other}).load_state_dict(nn.ModuleDict({"a": layer}).state_dict())
        results += [hasattr(layer, "prefix"), other.prefix]
    return results


@case
def modules_of_older_versions() -> Any:
    layer = nn.Linear(2, 2)
    names = [name for name in vars(layer) if "hooks" in name or name.startswith("_non_")]
    kept = {"_backward_hooks", "_forward_hooks"}
    for name in set(names) - kept:
        delattr(layer, name)
    buffer = io.BytesIO(pickle.dumps(layer))
    restored = pickle.load(buffer)
    restored.load_state_dict(restored.state_dict())
    return [hasattr(restored, name) for name in names]


@case
def values_for_a_module_on_meta() -> Any:
    with torch.device("meta"):
        layer = nn.Linear(3, 5)
    state = {name: torch.ones(value.shape) for name, value in layer.state_dict().items()}
    seen = []
    for assign in (False, True):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            layer.load_state_dict(state, assign=assign)
        seen.append([str(warning.message) for warning in caught])
    return seen


@case
def loading_makes_no_cycles() -> Any:
    layer = nn.LSTM(4, 4)
    state = copy.deepcopy(layer).state_dict()

    def left_by_loading() -> int:
        gc.collect()
        layer.load_state_dict(state)
        return gc.collect()

    return min(left_by_loading() for _ in range(3))  # other threads leave some, too


@case
def weights_of_the_old_weight_norm() -> Any:
    old = nn.Sequential(nn.utils.weight_norm(nn.Linear(4, 5)))
    new = nn.Sequential(parametrizations.weight_norm(nn.Linear(4, 5)))
    new.load_state_dict(old.state_dict())
    return [torch.equal(new[0].weight, old[0].weight), list(old.state_dict())]


@case
def spectral_norm_of_complex_weights() -> Any:
    layer = nn.Linear(2, 2, dtype=torch.cfloat)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[3.0 + 1j, 1j], [1.0, 2.0 - 1j]]))
    weight = parametrizations.spectral_norm(layer, n_power_iterations=30).weight
    return torch.view_as_real(weight.detach())


class Double(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    def right_inverse(self, x: torch.Tensor) -> torch.Tensor:
        return x / 2


@case
def transfer_of_another_parameter() -> Any:
    source, target = nn.Linear(2, 2), nn.Linear(2, 2)
    source.more = nn.Parameter(torch.ones(2))
    parametrize.register_parametrization(source, "more", Double())
    parametrize.transfer_parametrizations_and_params(source, target, "more")
    return [target.more, list(dict(target.named_parameters()))]


@case
def sizes_of_transposed_lazy_convolutions() -> Any:
    return [
        list(make(2, 3)(torch.ones(1, 3, *size), output_size=[6] * len(size)).shape)
        for make, size in ((nn.LazyConvTranspose1d, [4]), (nn.LazyConvTranspose2d, [4, 4]))
    ]


@case
def lazy_states_of_lazy_modules() -> Any:
    first, second = nn.LazyLinear(2), nn.LazyLinear(2)
    first.load_state_dict(second.state_dict())
    return first.has_uninitialized_params()


for _name in ("spectral_norm", "weight_norm"):
    CASES[f"error: {_name} of a lazy module"] = lambda name=_name: getattr(nn.utils, name)(
        nn.LazyLinear(2)
    )


class FailingMethod(prune.L1Unstructured):
    def compute_mask(self, t: torch.Tensor, default_mask: torch.Tensor) -> torch.Tensor:
        raise ArithmeticError


@case
def a_failed_pruning() -> Any:
    layer = nn.Linear(2, 2)
    try:
        FailingMethod.apply(layer, "weight", 0.5)
    except ArithmeticError:
        return sorted(dict(layer.named_parameters())), len(layer._forward_pre_hooks)


@case
def deprecated_modules() -> Any:
    seen = []
    for make in (nn.NLLLoss2d, lambda: nn.Container(first=nn.ReLU())):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            seen.append(str(make()))
        seen += [(warning.category.__name__, str(warning.message)) for warning in caught]
    return seen


# ---- optimizers
def weights(dtype: torch.dtype = torch.float32, device: str = "cpu") -> list[nn.Parameter]:
    return [nn.Parameter(torch.ones(2, dtype=dtype, device=device))]


def older_state(kind: type[optim.Optimizer], dropped: tuple[str, ...], **settings: Any) -> Any:
    """Load a state without later settings, with step counters that are numbers."""
    values = weights()
    optimizer = kind(values, **settings)
    values[0].grad = torch.ones(2)
    optimizer.step()
    state = optimizer.state_dict()
    for name in dropped:
        state["param_groups"][0].pop(name, None)
    for of_value in state["state"].values():
        if "step" in of_value:
            of_value["step"] = float(of_value["step"])
    optimizer = kind(values)
    optimizer.load_state_dict(state)
    optimizer.step()
    group = {k: v for k, v in optimizer.param_groups[0].items() if k != "params"}
    steps = [of_value.get("step") for of_value in optimizer.state.values()]
    return [values, sorted((k, str(v)) for k, v in group.items() if k != "fused"), steps]


_LATER = ("maximize", "foreach", "capturable", "differentiable", "fused", "amsgrad", "nesterov")
for _kind in (
    *(optim.SGD, optim.Adam, optim.AdamW, optim.Adagrad, optim.Adadelta, optim.RMSprop),
    *(optim.Adamax, optim.ASGD, optim.NAdam, optim.RAdam, optim.Rprop),
):
    CASES[f"older state: {_kind.__name__}"] = lambda kind=_kind: older_state(kind, _LATER)
CASES["older state: AdamW without its kind of decay"] = lambda: older_state(
    optim.AdamW, (*_LATER, "decoupled_weight_decay")
)


def fused_step(kind: Any, values: list[nn.Parameter]) -> None:
    optimizer = kind(values, fused=True)
    values[0].grad = torch.ones_like(values[0])
    optimizer.step()


for _fused in (optim.SGD, optim.Adam, optim.AdamW, optim.Adagrad):
    for _settings in ({"foreach": True}, {"differentiable": True}):
        CASES[f"error: fused {_fused.__name__} with {next(iter(_settings))}"] = (
            lambda kind=_fused, settings=_settings: kind(weights(), fused=True, **settings)
        )
    CASES[f"error: fused {_fused.__name__} on meta"] = lambda kind=_fused: fused_step(
        kind, weights(device="meta")
    )
    CASES[f"error: fused {_fused.__name__} of complex numbers"] = lambda kind=_fused: fused_step(
        kind, weights(torch.cfloat)
    )
HALF = torch.tensor(0.5)
for _name, _arguments in {
    "one beta": {"betas": (0.5,)},
    "mixed betas": {"betas": (HALF, 0.5)},
    "betas for foreach": {"betas": (HALF, HALF), "foreach": True},
    "rate for foreach": {"lr": HALF, "foreach": True},
}.items():
    CASES[f"error: Adam: {_name}"] = lambda arguments=_arguments: optim.Adam(weights(), **arguments)
CASES["error: SparseAdam: two rates"] = lambda: optim.SparseAdam(weights(), lr=torch.ones(2))


# ---- schedules
def sgd(rate: Any = 0.1, groups: int = 1) -> optim.Optimizer:
    return optim.SGD([{"params": weights()} for _ in range(groups)], lr=rate, momentum=0.9)


@case
def rates_that_the_caller_changes() -> Any:
    given = [torch.tensor(value) for value in (0.1, 0.2, 0.8, 0.9)]
    cyclic = schedules.CyclicLR(sgd(given[0]), given[0], given[1], 2, None, "triangular", 1.0,
                                None, "cycle", True, given[2], given[3])  # fmt: skip
    one = schedules.OneCycleLR(sgd(given[0]), given[1], 10)
    average = optim.swa_utils.SWALR(sgd(0.1), given[0])
    for value in given:
        value.mul_(0.5)
    group = cyclic.optimizer.param_groups[0]
    return [
        [cyclic.base_lrs, cyclic.max_lrs, group["max_momentum"], group["base_momentum"]],
        one.optimizer.param_groups[0]["max_lr"],
        average.optimizer.param_groups[0]["swa_lr"],
    ]


@case
def chain_in_a_sequence() -> Any:
    optimizer = sgd()
    chain = schedules.ChainedScheduler(
        [
            schedules.LinearLR(optimizer, 0.1, total_iters=5),
            schedules.ConstantLR(optimizer, 0.1, total_iters=5),
        ]
    )
    last = schedules.ConstantLR(optimizer, factor=0.5, total_iters=5)
    sequence = schedules.SequentialLR(optimizer, [chain, last], [5])
    rates = []
    for _ in range(8):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        sequence.step()
    return rates


@case
def a_schedule_leaves_no_cycle() -> Any:
    optimizer = sgd()
    schedules.LambdaLR(optimizer, lambda epoch: 1.0)
    return len(gc.get_referrers(optimizer))


@case
def one_cycle_of_older_versions() -> Any:
    scheduler = schedules.OneCycleLR(sgd(), 25, 10)
    state = scheduler.state_dict()
    del scheduler._anneal_func_type
    state = {k: v for k, v in state.items() if k != "_anneal_func_type"}
    scheduler.load_state_dict({**state, "anneal_func": schedules.OneCycleLR._annealing_cos})
    scheduler.optimizer.step()
    scheduler.step()
    return scheduler.get_last_lr()


@error
def averaged_rates_for_other_groups() -> None:
    optim.swa_utils.SWALR(sgd(groups=2), [0.1, 0.2, 0.3])


if __name__ == "__main__":
    both.record(CASES)
