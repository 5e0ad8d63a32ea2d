"""Neural-network building blocks: today their functional forms."""

from torch.nn import functional

__all__ = ["functional"]
