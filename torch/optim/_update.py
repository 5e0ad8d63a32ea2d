"""Helpers shared by the optimizers: argument checks, gradient selection and state creation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.optim._step_helpers import _get_capturable_supported_devices
from torch.optim.optimizer import Optimizer


def check_non_negative(value: Any, name: str) -> None:
    """Raise ValueError unless a setting is at least 0."""
    if not value >= 0.0:
        raise ValueError(f"Invalid {name}: {value}")


def check_learning_rate(lr: Any) -> None:
    """Raise ValueError unless a learning rate is a non-negative number or a one-element tensor."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    check_non_negative(lr, "learning rate")


_FUSED_DEVICES = ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]

# Settings that states of older versions lack, and the values that they had.
_LATER_SETTINGS = {
    "maximize": False,
    "foreach": None,
    "capturable": False,
    "differentiable": False,
    "fused": None,
    "amsgrad": False,
    "nesterov": False,
    "centered": False,
    "momentum": 0,
    "decoupled_weight_decay": False,
}


class RestoringOptimizer(Optimizer):
    """Base class of the optimizers that load states of older versions."""

    _added_later: ClassVar[frozenset[str]] = frozenset(_LATER_SETTINGS)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        known = self._added_later & self.defaults.keys()
        for group in self.param_groups:
            for name in known:
                group.setdefault(name, _LATER_SETTINGS[name])
        for param_state in self.state.values():
            step = param_state.get("step")
            if step is not None and not isinstance(step, Tensor):
                param_state["step"] = torch.tensor(float(step), dtype=torch.float32)


def check_betas(betas: Any) -> None:
    """Raise ValueError unless both decay rates are in [0, 1)."""
    for index in (0, 1):
        if not 0.0 <= betas[index] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {index}: {betas[index]}")


def check_fused(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    """Raise RuntimeError if the fused operators exclude another setting."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def with_sparse_gradients(group: dict[str, Any]) -> list[Tensor]:
    """Return the parameters of a group whose gradients are sparse."""
    return [p for p in group["params"] if p.grad is not None and p.grad.is_sparse]


def parameters_with_gradients(
    group: dict[str, Any], name: str, except_for: Sequence[Tensor] = ()
) -> list[Tensor]:
    """Return the parameters of a group that have a gradient, except those that are handled.

    Raises:
        RuntimeError: If a gradient is sparse.
        AssertionError: If a step shall be part of a graph of a device that has none.
    """
    found = [parameter for parameter in group["params"] if parameter.grad is not None]
    if except_for:
        handled = {id(parameter) for parameter in except_for}
        found = [parameter for parameter in found if id(parameter) not in handled]
    for parameter in found:
        if parameter.grad.is_sparse:
            own = name.removesuffix("W")
            hint = ", please consider SparseAdam instead" if own == "Adam" else ""
            raise RuntimeError(f"{own} does not support sparse gradients{hint}")
    if found and group.get("capturable") and not group.get("fused"):
        _check_capturable(found, name)
    return found


def _check_capturable(parameters: list[Tensor], name: str) -> None:
    """Check that graphs of the parameters' devices can contain steps of an optimizer."""
    devices = _get_capturable_supported_devices(supports_xla=name != "Adadelta")
    if all(parameter.device.type in devices for parameter in parameters):
        return
    state = {"ASGD": "params, mus, etas, and", "NAdam": "params, mu_products and"}
    raise AssertionError(
        f"If capturable=True, {state.get(name, 'params and')} state_steps must be on supported "
        f"devices: {devices}."
    )


def as_real(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Return complex tensors viewed as pairs of real numbers, and the others unchanged.

    A gradient for which a conjugation is pending is copied. A parameter is not, because it is
    written.

    Raises:
        RuntimeError: If a conjugation is pending for a parameter.
    """
    readable = [t if t.requires_grad else t.resolve_conj() for t in tensors]
    return [torch.view_as_real(t) if t.is_complex() else t for t in readable]


def add_decay(
    gradient: Tensor, parameter: Tensor, decay: float | Tensor, differentiable: bool
) -> Tensor:
    """Add the L2 penalty to a gradient.

    The parameter is written later, so autograd must save a copy to differentiate a factor.
    """
    if differentiable and isinstance(decay, Tensor):
        return gradient.addcmul(parameter.clone(), decay)
    return gradient.add(parameter, alpha=decay)  # type: ignore[arg-type]


def to_read(group: dict[str, Any], written: Tensor) -> Tensor:
    """Return a tensor of the state for a formula that autograd may record.

    Later steps write the tensor, but autograd needs the values of this one.
    """
    return written.clone() if group["differentiable"] else written


def can_fuse(group: dict[str, Any], parameters: Sequence[Tensor]) -> bool:
    """Return whether one fused operator may update all parameters of a group.

    The settings ``fused=False`` and ``foreach=True`` ask for separate operators, and
    ``differentiable`` needs them because autograd cannot record the fused ones. Lazy tensors
    record separate operators, but compute at once what a fused one needs.
    """
    if group.get("differentiable") or group.get("fused") is False or group.get("foreach"):
        return False
    if group.get("fused"):
        _check_fusible(parameters)
    if any(parameter.device.type == "lazy" for parameter in parameters):
        return False
    return all(parameter.is_floating_point() or parameter.is_complex() for parameter in parameters)


def _check_fusible(parameters: Sequence[Tensor]) -> None:
    """Raise RuntimeError if a fused operator was requested and a parameter has none."""
    for parameter in parameters:
        kind = parameter.device.type
        if not parameter.is_floating_point() or kind not in _FUSED_DEVICES:
            raise RuntimeError(
                "`fused=True` requires all the params to be floating point Tensors of supported "
                f"devices: {_FUSED_DEVICES} but {parameter.dtype} and {kind}"
            )


def group_by_dtype_and_device(parameters: Sequence[Tensor]) -> list[list[Tensor]]:
    """Group parameters by dtype and device, as the fused operators require."""
    first = parameters[0]
    dtype, device = first.dtype, first.device
    if all(parameter.dtype is dtype and parameter.device == device for parameter in parameters):
        return [list(parameters)]
    buckets: dict[Any, list[Tensor]] = {}
    for parameter in parameters:
        buckets.setdefault((parameter.dtype, parameter.device), []).append(parameter)
    return list(buckets.values())


def get_or_create_states(
    state: Any, parameters: Sequence[Tensor], new_state: Callable[[Tensor], dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the state of each parameter, filling an empty one with the result of `new_state`."""
    states = []
    for parameter in parameters:
        param_state = state[parameter]
        if not param_state:
            param_state.update(new_state(parameter))
        states.append(param_state)
    return states


def increment_steps(states: Sequence[dict[str, Any]]) -> None:
    """Add one to the step counter of every parameter."""
    for param_state in states:
        param_state["step"] += 1
