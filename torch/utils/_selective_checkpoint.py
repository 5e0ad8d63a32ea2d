"""Selective checkpointing: a policy says for each operator whether its result is kept or recomputed."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import _C, Tensor
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

SAC_IGNORED_OPS = {torch.ops.aten.detach.default}
"""Operators that saved tensors themselves call, whose results are never kept."""


class CheckpointPolicy(enum.Enum):
    """Whether the result of an operator is kept for the backward pass, or computed again.

    There is no compiler here that could overrule a preference, so MUST and PREFER mean the same.

    Example:
        >>> from torch.utils.checkpoint import CheckpointPolicy
        >>> CheckpointPolicy.MUST_SAVE.value
        0
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_SAVING = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)
_OFFLOADING = (CheckpointPolicy.MUST_CPU_OFFLOAD, CheckpointPolicy.PREFER_CPU_OFFLOAD)


class SelectiveCheckpointContext:
    """Information about a call, for a policy: whether it is a repetition, and its result.

    Example:
        >>> from torch.utils.checkpoint import SelectiveCheckpointContext
        >>> SelectiveCheckpointContext(is_recompute=False).is_recompute
        False
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


class _Kept:
    """A tensor of a kept result, and its version at that time."""

    def __init__(self, tensor: Tensor, offload: bool) -> None:
        with _C._SetExcludeDispatchKeyGuard(_C.DispatchKey.ADInplaceOrView, False):
            alias = tensor.detach()  # shares the tensor's version
        self.version, self.device = alias._version, tensor.device
        self.tensor = alias.to("cpu") if offload else alias

    def get(self, allow_mutation: bool) -> Tensor:
        """Return the tensor."""
        if self.tensor._version != self.version and not allow_mutation:
            raise RuntimeError(
                "Tensor cached during selective activation checkpoint has been mutated"
            )
        return self.tensor.to(self.device)


_Results = dict[Any, list[Any]]
_RECOMPUTED = object()  # stands for a result that was not kept


class _Keeping(TorchDispatchMode):
    """Keeps the results that the policy names, in the order of the calls of each operator."""

    def __init__(self, policy: Callable[..., Any], results: _Results) -> None:
        super().__init__()
        self._policy, self._results = policy, results

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if func in SAC_IGNORED_OPS:
            return result
        context = SelectiveCheckpointContext(is_recompute=False, op_output=result)
        choice = self._policy(context, func, *args, **kwargs)
        if isinstance(choice, bool):
            choice = CheckpointPolicy.MUST_SAVE if choice else CheckpointPolicy.PREFER_RECOMPUTE
        kept = _RECOMPUTED
        if choice in _SAVING or choice in _OFFLOADING:
            offload = choice in _OFFLOADING
            kept = tree_map(lambda x: _Kept(x, offload) if isinstance(x, Tensor) else x, result)
        self._results[func].append(kept)
        return result


class _Repeating(TorchDispatchMode):
    """Returns the results that were kept, and computes the others again."""

    def __init__(self, results: _Results, allow_mutation: bool) -> None:
        super().__init__()
        self._results, self._allow_mutation = results, allow_mutation

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in SAC_IGNORED_OPS:
            return func(*args, **(kwargs or {}))
        waiting = self._results.get(func)
        if waiting is None:
            raise RuntimeError(
                f"{func} encountered during backward, but not found in storage: the function "
                "calls other operators than in the forward pass"
            )
        if not waiting:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region "
                "computed under selective activation checkpoint."
            )
        kept = waiting.pop(0)
        if kept is _RECOMPUTED:
            return func(*args, **(kwargs or {}))
        allowed = self._allow_mutation
        return tree_map(lambda x: x.get(allowed) if isinstance(x, _Kept) else x, kept)


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable[..., Any] | Sequence[OpOverload],
    allow_cache_entry_mutation: bool = False,
) -> tuple[TorchDispatchMode, TorchDispatchMode]:
    """Return the contexts of the call and of its repetition, for `context_fn` of `checkpoint`.

    Args:
        policy_fn_or_list: A function `policy(context, operator, *args, **kwargs)` that returns a
            `CheckpointPolicy`, or the list of the operators whose results are kept.
        allow_cache_entry_mutation: Whether kept tensors may be changed in place before they are
            used, which usually gives wrong gradients.

    Raises:
        ValueError: If an item of the list is not an overload of an operator.
        TypeError: For neither a function nor a list.

    Example:
        >>> from functools import partial
        >>> from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
        >>> x = torch.ones(2, 2, requires_grad=True)
        >>> keep = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
        >>> y = checkpoint(lambda x: (x @ x).sin(), x, use_reentrant=False, context_fn=keep)
        >>> y.sum().backward()
    """
    if isinstance(policy_fn_or_list, list):
        for operator in policy_fn_or_list:
            if not isinstance(operator, OpOverload):
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {operator} "
                    f"of type {type(operator)}. Please update the OpOverloadPacket to a specific "
                    "OpOverload. For example, if you have `torch.ops.aten.mm`, change it to "
                    "`torch.ops.aten.mm.default`."
                )
        names = list(policy_fn_or_list)

        def policy(context: Any, operator: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            kept = operator in names
            return CheckpointPolicy.MUST_SAVE if kept else CheckpointPolicy.PREFER_RECOMPUTE

    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    results: _Results = defaultdict(list)
    return _Keeping(policy, results), _Repeating(results, allow_cache_entry_mutation)
