"""Softmax over many classes in clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.container import ModuleList, Sequential
from torch.nn.modules.linear import Linear
from torch.nn.modules.module import Module


class _ASMoutput(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log softmax over classes sorted by frequency, with small projections for rare classes.

    See Grave et al., "Efficient softmax approximation for GPUs" (2016).

    Args:
        in_features: Size of each input vector.
        n_classes: Number of classes; class 0 is the most frequent.
        cutoffs: First class of each cluster after the frequent ones, in increasing order.
        div_value: Factor by which the projection of each cluster is smaller than the last one's.
        head_bias: If True, the scores of frequent classes and clusters have a bias.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (N, in_features) or (in_features).
        - Target: (N) or ().
        - Output: the log probabilities of the targets, (N) or (), and the mean loss.

    Raises:
        ValueError: If the cutoffs are not increasing, unique and between 1 and n_classes - 1.

    Example:
        >>> layer = nn.AdaptiveLogSoftmaxWithLoss(16, 100, cutoffs=[10, 50])
        >>> output, loss = layer(torch.randn(4, 16), torch.tensor([0, 9, 42, 99]))
        >>> output.shape
        torch.Size([4])
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if len(cutoffs) == 0:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        whole = all(int(cutoff) == cutoff for cutoff in cutoffs)
        unique = len(set(cutoffs)) == len(cutoffs) and cutoffs == sorted(cutoffs)
        if not whole or not unique or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
                "order, where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        options = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **options)
        self.tail = ModuleList()
        for cluster in range(self.n_clusters):
            width = int(in_features // div_value ** (cluster + 1))
            size = self.cutoffs[cluster + 1] - self.cutoffs[cluster]
            self.tail.append(
                Sequential(
                    Linear(in_features, width, bias=False, **options),
                    Linear(width, size, bias=False, **options),
                )
            )

    def reset_parameters(self) -> None:
        """Initialize the projections again."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """Return the log probabilities of the targets, and the mean of their negatives.

        Raises:
            RuntimeError: If the sizes do not fit, or a target is no class.
        """
        batched = target_.dim() > 0
        if target_.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if batched and input_.shape[0] != target_.shape[0]:
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input_.dim() != (2 if batched else 1):
            expected = "2D" if batched else "1D"
            raise RuntimeError(
                f"{expected} input tensor expected for a target of {target_.dim()} dimensions, but "
                f"found inputs with size {input_.size()}"
            )
        input = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)
        if bool(((target < 0) | (target >= self.n_classes)).any()):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        output = self._target_log_prob(input, target)
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _target_log_prob(self, input: Tensor, target: Tensor) -> Tensor:
        """Only inputs with a target in a cluster pass its projections."""
        head = F.log_softmax(self.head(input), dim=1)
        index = target.clone()
        parts, rows = [], []
        for cluster, projection in enumerate(self.tail):
            low, high = self.cutoffs[cluster], self.cutoffs[cluster + 1]
            chosen = ((target >= low) & (target < high)).nonzero().squeeze(1)
            if chosen.numel() == 0:
                continue
            index[chosen] = self.shortlist_size + cluster
            scores = F.log_softmax(projection(input.index_select(0, chosen)), dim=1)
            inside = target.index_select(0, chosen) - low
            parts.append(scores.gather(1, inside.unsqueeze(1)).squeeze(1))
            rows.append(chosen)
        output = head.gather(1, index.unsqueeze(1)).squeeze(1)
        if not parts:
            return output
        return output.index_add(0, torch.cat(rows), torch.cat(parts).to(output.dtype))

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log probabilities of all classes, (N, n_classes)."""
        return self._full_log_prob(input, self.head(input))

    def _full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        head = F.log_softmax(head_output, dim=1)
        parts = [head[:, : self.shortlist_size]]
        for cluster, projection in enumerate(self.tail):
            scores = F.log_softmax(projection(input), dim=1)
            parts.append(scores + head[:, self.shortlist_size + cluster].unsqueeze(1))
        return torch.cat(parts, dim=1)

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class of each input, (N); clusters only where they may win."""
        head_output = self.head(input)
        output = torch.argmax(head_output, dim=1)
        unsure = (output >= self.shortlist_size).nonzero().squeeze(1)
        if unsure.numel() == 0:
            return output
        scores = self._full_log_prob(
            input.index_select(0, unsure), head_output.index_select(0, unsure)
        )
        return output.index_copy(0, unsure, torch.argmax(scores, dim=1))
