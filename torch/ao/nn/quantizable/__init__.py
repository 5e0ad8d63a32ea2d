"""Layers made of parts that observers can look at, which quantization puts in place of whole ones."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.nn.quantizable.modules import LSTM, LSTMCell

__all__ = ["LSTM", "LSTMCell"]

__getattr__ = _import_at_use(__name__)
