"""Arm's KleidiAI, which this build does not use."""

from torch import _absent

globals().update(_absent.answering("torch.backends.kleidiai", {"is_available": False}, "KleidiAI"))
