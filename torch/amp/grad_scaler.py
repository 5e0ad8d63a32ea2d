"""Gradient scaling: keeps small gradients of 16-bit floats from becoming 0."""

from __future__ import annotations

import warnings
from collections import abc, defaultdict
from enum import Enum
from typing import Any

import torch

__all__ = ["GradScaler", "OptState"]


class OptState(Enum):
    """The steps that an optimizer has been through since the last `GradScaler.update`.

    Example:
        >>> torch.amp.grad_scaler.OptState.READY.value
        0
    """

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class _Replicas:
    """Copies of a tensor on the devices that need one."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.master = tensor
        self._copies: dict[torch.device, torch.Tensor] = {}

    def on(self, device: torch.device) -> torch.Tensor:
        if device not in self._copies:
            self._copies[device] = self.master.to(device=device, non_blocking=True)
        return self._copies[device]


def _new_optimizer_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Scale a loss, so that its gradients fit 16-bit floats, and unscale them for the optimizer.

    The scale adapts: a step with infinite or NaN gradients is skipped and lowers it, and many good
    steps in a row raise it.

    Args:
        device: The device type of the loss.
        init_scale: The first scale.
        growth_factor: What the scale is multiplied by after `growth_interval` good steps.
        backoff_factor: What the scale is multiplied by after a step with an overflow.
        growth_interval: The number of steps without an overflow after which the scale grows.
        enabled: Whether to scale at all; otherwise `step` only calls the optimizer.

    Example:
        >>> weight = torch.ones(2, requires_grad=True)
        >>> optimizer = torch.optim.SGD([weight], lr=0.5)
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        >>> scaler.scale(weight.sum()).backward()
        >>> scaler.step(optimizer)
        >>> scaler.update()
        >>> weight.data, scaler.get_scale()
        (tensor([0.5000, 0.5000]), 1024.0)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled and not torch.cuda.is_available():
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                stacklevel=2,
            )
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale: torch.Tensor | None = None
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._growth_tracker: torch.Tensor | None = None
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_new_optimizer_state)

    def _lazy_init_scale_growth_tracker(self, device: torch.device) -> None:
        self._scale = torch.full((), self._init_scale, dtype=torch.float32, device=device)
        self._growth_tracker = torch.full(
            (), self._init_growth_tracker, dtype=torch.int32, device=device
        )

    def _scale_and_tracker(self, function: str) -> tuple[torch.Tensor, torch.Tensor]:
        if self._scale is None or self._growth_tracker is None:
            raise AssertionError(
                f"Attempted {function} but _scale is None.  This may indicate your script did not "
                "use scaler.scale(loss or outputs) earlier in the iteration."
            )
        return self._scale, self._growth_tracker

    def scale(self, outputs: Any) -> Any:
        """Multiply a tensor, or each in an iterable of tensors, by the scale.

        Raises:
            ValueError: If `outputs` is neither.

        Example:
            >>> torch.amp.GradScaler("cpu", init_scale=8.0).scale(torch.ones(1))
            tensor([8.])
        """
        if not self._enabled:
            return outputs
        replicas: _Replicas | None = None

        def scaled(value: Any) -> Any:
            nonlocal replicas
            if isinstance(value, torch.Tensor):
                if self._scale is None:
                    self._lazy_init_scale_growth_tracker(value.device)
                if replicas is None:
                    assert self._scale is not None
                    replicas = _Replicas(self._scale)
                return value * replicas.on(value.device)
            if isinstance(value, abc.Iterable):
                items = map(scaled, value)
                return type(value)(items) if isinstance(value, (list, tuple)) else items
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")

        return scaled(outputs)

    def _unscale_grads_(
        self,
        optimizer: torch.optim.Optimizer,
        inv_scale: torch.Tensor,
        found_inf: torch.Tensor,
        allow_fp16: bool,
    ) -> dict[torch.device, torch.Tensor]:
        factors, flags = _Replicas(inv_scale), _Replicas(found_inf)
        groups: dict[tuple[torch.device, torch.dtype], list[torch.Tensor]] = defaultdict(list)
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                gradient = parameter.grad
                if gradient is None:
                    continue
                if not allow_fp16 and gradient.dtype == torch.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                groups[gradient.device, gradient.dtype].append(gradient)
        with torch.no_grad():
            for (device, _), gradients in groups.items():
                torch._amp_foreach_non_finite_check_and_unscale_(
                    gradients, flags.on(device), factors.on(device)
                )
        return flags._copies

    def unscale_(self, optimizer: torch.optim.Optimizer) -> None:
        """Divide the gradients of an optimizer's parameters by the scale.

        `step` does it unless it was done before; call it to clip gradients first.

        Raises:
            RuntimeError: If it was called before since the last `update`, or after `step`.

        Example:
            >>> weight = torch.ones(1, requires_grad=True)
            >>> scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
            >>> scaler.scale(weight.sum()).backward()
            >>> scaler.unscale_(torch.optim.SGD([weight], lr=1.0))
            >>> weight.grad
            tensor([1.])
        """
        if not self._enabled:
            return
        scale, _ = self._scale_and_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = scale.double().reciprocal().float()
        found_inf = torch.full((), 0.0, dtype=torch.float32, device=scale.device)
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, inverse, found_inf, False)
        state["stage"] = OptState.UNSCALED

    def _maybe_opt_step(
        self, optimizer: torch.optim.Optimizer, state: dict[str, Any], *args: Any, **kwargs: Any
    ) -> float | None:
        if any(found.item() for found in state["found_inf_per_device"].values()):
            return None
        return optimizer.step(*args, **kwargs)

    def _fused_step(
        self, optimizer: Any, state: dict[str, Any], *args: Any, **kwargs: Any
    ) -> float | None:
        """Step an optimizer that unscales by itself and skips the step after an overflow."""
        scale, _ = self._scale_and_tracker("step")
        unscaled = state["stage"] is OptState.UNSCALED
        if not unscaled:
            self._check_inf_per_device(optimizer)
        flags = list(state["found_inf_per_device"].values())
        if not flags:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        optimizer.grad_scale = None if unscaled else scale
        optimizer.found_inf = sum(flag.to(scale.device, non_blocking=True) for flag in flags)
        result = optimizer.step(*args, **kwargs)
        del optimizer.grad_scale, optimizer.found_inf
        state["stage"] = OptState.STEPPED
        return result

    def step(self, optimizer: torch.optim.Optimizer, *args: Any, **kwargs: Any) -> float | None:
        """Unscale the gradients, if that was not done, and step unless one is infinite or NaN.

        Args:
            optimizer: The optimizer to step.
            *args: Passed to `optimizer.step`.
            **kwargs: Passed to `optimizer.step`; closures are not supported.

        Returns:
            What `optimizer.step` returned, or None for a skipped step.

        Raises:
            RuntimeError: If it was called before since the last `update`.

        Example:
            >>> weight = torch.ones(1, requires_grad=True)
            >>> weight.grad = torch.tensor([float("inf")])
            >>> scaler = torch.amp.GradScaler("cpu")
            >>> loss = scaler.scale(weight.sum())
            >>> scaler.step(torch.optim.SGD([weight], lr=1.0))
            >>> weight.data
            tensor([1.])
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._scale_and_tracker("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            return self._fused_step(optimizer, state, *args, **kwargs)
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if not state["found_inf_per_device"]:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = self._maybe_opt_step(optimizer, state, *args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def update(self, new_scale: float | torch.Tensor | None = None) -> None:
        """Adapt the scale to the results of the steps since the last update.

        Args:
            new_scale: A scale to use instead.

        Example:
            >>> scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
            >>> output = scaler.scale(torch.ones(1))
            >>> scaler.update(4.0)
            >>> scaler.get_scale()
            4.0
        """
        if not self._enabled:
            return
        scale, tracker = self._scale_and_tracker("update")
        if new_scale is not None:
            self._set_scale(scale, new_scale)
        else:
            found = [
                flag.to(device=scale.device, non_blocking=True)
                for state in self._per_optimizer_states.values()
                for flag in state["found_inf_per_device"].values()
            ]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            combined = found[0]
            for flag in found[1:]:
                combined = combined + flag
            torch._amp_update_scale_(
                scale,
                tracker,
                combined,
                self._growth_factor,
                self._backoff_factor,
                self._growth_interval,
            )
        self._per_optimizer_states = defaultdict(_new_optimizer_state)

    def _set_scale(self, scale: torch.Tensor, new_scale: float | torch.Tensor) -> None:
        if not isinstance(new_scale, torch.Tensor):
            scale.fill_(new_scale)
            return
        fits = (
            new_scale.device.type == self._device
            and new_scale.dtype == torch.float32
            and new_scale.numel() == 1
            and not new_scale.requires_grad
        )
        if not fits:
            raise AssertionError(
                "new_scale should be a float or a 1-element float32 tensor on "
                f"{self._device} with requires_grad=False."
            )
        scale.copy_(new_scale)

    def get_scale(self) -> float:
        """Return the scale; 1.0 if scaling is off. On a GPU this waits for it.

        Example:
            >>> torch.amp.GradScaler("cpu", init_scale=8.0).get_scale()
            8.0
        """
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self) -> float:
        """Return what the scale is multiplied by after many good steps."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set what the scale is multiplied by after many good steps."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return what the scale is multiplied by after an overflow."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set what the scale is multiplied by after an overflow."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return the number of good steps after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set the number of good steps after which the scale grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        tracker = self._growth_tracker
        return self._init_growth_tracker if tracker is None else int(tracker.item())

    def is_enabled(self) -> bool:
        """Return whether this object scales."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Return the scale and the settings; empty if scaling is off. Call it after `update`.

        Example:
            >>> torch.amp.GradScaler("cpu", init_scale=8.0).state_dict()["scale"]
            8.0
        """
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what `state_dict` returned.

        Raises:
            RuntimeError: If the state is empty because its source did not scale.

        Example:
            >>> scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
            >>> scaler.load_state_dict(scaler.state_dict())
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled "
                "instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None and self._growth_tracker is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, "
                    "or at the end after scaler.update()."
                )
            state["_init_scale"] = self.get_scale()
            state["_init_growth_tracker"] = self._get_growth_tracker()
            state["_scale"] = None
            state["_growth_tracker"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _check_inf_per_device(
        self, optimizer: torch.optim.Optimizer
    ) -> dict[torch.device, torch.Tensor]:
        """Look for overflows without changing the gradients."""
        scale, _ = self._scale_and_tracker("_check_inf_per_device")
        one = torch.full((), 1.0, dtype=torch.float32, device=scale.device)
        found_inf = torch.full((), 0.0, dtype=torch.float32, device=scale.device)
        found = self._unscale_grads_(optimizer, one, found_inf, True)
        self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = found
        return found

    def _found_inf_per_device(
        self, optimizer: torch.optim.Optimizer
    ) -> dict[torch.device, torch.Tensor]:
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]
