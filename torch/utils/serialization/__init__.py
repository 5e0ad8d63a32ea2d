"""Settings of torch.save and torch.load."""

from torch.utils.serialization import config

__all__ = ["config"]
