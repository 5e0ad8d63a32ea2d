"""Packed weights: the objects that quantized layers keep, and that PyTorch's files store as script objects."""

from __future__ import annotations

import copyreg
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._quantized._byte_products import ByteWeights, packed_weights
from torch.jit._torchscript._objects import ScriptObject, register_class

Tensor = torch.Tensor


class PackedObject(ScriptObject):
    """A script object whose class is written in Python; `_packed` and `_unpacked` convert its state."""

    _class_name: str

    def _packed(self) -> tuple[Any, ...]:
        """Return the state in the form of PyTorch's files."""
        raise NotImplementedError

    @classmethod
    def _unpacked(cls, state: tuple[Any, ...]) -> PackedObject:
        """Return the object of a state."""
        raise NotImplementedError

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class that files name: pickles refuse to store an object as one of another class."""
        return ScriptObject

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __getstate__(self) -> tuple[Any, str]:
        return self._packed(), self._class_name

    def __reduce_ex__(self, protocol: Any) -> Any:
        return copyreg.__newobj__, (ScriptObject,), self.__getstate__()  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"ScriptObject <{self._class_name}>"


@dataclass(frozen=True, eq=False, repr=False)
class LinearWeights(PackedObject):
    """What `linear_prepack` returns: a weight (out, in) and a bias (out) or None."""

    weight: Any
    bias: Tensor | None
    product: ByteWeights | None = field(init=False)
    """What the native product reads; files do not contain it."""

    _class_name = "__torch__.torch.classes.quantized.LinearPackedParamsBase"

    def __post_init__(self) -> None:
        object.__setattr__(self, "product", packed_weights(self.weight, self.bias))

    def _packed(self) -> tuple[Any, ...]:
        return self.weight, self.bias

    @classmethod
    def _unpacked(cls, state: tuple[Any, ...]) -> LinearWeights:
        return cls(*state)


@dataclass(frozen=True, eq=False, repr=False)
class ConvWeights(PackedObject):
    """What `conv2d_prepack` and its relatives return."""

    weight: Any
    bias: Tensor | None
    stride: Sequence[int]
    padding: Sequence[int]
    dilation: Sequence[int]
    groups: int
    output_padding: Sequence[int] = ()
    transposed: bool = False
    product: ByteWeights | None = field(init=False)
    """What the native product reads, unless the convolution is transposed; files do not contain it."""

    def __post_init__(self) -> None:
        product = None if self.transposed else packed_weights(self.weight, self.bias, self.groups)
        object.__setattr__(self, "product", product)

    @property
    def _class_name(self) -> str:  # type: ignore[override]
        dims = max(self.weight.dim() - 2, 2)
        return f"__torch__.torch.classes.quantized.Conv{dims}dPackedParamsBase"

    def _packed(self) -> tuple[Any, ...]:
        dims = self.weight.dim() - 2
        steps = (self.stride, self.padding, self.dilation, self.output_padding or (0,) * dims)
        numbers = [dims, *(n for each in steps for n in each), self.groups, int(self.transposed)]
        return "2", [torch.tensor(numbers, dtype=torch.int16), self.weight], [self.bias]

    @classmethod
    def _unpacked(cls, state: tuple[Any, ...]) -> ConvWeights:
        _, (packed, weight), (bias,) = state
        dims, *numbers = packed.tolist()
        stride, padding, dilation, ends = (
            tuple(numbers[start : start + dims]) for start in range(0, 4 * dims, dims)
        )
        groups, transposed = numbers[4 * dims :]
        return cls(weight, bias, stride, padding, dilation, groups, ends, bool(transposed))


@dataclass(frozen=True, eq=False, repr=False)
class EmbeddingWeights(PackedObject):
    """What `embedding_bag_prepack` returns: a weight (rows, columns) of quint8 or quint4x2."""

    weight: Any

    _class_name = "__torch__.torch.classes.quantized.EmbeddingPackedParamsBase"

    def _packed(self) -> tuple[Any, ...]:
        bits = 4 if self.weight.dtype == torch.quint4x2 else 8
        return 1, [self.weight], [], [bits]

    @classmethod
    def _unpacked(cls, state: tuple[Any, ...]) -> EmbeddingWeights:
        return cls(state[1][0])


@dataclass(frozen=True, eq=False, repr=False)
class CellWeights(PackedObject):
    """The weights of a recurrent layer: integers with biases of their own, or float16."""

    input: LinearWeights
    hidden: LinearWeights
    biases: tuple[Tensor, ...] = ()
    reduce_range: bool = False

    _class_name = "__torch__.torch.classes.rnn.CellParamsBase"

    @property
    def is_integer(self) -> bool:
        """Whether the inputs are quantized for the products."""
        return bool(self.biases)

    def _packed(self) -> tuple[Any, ...]:
        layers = [self.input, self.hidden]
        if not self.is_integer:
            return "quantized_fp16", [], [], [], layers
        return "quantized_dynamic", list(self.biases), [], [int(self.reduce_range)], layers

    @classmethod
    def _unpacked(cls, state: tuple[Any, ...]) -> CellWeights:
        _, biases, _, numbers, layers = state
        return cls(*layers, tuple(biases), bool(numbers and numbers[0]))


for _name, _class in {
    "quantized.LinearPackedParamsBase": LinearWeights,
    "quantized.Conv2dPackedParamsBase": ConvWeights,
    "quantized.Conv3dPackedParamsBase": ConvWeights,
    "quantized.EmbeddingPackedParamsBase": EmbeddingWeights,
    "rnn.CellParamsBase": CellWeights,
}.items():
    register_class(f"__torch__.torch.classes.{_name}", _class._unpacked)
