"""Layers that quantize their inputs for each call."""

from torch.ao.nn.quantized.dynamic.modules import GRU, LSTM, GRUCell, Linear, LSTMCell, RNNCell

__all__ = ["GRU", "LSTM", "GRUCell", "LSTMCell", "Linear", "RNNCell"]
