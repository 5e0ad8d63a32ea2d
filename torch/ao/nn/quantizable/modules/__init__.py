"""The layers of `torch.ao.nn.quantizable`."""

from torch.ao.nn.quantizable.modules.rnn import LSTM, LSTMCell

__all__ = ["LSTM", "LSTMCell"]
