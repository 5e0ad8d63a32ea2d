"""Layers that quantize their inputs for each call."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.nn.quantized.dynamic.modules import GRU, LSTM, GRUCell, Linear, LSTMCell, RNNCell

__all__ = ["GRU", "LSTM", "GRUCell", "LSTMCell", "Linear", "RNNCell"]

__getattr__ = _import_at_use(__name__)
