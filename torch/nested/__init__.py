"""Nested tensors, which this build does not have: their names."""

from torch._absent import refusing as _refusing

__all__ = [
    "as_nested_tensor",
    "masked_select",
    "narrow",
    "nested_tensor",
    "nested_tensor_from_jagged",
    "to_padded_tensor",
]
globals().update(
    _refusing(
        "torch.nested",
        __all__,
        NotImplementedError,
        "torch.nested.{name} needs nested tensors, which this build does not have; pad the tensors "
        "with torch.nn.utils.rnn.pad_sequence",
    )
)
