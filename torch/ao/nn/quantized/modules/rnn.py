"""Long short-term memory whose inputs, weights and results are quantized."""

from __future__ import annotations

from typing import Any, NoReturn

from torch.ao.nn.quantizable.modules import rnn

__all__ = ["LSTM"]


class LSTM(rnn.LSTM):
    """What becomes of an observed `torch.ao.nn.quantizable.LSTM`.

    Example:
        >>> issubclass(torch.ao.nn.quantized.LSTM, torch.ao.nn.quantizable.LSTM)
        True
    """

    _FLOAT_MODULE = rnn.LSTM

    def _get_name(self) -> str:
        return "QuantizedLSTM"

    @classmethod
    def from_float(cls, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise NotImplementedError: layers are observed first."""
        raise NotImplementedError(
            "layers of floating point cannot be quantized directly; use torch.ao.quantization.prepare"
        )

    @classmethod
    def from_observed(cls, other: Any) -> Any:
        """Return the quantized layers for observed ones.

        Raises:
            AssertionError: If the module is of another class.
        """
        if not isinstance(other, cls._FLOAT_MODULE):
            raise AssertionError(f"expected a {cls._FLOAT_MODULE}, got {type(other)}")
        from torch.ao.quantization.quantize import convert

        converted = convert(other, inplace=False, remove_qconfig=True)
        converted.__class__ = cls
        return converted
