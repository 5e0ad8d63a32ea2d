"""Batches of sequences of different lengths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor


class _Fields(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the inverse of a permutation, or None for None.

    Args:
        permutation: Vector of the integers from 0 to its length - 1.

    Returns:
        A vector of the same length.

    Example:
        >>> nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1]))
        tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    inverse = torch.empty_like(permutation, memory_format=torch.legacy_contiguous_format)
    inverse.scatter_(0, permutation, torch.arange(permutation.numel(), device=permutation.device))
    return inverse


class PackedSequence(_Fields):
    """A batch of sequences stored step by step.

    `data` holds the first step of every sequence, then the second step of every sequence that has
    one, and so on. Sequences are ordered from the longest to the shortest. Functions such as
    pack_sequence() create instances.

    Args:
        data: Steps of all sequences, (sum of lengths, *).
        batch_sizes: Number of sequences that have each step, an integer vector on the CPU.
        sorted_indices: Permutation that sorted the sequences, or None.
        unsorted_indices: Inverse of that permutation. The default is computed.

    Raises:
        ValueError: If `batch_sizes` is not on the CPU.

    Example:
        >>> sequences = [torch.tensor([1, 2, 3]), torch.tensor([4, 5])]
        >>> packed = nn.utils.rnn.pack_sequence(sequences)
        >>> packed.data, packed.batch_sizes
        (tensor([1, 4, 2, 5, 3]), tensor([2, 2, 1]))
    """

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        """Create a batch from its fields. `data` alone may be the pair of data and batch sizes."""
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be "
                "created manually. They should be instantiated by functions like "
                "pack_sequence and pack_padded_sequences in nn.utils.rnn. "
                "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
            )
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Return the sequences with another dtype or on another device.

        The arguments are those of Tensor.to(). Without a change, the same object is returned.
        """
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        orders = [
            None if order is None else order.to(data.device)
            for order in (self.sorted_indices, self.unsorted_indices)
        ]
        return type(self)(data, self.batch_sizes, *orders)

    def pin_memory(self) -> PackedSequence:
        """Return the same sequences in memory that devices copy from directly."""
        return type(self)(
            self.data.pin_memory(),
            self.batch_sizes,
            *(order if order is None else order.pin_memory() for order in self[2:]),
        )

    def cpu(self) -> PackedSequence:
        """Return the sequences on the CPU."""
        return self.to(device="cpu")

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Return the sequences on a CUDA device."""
        return self.to(*args, device="cuda", **kwargs)

    def double(self) -> PackedSequence:
        """Return the sequences as float64."""
        return self.to(dtype=torch.double)

    def float(self) -> PackedSequence:
        """Return the sequences as float32."""
        return self.to(dtype=torch.float)

    def half(self) -> PackedSequence:
        """Return the sequences as float16."""
        return self.to(dtype=torch.half)

    def long(self) -> PackedSequence:
        """Return the sequences as int64."""
        return self.to(dtype=torch.int64)

    def int(self) -> PackedSequence:
        """Return the sequences as int32."""
        return self.to(dtype=torch.int32)

    def short(self) -> PackedSequence:
        """Return the sequences as int16."""
        return self.to(dtype=torch.int16)

    def char(self) -> PackedSequence:
        """Return the sequences as int8."""
        return self.to(dtype=torch.int8)

    def byte(self) -> PackedSequence:
        """Return the sequences as uint8."""
        return self.to(dtype=torch.uint8)

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a CUDA device."""
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Return whether the data is in pinned memory."""
        return self.data.is_pinned()


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | Sequence[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Pack a padded batch of sequences, leaving out the padding.

    Args:
        input: Padded batch, (T, N, *), or (N, T, *) with `batch_first`.
        lengths: Length of each sequence, N integers.
        batch_first: Whether the batch dimension comes first.
        enforce_sorted: If True, the lengths must be in decreasing order. Otherwise, the sequences
            are sorted, and their order is stored.

    Returns:
        The sequences as a PackedSequence.

    Raises:
        RuntimeError: If a length is not positive or the lengths are in the wrong order.

    Example:
        >>> batch = torch.tensor([[1, 2, 3], [4, 5, 0]])
        >>> packed = nn.utils.rnn.pack_padded_sequence(batch, [3, 2], batch_first=True)
        >>> packed.data
        tensor([1, 4, 2, 5, 3])
    """
    lengths = torch.as_tensor(lengths, dtype=torch.int64, device="cpu")
    order = None
    if not enforce_sorted:
        lengths, order = torch.sort(lengths, descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    data, batch_sizes = torch._VF._pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, order, None)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Convert a packed batch to a padded one.

    Args:
        sequence: Batch to convert.
        batch_first: Whether the batch dimension of the result comes first.
        padding_value: Value of the padding.
        total_length: Length to pad to. The default is the longest sequence's.

    Returns:
        The padded batch, (T, N, *) or (N, T, *), and the lengths, (N).

    Raises:
        ValueError: If `total_length` is less than the longest sequence.

    Example:
        >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4, 5])])
        >>> nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
        (tensor([[1, 2, 3],
                [4, 5, 0]]), tensor([3, 2]))
    """
    steps = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, "
                f"but got total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    padded, lengths = torch._VF._pad_packed_sequence(
        sequence.data, sequence.batch_sizes, batch_first, padding_value, steps
    )
    order = sequence.unsorted_indices
    if order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]


def pad_sequence(
    sequences: Tensor | Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Stack sequences of different lengths, padding the shorter ones.

    Args:
        sequences: Tensors of shape (L_i, *).
        batch_first: Whether the batch dimension of the result comes first.
        padding_value: Value of the padding.
        padding_side: ``right`` or ``left``.

    Returns:
        The padded batch, (T, N, *) or (N, T, *), where T is the largest L_i.

    Raises:
        RuntimeError: If there are no sequences or the side is unknown.

    Example:
        >>> sequences = [torch.tensor([1, 2, 3]), torch.tensor([4, 5])]
        >>> nn.utils.rnn.pad_sequence(sequences, batch_first=True)
        tensor([[1, 2, 3],
                [4, 5, 0]])
    """
    if not isinstance(sequences, (Iterable, Tensor)):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    sequences = list(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    longest = max(sequence.size(0) for sequence in sequences)
    trailing = sequences[0].shape[1:]
    count = len(sequences)
    shape = (count, longest, *trailing) if batch_first else (longest, count, *trailing)
    padded = sequences[0].new_full(shape, padding_value)
    for index, sequence in enumerate(sequences):
        length = sequence.size(0)
        where = slice(length) if padding_side == "right" else slice(longest - length, longest)
        if batch_first:
            padded[index, where] = sequence
        else:
            padded[where, index] = sequence
    return padded


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """Split a padded batch into its sequences.

    Args:
        padded_sequences: Padded batch, (T, N, *), or (N, T, *) with `batch_first`.
        lengths: Length of each sequence, (N).
        batch_first: Whether the batch dimension comes first.

    Returns:
        A list of N tensors of shape (L_i, *).

    Example:
        >>> batch = torch.tensor([[1, 2, 3], [4, 5, 0]])
        >>> nn.utils.rnn.unpad_sequence(batch, torch.tensor([3, 2]), batch_first=True)
        [tensor([1, 2, 3]), tensor([4, 5])]
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[: int(length)] for row, length in zip(rows, lengths, strict=True)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack a list of sequences.

    Args:
        sequences: Tensors of shape (L_i, *).
        enforce_sorted: If True, the sequences must be in order of decreasing length. Otherwise,
            they are sorted, and their order is stored.

    Returns:
        The sequences as a PackedSequence.

    Raises:
        RuntimeError: If a sequence is empty or the lengths are in the wrong order.

    Example:
        >>> sequences = [torch.tensor([1, 2]), torch.tensor([3, 4, 5])]
        >>> nn.utils.rnn.pack_sequence(sequences, enforce_sorted=False).data
        tensor([3, 1, 4, 2, 5])
    """
    lengths = torch.as_tensor([sequence.size(0) for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Split a packed batch into its sequences.

    Args:
        packed_sequences: Batch to split.

    Returns:
        A list of tensors of shape (L_i, *), in their original order.

    Example:
        >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4, 5])])
        >>> nn.utils.rnn.unpack_sequence(packed)
        [tensor([1, 2, 3]), tensor([4, 5])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
