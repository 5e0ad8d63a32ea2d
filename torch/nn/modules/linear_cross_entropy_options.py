"""The options of `nn.functional.linear_cross_entropy`: how it divides a batch into chunks."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Any

import torch

_POLICIES = ("accurate", "balanced", "compact", "auto")
_DTYPES = (None, torch.float16, torch.bfloat16, torch.float32, torch.float64)
_ASPECT_RATIO = re.compile(r"aspect_ratio:([1-9]\d*)")
_AUTOMATIC_RATIO = 2


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """How `linear_cross_entropy` computes a batch in chunks, so that no tensor holds all logits.

    Args:
        allow_retain_graph: Whether backward may run more than once; it then keeps its gradients, which
            takes the memory of one more set of them.
        batch_chunk_size: The number of samples in a chunk; None chooses it by `chunking_method`.
        chunking_method: ``"aspect_ratio:K"`` lets the logits of a chunk take about K times the memory of
            the input; ``"auto"`` is K = 2; None makes one chunk of the batch.
        acc_policy: Where half precision is accumulated in `acc_dtype`: ``"compact"`` in the probabilities,
            ``"balanced"`` in the gradient of the weight too, ``"accurate"`` in the products as well;
            ``"auto"`` is compact.
        acc_dtype: The dtype to accumulate in. None means float32 for half precision, else the input's dtype.

    Raises:
        ValueError: If a value is not one of these.

    Example:
        >>> options = nn.LinearCrossEntropyOptions(batch_chunk_size=2)
        >>> x, w = torch.eye(3), torch.eye(3)
        >>> F.linear_cross_entropy(x, w, torch.arange(3), options=options)
        tensor(0.5514)
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: torch.dtype | None = None

    def __post_init__(self) -> None:
        size = self.batch_chunk_size
        if size is not None and (not isinstance(size, int) or size <= 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size}")
        if self.chunking_method not in (None, "auto") and self._aspect_ratio() is None:
            raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        if self.acc_policy not in _POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.acc_dtype not in _DTYPES:
            raise ValueError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, torch.float64}, "
                f"got {self.acc_dtype}. Pass acc_dtype=None to let the op pick automatically."
            )

    def __getstate__(self) -> list[Any]:
        return [getattr(self, field.name) for field in dataclasses.fields(self)]

    def __setstate__(
        self, state: list[Any]
    ) -> None:  # PyTorch's class has slots, so a list is pickled
        for field, value in zip(dataclasses.fields(self), state, strict=True):
            object.__setattr__(self, field.name, value)

    def _aspect_ratio(self) -> int | None:
        if self.chunking_method == "auto":
            return _AUTOMATIC_RATIO
        match = _ASPECT_RATIO.fullmatch(self.chunking_method or "")
        return int(match[1]) if match else None

    def chunk_size(self, samples: int, in_features: int, num_classes: int) -> int:
        """Return the number of samples in a chunk, at least 1."""
        if self.batch_chunk_size is not None:
            return self.batch_chunk_size
        ratio = self._aspect_ratio()
        if ratio is None:
            return max(samples, 1)
        return max(ratio * samples * in_features // max(num_classes, 1), 1)

    def accumulation_dtype(self, dtype: torch.dtype) -> torch.dtype:
        """Return the dtype to accumulate in for inputs of a dtype.

        Raises:
            RuntimeError: If `acc_dtype` is not possible for it.
        """
        is_half = dtype in (torch.float16, torch.bfloat16)
        natural = torch.float32 if is_half else dtype
        if self.acc_dtype not in (None, dtype, natural):
            raise RuntimeError(
                "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, but got "
                f"{self.acc_dtype} acc_dtype and {dtype} inputs."
            )
        return natural if self.acc_dtype is None else self.acc_dtype
