"""Write event files that TensorBoard shows."""

from __future__ import annotations

from torch.utils.tensorboard.writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
