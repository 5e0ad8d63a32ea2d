"""The classes of torch.nn.utils.prune."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.nn.modules.module import Module


def _validate_pruning_amount_init(amount: float) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if (whole and amount < 0) or (not whole and not 0 <= float(amount) <= 1):
        raise ValueError(
            f"amount={amount} should either be a float in the range "
            "[0, 1] or a non-negative integer"
        )


def _compute_nparams_toprune(amount: float, tensor_size: int) -> int:
    """Return the number of entries that an amount means.

    Raises:
        ValueError: If there are fewer entries than that.
    """
    if not isinstance(amount, numbers.Integral):
        return round(amount * tensor_size)
    _validate_pruning_amount(amount, tensor_size)
    return int(amount)


def _validate_pruning_amount(amount: float, tensor_size: int) -> None:
    """Raise ValueError for more entries than there are. Classes of other packages use it."""
    if isinstance(amount, numbers.Integral) and amount > tensor_size:
        raise ValueError(
            f"amount={amount} should be smaller than the number of parameters to "
            f"prune={tensor_size}"
        )


def _check_dim(tensor: Tensor, dim: int) -> None:
    if len(tensor.shape) <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of "
            f"shape {tensor.shape} with {len(tensor.shape)} dims"
        )
    if dim >= tensor.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {tensor.shape}")


def _slice_mask(tensor: Tensor, default_mask: Tensor, dim: int, kept: Tensor) -> Tensor:
    """Return a mask with zeros outside the kept slices of a dimension."""
    mask = torch.zeros_like(default_mask)
    slices = [slice(None)] * tensor.dim()
    slices[dim] = kept
    mask[tuple(slices)] = 1
    return mask * default_mask.to(dtype=mask.dtype)


class BasePruningMethod(ABC):
    """A way to choose the entries to prune, and the hook that applies its mask.

    A subclass sets PRUNING_TYPE to ``unstructured``, ``structured`` or ``global``, and defines
    compute_mask(tensor, default_mask), which returns the new mask.

    Example:
        >>> from torch.nn.utils import prune
        >>> class EveryOther(prune.BasePruningMethod):
        ...     PRUNING_TYPE = "unstructured"
        ...     def compute_mask(self, t, default_mask):
        ...         mask = default_mask.clone()
        ...         mask.view(-1)[::2] = 0
        ...         return mask
        >>> EveryOther().prune(torch.ones(4))
        tensor([0., 1., 0., 1.])
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        """Compute the pruned tensor; called before each forward pass."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask that this method computes on top of an existing one."""

    def apply_mask(self, module: Module) -> Tensor:
        """Return the product of the original parameter and the mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, f"{self._tensor_name}_mask")
        original = getattr(module, f"{self._tensor_name}_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls,
        module: Module,
        name: str,
        *args: Any,
        importance_scores: Tensor | None = None,
        **kwargs: Any,
    ) -> BasePruningMethod:
        """Prune a parameter and register the hook; a second pruning adds to the first."""
        method = cls(*args, **kwargs)
        method._tensor_name = name
        earlier = [
            (key, hook)
            for key, hook in module._forward_pre_hooks.items()
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
        ]
        for key, hook in earlier:
            del module._forward_pre_hooks[key]
            container = hook if isinstance(hook, PruningContainer) else PruningContainer(hook)
            container.add_pruning_method(method)
            method = container
        original = getattr(module, name)
        if importance_scores is not None and importance_scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}"
            )
        scores = original if importance_scores is None else importance_scores
        if earlier:
            default = getattr(module, f"{name}_mask").detach().clone()
        else:
            default = torch.ones_like(original)
        # An error in here leaves the module as it was.
        mask = method.compute_mask(scores, default_mask=default)
        if not earlier:
            module.register_parameter(f"{name}_orig", original)
            del module._parameters[name]
        module.register_buffer(f"{name}_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(
        self,
        t: Tensor,
        default_mask: Tensor | None = None,
        importance_scores: Tensor | None = None,
    ) -> Tensor:
        """Return a tensor with the entries pruned that this method chooses."""
        if importance_scores is not None and importance_scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        scores = t if importance_scores is None else importance_scores
        default = torch.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=default)

    def remove(self, module: Module) -> None:
        """Make the pruned tensor an ordinary parameter again; the zeros stay."""
        weight = self.apply_mask(module)
        if hasattr(module, self._tensor_name):
            delattr(module, self._tensor_name)
        original = module._parameters[f"{self._tensor_name}_orig"]
        original.data = weight.data
        del module._parameters[f"{self._tensor_name}_orig"]
        del module._buffers[f"{self._tensor_name}_mask"]
        setattr(module, self._tensor_name, original)


class PruningContainer(BasePruningMethod):
    """Several prunings of one parameter, each of the entries that the others left.

    Args:
        *args: Pruning methods of the same parameter.

    Example:
        >>> from torch.nn.utils import prune
        >>> layer = nn.Linear(4, 1)
        >>> _ = prune.l1_unstructured(layer, "weight", 1)
        >>> _ = prune.l1_unstructured(layer, "weight", 2)
        >>> int((layer.weight == 0).sum())
        3
    """

    def __init__(self, *args: Any) -> None:
        methods = args[0] if len(args) == 1 and isinstance(args[0], Iterable) else args
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        for method in methods:
            if not self._pruning_methods:
                self._tensor_name = method._tensor_name
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod | None) -> None:
        """Add a method, which must prune the same parameter."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' "
                f"to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, index: int) -> Any:
        return self._pruning_methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Apply the last method to the entries that are not pruned yet."""
        method, mask = self._pruning_methods[-1], default_mask.to(dtype=t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            chosen: Any = mask == 1
        elif method.PRUNING_TYPE == "structured":
            dim = method.dim + t.dim() if method.dim < 0 else method.dim
            others = tuple(d for d in range(t.dim()) if d != dim)
            kept = torch.sum(mask, dim=others) != 0
            chosen = tuple(kept if d == dim else slice(None) for d in range(t.dim()))
        elif method.PRUNING_TYPE == "global":
            chosen = tuple(slice(None) for _ in range(t.dim()))
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        if isinstance(method, PruningContainer):
            method = method[-1]
        result = mask.clone()
        result[chosen] = method.compute_mask(t[chosen], default_mask=mask[chosen]).to(mask.dtype)
        return result


class Identity(BasePruningMethod):
    """The pruning of nothing, which only makes the mask.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.Identity().prune(torch.ones(2))
        tensor([1., 1.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the existing mask."""
        return default_mask


class RandomUnstructured(BasePruningMethod):
    """The pruning of random entries.

    Args:
        amount: How many entries to prune: a number, or a fraction of all.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.RandomUnstructured(2).prune(torch.ones(5)).sum()
        tensor(3.)
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask with more zeros at random entries."""
        count, mask = _compute_nparams_toprune(self.amount, t.nelement()), default_mask.clone()
        if count != 0:
            chosen = torch.topk(torch.rand_like(t).view(-1), k=count)
            mask.view(-1)[chosen.indices] = 0
        return mask


class L1Unstructured(BasePruningMethod):
    """The pruning of the entries with the smallest absolute values.

    Args:
        amount: How many entries to prune: a number, or a fraction of all.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.L1Unstructured(1).prune(torch.tensor([3.0, -0.5]))
        tensor([3., -0.])
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask with more zeros at the smallest entries."""
        mask = default_mask.clone(memory_format=torch.contiguous_format)
        count = _compute_nparams_toprune(self.amount, t.nelement())
        if count != 0:
            chosen = torch.topk(torch.abs(t).reshape(-1), k=count, largest=False)
            mask.view(-1)[chosen.indices] = 0
        return mask


class RandomStructured(BasePruningMethod):
    """The pruning of random slices of a dimension.

    Args:
        amount: How many slices to prune: a number, or a fraction of all.
        dim: The dimension.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.RandomStructured(1, dim=0).prune(torch.ones(3, 2)).sum()
        tensor(4.)
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask with more zeros in random slices."""
        _check_dim(t, self.dim)
        size = t.shape[self.dim]
        count = _compute_nparams_toprune(self.amount, size)
        if count == 0:
            return default_mask
        order = torch.rand(size)
        threshold = torch.kthvalue(order, k=count).values
        return _slice_mask(t, default_mask, self.dim, order > threshold)


class LnStructured(BasePruningMethod):
    """The pruning of the slices of a dimension with the smallest norms.

    Args:
        amount: How many slices to prune: a number, or a fraction of all.
        n: The order of the norm; see torch.norm.
        dim: The dimension.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.LnStructured(1, n=2, dim=0).prune(torch.tensor([[3.0], [0.5]]))
        tensor([[3.],
                [0.]])
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, n: float | str, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask with more zeros in the smallest slices."""
        _check_dim(t, self.dim)
        size = t.shape[self.dim]
        count = _compute_nparams_toprune(self.amount, size)
        if count == 0:
            return default_mask
        dim = self.dim + t.dim() if self.dim < 0 else self.dim
        norms = torch.norm(t, p=self.n, dim=[d for d in range(t.dim()) if d != dim])
        kept = torch.topk(norms, k=size - count, largest=True).indices
        return _slice_mask(t, default_mask, self.dim, kept)


class CustomFromMask(BasePruningMethod):
    """The pruning of the entries where a given mask is zero.

    Args:
        mask: The mask.

    Example:
        >>> from torch.nn.utils import prune
        >>> prune.CustomFromMask(torch.tensor([1, 0])).prune(torch.tensor([3.0, 4.0]))
        tensor([3., 0.])
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the product of both masks."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError("default_mask and mask must have the same shape")
        return default_mask * self.mask.to(dtype=default_mask.dtype)
