"""Let an optimizer act on other parameters and another state for the length of a block."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from torch import Tensor
from torch.optim.optimizer import Optimizer


@contextlib.contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """Context manager inside which an optimizer has other parameters and another state.

    Steps change the given tensors in place. Afterwards the optimizer is as it was.

    Args:
        optimizer: The optimizer.
        swapin_parameters: A tensor for each parameter, in the order of the parameter groups.
        swapin_optim_state: The state and the settings, in the form of `optimizer.state_dict()`.

    Raises:
        ValueError: If the number of parameters or of groups differs from the optimizer's.

    Example:
        >>> weight = torch.ones(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([weight], lr=1.0, momentum=0.5)
        >>> weight.grad = torch.ones(1)
        >>> optimizer.step()
        >>> other = torch.zeros(1, requires_grad=True)
        >>> other.grad = torch.ones(1)
        >>> state = optimizer.state_dict()
        >>> with torch.optim.swap_in_optimizer_params_and_state(optimizer, {"w": other}, state):
        ...     optimizer.step()
        >>> other, weight
        (tensor([-1.5000], requires_grad=True), tensor([0.], requires_grad=True))
    """
    groups, state = optimizer.param_groups, optimizer.state
    given = [*swapin_parameters.values()]
    packed = swapin_optim_state["param_groups"]
    sizes = [len(group["params"]) for group in groups]
    if [len(group["params"]) for group in packed] != sizes or len(given) != sum(sizes):
        raise ValueError(
            f"the optimizer has groups of {sizes} parameters, but {len(given)} parameters and "
            f"groups of {[len(group['params']) for group in packed]} are given"
        )
    ids = [number for group in packed for number in group["params"]]
    by_id = dict(zip(ids, given, strict=True))
    optimizer.param_groups = [
        {**group, "params": [by_id[number] for number in group["params"]]} for group in packed
    ]
    own = swapin_optim_state["state"]
    swapped = {by_id[number]: dict(values) for number, values in own.items() if number in by_id}
    optimizer.state = defaultdict(dict, swapped)
    try:
        yield
    finally:
        optimizer.param_groups, optimizer.state = groups, state
