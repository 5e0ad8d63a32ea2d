"""The layers of `torch.ao.nn.quantizable`."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.nn.quantizable.modules.rnn import LSTM, LSTMCell

__all__ = ["LSTM", "LSTMCell"]

__getattr__ = _import_at_use(__name__)
