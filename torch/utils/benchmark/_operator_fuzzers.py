"""Random arguments for operators: sizes from small to large, half of them powers of two, with steps."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.benchmark._fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer, ParameterAlias
from torch.utils.benchmark._sparse_fuzzer import FuzzedSparseTensor

_SIZES = (16, 16 * 1024**2)  # the smallest and the largest dimension
_POWERS_OF_TWO = tuple(2**i for i in range(4, 25))
_STEPS = {1: 0.8, 2: 0.05, 4: 0.05, 8: 0.05, 16: 0.05}
_DIMENSIONS = {1: 0.25, 2: 0.5, 3: 0.25}
_LIMITS: dict[str, Any] = {
    "min_elements": 4 * 1024,
    "max_elements": 32 * 1024**2,
    "dim_parameter": "dim",
}
_NAMES = ("k0", "k1", "k2")


def _parameters(largest: int = _SIZES[1]) -> list[Any]:
    powers = [n for n in _POWERS_OF_TWO if n <= largest]
    each = dict.fromkeys(powers, 1 / len(powers))
    choice = {ParameterAlias(f"k_{kind}_"): p for kind, p in (("any", 0.8), ("pow2", 0.2))}
    result: list[Any] = [FuzzedParameter("dim", distribution=_DIMENSIONS, strict=True)]
    for i in range(len(_NAMES)):
        aliases = {ParameterAlias(alias.alias_to + str(i)): p for alias, p in choice.items()}
        result += [
            FuzzedParameter(f"k_any_{i}", _SIZES[0], largest, "loguniform"),
            FuzzedParameter(f"k_pow2_{i}", distribution=each),
            FuzzedParameter(f"k{i}", distribution=aliases, strict=True),
        ]
    return result


def _steps(name: str) -> list[Any]:
    return [FuzzedParameter(f"{name}_step_{i}", distribution=_STEPS) for i in range(len(_NAMES))]


def _strided(name: str, size: tuple[str, ...], dtype: torch.dtype, cuda: bool) -> FuzzedTensor:
    return FuzzedTensor(
        name,
        size,
        steps=tuple(f"{name}_step_{i}" for i in range(len(_NAMES))),
        probability_contiguous=0.75,
        max_allocation_bytes=2 * 1024**3,
        dtype=dtype,
        cuda=cuda,
        **_LIMITS,
    )


class UnaryOpFuzzer(Fuzzer):
    """Draws one tensor `x` of one to three dimensions.

    Args:
        seed: The seed.
        dtype: The dtype.
        cuda: Whether the tensor is on a CUDA device.
    """

    def __init__(
        self, seed: int | None, dtype: torch.dtype = torch.float32, cuda: bool = False
    ) -> None:
        super().__init__(
            [*_parameters(), *_steps("x")], [_strided("x", _NAMES, dtype, cuda)], seed=seed
        )


class BinaryOpFuzzer(Fuzzer):
    """Draws two tensors `x` and `y`, whose sizes are equal or broadcast.

    Args:
        seed: The seed.
        dtype: The dtype.
        cuda: Whether the tensors are on a CUDA device.
    """

    def __init__(
        self, seed: int | None, dtype: torch.dtype = torch.float32, cuda: bool = False
    ) -> None:
        other = [
            FuzzedParameter(f"y_k{i}", distribution={ParameterAlias(name): 0.8, 1: 0.2})
            for i, name in enumerate(_NAMES)
        ]
        y = _strided("y", tuple(f"y_k{i}" for i in range(len(_NAMES))), dtype, cuda)
        y._limits = (None, *y._limits[1:])
        super().__init__(
            [*_parameters(), *other, *_steps("x"), *_steps("y")],
            [_strided("x", _NAMES, dtype, cuda), y],
            seed=seed,
        )


def _sparse_parameters() -> list[Any]:
    return [
        FuzzedParameter("sparse_dim", distribution=_DIMENSIONS, strict=True),
        FuzzedParameter("density", distribution={0.1: 0.25, 0.05: 0.25, 0.01: 0.5}),
        FuzzedParameter("coalesced", distribution={True: 0.5, False: 0.5}),
    ]


def _sparse(name: str, dtype: torch.dtype, cuda: bool) -> FuzzedSparseTensor:
    return FuzzedSparseTensor(
        name,
        _NAMES,
        sparse_dim="sparse_dim",
        density="density",
        coalesced="coalesced",
        dtype=dtype,
        cuda=cuda,
        **_LIMITS,
    )


class UnaryOpSparseFuzzer(Fuzzer):
    """Draws one sparse tensor `x`.

    Args:
        seed: The seed.
        dtype: The dtype.
        cuda: Whether the tensor is on a CUDA device.
    """

    def __init__(
        self, seed: int | None, dtype: torch.dtype = torch.float32, cuda: bool = False
    ) -> None:
        super().__init__(
            [*_parameters(), *_sparse_parameters()], [_sparse("x", dtype, cuda)], seed=seed
        )


class BinaryOpSparseFuzzer(Fuzzer):
    """Draws two sparse tensors `x` and `y` of the same sizes.

    Args:
        seed: The seed.
        dtype: The dtype.
        cuda: Whether the tensors are on a CUDA device.
    """

    def __init__(
        self, seed: int | None, dtype: torch.dtype = torch.float32, cuda: bool = False
    ) -> None:
        super().__init__(
            [*_parameters(), *_sparse_parameters()],
            [_sparse("x", dtype, cuda), _sparse("y", dtype, cuda)],
            seed=seed,
        )


class SpectralOpFuzzer(Fuzzer):
    """Draws one tensor `x` for Fourier transforms, with sizes of several kinds.

    Args:
        seed: The seed.
        dtype: The dtype.
        cuda: Whether the tensor is on a CUDA device.
        probability_regular: The probability that a size is a product of 2, 3 and 5.
    """

    def __init__(
        self,
        *,
        seed: int,
        dtype: torch.dtype = torch.float64,
        cuda: bool = False,
        probability_regular: float = 1.0,
    ) -> None:
        regular = sorted(
            n
            for i in range(13)
            for j in range(8)
            for k in range(6)
            if 16 <= (n := 2**i * 3**j * 5**k) <= 4096
        )
        sizes: list[Any] = [
            FuzzedParameter("ndim", distribution={1: 0.3, 2: 0.4, 3: 0.3}, strict=True)
        ]
        for i in range(len(_NAMES)):
            sizes += [
                FuzzedParameter(f"k_any_{i}", 16, 4096, "loguniform"),
                FuzzedParameter(
                    f"k_regular_{i}", distribution=dict.fromkeys(regular, 1 / len(regular))
                ),
                FuzzedParameter(
                    f"k{i}",
                    distribution={
                        ParameterAlias(f"k_regular_{i}"): probability_regular,
                        ParameterAlias(f"k_any_{i}"): 1 - probability_regular,
                    },
                    strict=True,
                ),
                FuzzedParameter(f"step_{i}", distribution=_STEPS),
            ]
        x = FuzzedTensor(
            "x",
            _NAMES,
            steps=("step_0", "step_1", "step_2"),
            probability_contiguous=0.75,
            min_elements=4 * 1024,
            max_elements=32 * 1024**2,
            max_allocation_bytes=2 * 1024**3,
            dim_parameter="ndim",
            dtype=dtype,
            cuda=cuda,
        )
        super().__init__(sizes, [x], seed=seed)
