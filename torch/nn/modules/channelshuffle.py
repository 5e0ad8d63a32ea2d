"""Exchange of channels between groups."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.module import Module


class ChannelShuffle(Module):
    """Channels reordered so that each group receives some of every group.

    Args:
        groups: Number of groups; it divides the number of channels.

    Shape:
        - Input and output: (N, C, ...).

    Example:
        >>> nn.ChannelShuffle(2)(torch.arange(4.0).reshape(1, 4, 1, 1)).flatten()
        tensor([0., 2., 1., 3.])
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """Reorder the channels."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """Return the settings that repr() shows."""
        return f"groups={self.groups}"
