"""Random sparse arguments for benchmarks."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.utils.benchmark._fuzzer import FuzzedTensor


class FuzzedSparseTensor(FuzzedTensor):
    """A random tensor in coordinate format, whose sizes and density are parameters.

    Args:
        name: The tensor's name.
        size: The sizes: numbers or the names of parameters.
        min_elements: The fewest elements, zeros included.
        max_elements: The most elements, zeros included.
        dim_parameter: The name of the parameter that says how many dimensions are used.
        sparse_dim: The name of the parameter that says how many of them are sparse; all by default.
        nnz: The name of the parameter with the number of values.
        density: The name of the parameter with the share of elements that have values; 0.5 if
            neither is given.
        coalesced: The name of the parameter that says whether indices are unique and sorted.
        dtype: The dtype.
        cuda: Whether the tensor is on a CUDA device.

    Example:
        >>> import numpy
        >>> from torch.utils.benchmark.utils.sparse_fuzzer import FuzzedSparseTensor
        >>> fuzzed = FuzzedSparseTensor(
        ...     "x", ("k", 2), sparse_dim="d", nnz="n", density="density", coalesced="c"
        ... )
        >>> parameters = {"k": 4, "d": 2, "n": 3, "density": 0.5, "c": True}
        >>> tensor, facts = fuzzed._make_tensor(parameters, numpy.random.RandomState(0))  # doctest: +SKIP
        >>> tensor.layout, facts["sparse_dim"]  # doctest: +SKIP
        (torch.sparse_coo, 2)
    """

    def __init__(
        self,
        name: str,
        size: tuple[str | int, ...],
        min_elements: int | None = None,
        max_elements: int | None = None,
        dim_parameter: str | None = None,
        sparse_dim: str | None = None,
        nnz: str | None = None,
        density: str | None = None,
        coalesced: str | None = None,
        dtype: torch.dtype = torch.float32,
        cuda: bool = False,
    ) -> None:
        super().__init__(
            name,
            size,
            min_elements=min_elements,
            max_elements=max_elements,
            dim_parameter=dim_parameter,
            dtype=dtype,
            cuda=cuda,
        )
        self._sparse_dim, self._nnz, self._density = sparse_dim, nnz, density
        self._coalesced = coalesced

    def _make_tensor(
        self, params: dict[str, Any], state: Any
    ) -> tuple[torch.Tensor, dict[str, Any]]:
        size, _, _ = self._geometry(params)
        sparse_dim = len(size) if self._sparse_dim is None else params[self._sparse_dim]
        sparse_dim = min(sparse_dim, len(size))
        places = math.prod(size[:sparse_dim])
        count = params.get(self._nnz) if self._nnz else None
        if count is None:
            count = math.ceil(places * (params[self._density] if self._density else 0.5))
        coalesced = params[self._coalesced] if self._coalesced else True
        places_drawn = (
            state.permutation(places)[:count] if coalesced else state.randint(0, places, count)
        )
        indices = torch.stack(torch.unravel_index(torch.as_tensor(places_drawn), size[:sparse_dim]))
        shape = (indices.shape[1], *size[sparse_dim:])
        if self._dtype.is_floating_point or self._dtype.is_complex:
            values = torch.rand(shape, dtype=self._dtype)
        else:
            values = torch.randint(1, 127, shape, dtype=self._dtype)
        tensor = torch.sparse_coo_tensor(indices, values, size)
        tensor = tensor.coalesce() if coalesced else tensor
        tensor = tensor.cuda() if self._cuda else tensor
        density = indices.shape[1] / places
        facts = {
            "numel": tensor.numel(),
            "shape": tensor.size(),
            "is_coalesced": tensor.is_coalesced(),
            "density": density,
            "sparsity": 1 - density,
            "sparse_dim": tensor.sparse_dim(),
            "dense_dim": tensor.dense_dim(),
            "is_hybrid": tensor.dense_dim() > 0,
            "dtype": str(self._dtype),
        }
        return tensor, facts
