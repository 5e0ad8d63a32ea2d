"""Sobol sequences: points that fill a cube more evenly than random ones."""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

__all__ = ["SobolEngine"]


@cache
def _rows() -> list[list[int]]:
    """Return the polynomial and the first multiples of each dimension but the first."""
    from torch._sobol_directions import TABLE

    return [[int(number) for number in row.split()] for row in TABLE.split(";")]


def _row(dimension: int) -> tuple[int, list[int]]:
    """Return a dimension's polynomial and first multiples; those of SciPy beyond the table."""
    if dimension - 1 < len(_rows()):
        polynomial, *multiples = _rows()[dimension - 1]
        return polynomial, multiples
    try:
        from scipy.stats import _sobol
    except ImportError:
        raise ValueError(
            f"more than {len(_rows()) + 1} dimensions need SciPy's table: pip install scipy"
        ) from None
    import numpy

    with numpy.load(_sobol.__file__.rpartition("/")[0] + "/_sobol_direction_numbers.npz") as table:
        polynomial = int(table["poly"][dimension])
        return polynomial, table["vinit"][dimension][: polynomial.bit_length() - 1].tolist()


def _directions(dimension: int, bits: int) -> list[int]:
    """Return the direction numbers of a dimension, which counts from 0, as integers of `bits` bits."""
    if dimension == 0:
        return [1 << (bits - 1 - k) for k in range(bits)]
    polynomial, multiples = _row(dimension)
    degree = polynomial.bit_length() - 1
    numbers = multiples[:bits]
    for k in range(degree, bits):
        value = numbers[k - degree] ^ (numbers[k - degree] << degree)
        for j in range(1, degree):
            if polynomial >> (degree - j) & 1:
                value ^= numbers[k - j] << j
        numbers.append(value)
    return [number << (bits - 1 - k) for k, number in enumerate(numbers)]


class SobolEngine:
    """Generate the points of a Sobol sequence, which may be scrambled.

    Args:
        dimension: The number of coordinates, up to 21201; beyond 512 SciPy must be installed.
        scramble: Whether to scramble the sequence by a random matrix and shift.
        seed: The seed of the scrambling.

    Raises:
        ValueError: If the dimension is out of range.

    Example:
        >>> sequence = torch.quasirandom.SobolEngine(2)
        >>> sequence.draw(3)
        tensor([[0.0000, 0.0000],
                [0.5000, 0.5000],
                [0.7500, 0.2500]])
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(
                f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]"
            )
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        rows = [_directions(d, self.MAXBIT) for d in range(dimension)]
        self.sobolstate = torch.tensor(rows, dtype=torch.int64, device="cpu")
        self.shift = torch.zeros(dimension, dtype=torch.int64, device="cpu")
        if scramble:
            self._scramble()
        self.num_generated = 0

    def _scramble(self) -> None:
        generator = None
        if self.seed is not None:
            generator = torch.Generator()
            generator.manual_seed(self.seed)
        bits, options = self.MAXBIT, {"device": "cpu", "generator": generator}
        shift = torch.randint(2, (self.dimension, bits), **options)  # type: ignore[call-overload]
        self.shift = (shift * 2 ** torch.arange(bits, device="cpu")).sum(1)
        matrix = torch.randint(2, (self.dimension, bits, bits), **options).tril()  # type: ignore[call-overload]
        matrix.diagonal(dim1=-2, dim2=-1).fill_(1)
        weights = 2 ** torch.arange(bits - 1, -1, -1, device="cpu")
        digits = torch.div(self.sobolstate.unsqueeze(-1), weights, rounding_mode="floor") % 2
        mixed = (digits.unsqueeze(-2) * matrix.unsqueeze(1)).sum(-1) % 2
        self.sobolstate = (mixed * weights).sum(-1)

    def draw(
        self, n: int = 1, out: Tensor | None = None, dtype: torch.dtype | None = None
    ) -> Tensor:
        """Return the next points of the sequence, as a tensor of shape (n, dimension).

        Args:
            n: The number of points.
            out: The tensor for the result.
            dtype: The dtype of the result.

        Example:
            >>> torch.quasirandom.SobolEngine(1).draw(2)
            tensor([[0.0000],
                    [0.5000]])
        """
        index = torch.arange(self.num_generated, self.num_generated + n, device="cpu")
        gray = index ^ torch.div(index, 2, rounding_mode="floor")
        points = self.shift.expand(n, -1).clone()
        for bit in range(int(gray.max()).bit_length() if n else 0):
            chosen = torch.div(gray, 2**bit, rounding_mode="floor") % 2
            points ^= chosen.unsqueeze(1) * self.sobolstate[:, bit]
        self.num_generated += n
        dtype = torch.get_default_dtype() if dtype is None else dtype
        result = points.to(dtype) / 2**self.MAXBIT
        return result if out is None else out.resize_as_(result).copy_(result)

    def draw_base2(
        self, m: int, out: Tensor | None = None, dtype: torch.dtype | None = None
    ) -> Tensor:
        """Return the next 2**m points, so that the number drawn so far is a power of two.

        Args:
            m: The logarithm of the number of points.
            out: The tensor for the result.
            dtype: The dtype of the result.

        Raises:
            ValueError: If the number drawn would not be a power of two.
        """
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: n="
                f"{self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                "'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self) -> SobolEngine:
        """Return to the start of the sequence."""
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Skip points.

        Args:
            n: How many.
        """
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        parts = [f"dimension={self.dimension}"]
        if self.scramble:
            parts.append("scramble=True")
        if self.seed is not None:
            parts.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(parts)})"
