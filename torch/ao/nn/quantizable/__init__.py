"""Layers made of parts that observers can look at, which quantization puts in place of whole ones."""

from torch.ao.nn.quantizable.modules import LSTM, LSTMCell

__all__ = ["LSTM", "LSTMCell"]
