"""Random arguments for benchmarks: FuzzedParameter, FuzzedTensor and Fuzzer."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

_DISTRIBUTIONS = ("loguniform", "uniform")
Check = Callable[[dict[str, Any]], bool]


class ParameterAlias:
    """In the distribution of a FuzzedParameter: the value of another parameter.

    Args:
        alias_to: The other parameter's name.

    Example:
        >>> torch.utils.benchmark.ParameterAlias("k0")
        ParameterAlias[alias_to: k0]
    """

    def __init__(self, alias_to: str) -> None:
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"{type(self).__name__}[alias_to: {self.alias_to}]"


class FuzzedParameter:
    """A random number, or one of several values.

    Args:
        name: The parameter's name.
        minval: The smallest number.
        maxval: The largest number.
        distribution: "uniform" or "loguniform" between the two, or the probability of each value.
        strict: Whether a ParameterAlias is an error.

    Raises:
        ValueError: If the distribution and the limits do not fit together.

    Example:
        >>> import numpy
        >>> parameter = torch.utils.benchmark.FuzzedParameter("k", 3, 3, "uniform")
        >>> parameter.sample(numpy.random.RandomState(0))
        3
    """

    def __init__(
        self,
        name: str,
        minval: float | None = None,
        maxval: float | None = None,
        distribution: str | dict[Any, float] | None = None,
        strict: bool = False,
    ) -> None:
        self._name, self._minval, self._maxval = name, minval, maxval
        self.strict = strict
        self._weights: dict[Any, float] | None = None
        if isinstance(distribution, str):
            if distribution not in _DISTRIBUTIONS:
                raise ValueError(f"Unknown distribution: {distribution}")
            if minval is None or maxval is None:
                raise ValueError(f"{distribution} distribution needs minval and maxval")
        elif isinstance(distribution, dict):
            if minval is not None or maxval is not None:
                raise ValueError("minval and maxval do not go with a custom distribution")
            total = sum(distribution.values())
            if abs(total - 1) > 1e-6:
                raise ValueError(f"the probabilities add up to {total}, not to 1")
            self._weights = {value: weight / total for value, weight in distribution.items()}
        else:
            raise ValueError("Must specify a distribution")
        self._distribution = distribution

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self._name

    def sample(self, state: Any) -> Any:
        """Return a random value.

        Args:
            state: A numpy.random.RandomState.
        """
        if self._weights is not None:
            values = list(self._weights)
            return values[int(state.choice(len(values), p=list(self._weights.values())))]
        low, high = self._limits()
        if self._distribution == "uniform":
            if isinstance(self._minval, int) and isinstance(self._maxval, int):
                return int(state.randint(low=low, high=high + 1))
            return float(state.uniform(low=low, high=high))
        drawn = math.exp(state.uniform(low=math.log(low), high=math.log(high)))
        return min(max(int(drawn), low), high)

    def _limits(self) -> tuple[float, float]:
        if self._minval is None or self._maxval is None:
            raise AssertionError("limits are given for every distribution with a name")
        return self._minval, self._maxval


class FuzzedTensor:
    """A random tensor, whose sizes and steps are parameters.

    Args:
        name: The tensor's name.
        size: The sizes: numbers or the names of parameters.
        steps: The distances between neighbours, likewise; 1 by default.
        probability_contiguous: The probability that dimensions keep their order in memory.
        min_elements: The fewest elements.
        max_elements: The most elements.
        max_allocation_bytes: The most bytes of memory.
        dim_parameter: The name of the parameter that says how many dimensions are used.
        roll_parameter: Accepted for compatibility.
        dtype: The dtype.
        cuda: Whether the tensor is on a CUDA device.
        tensor_constructor: A function of `size`, `dtype` and the parameters that creates it.

    Example:
        >>> import numpy
        >>> fuzzed = torch.utils.benchmark.FuzzedTensor("x", size=("k", 2))
        >>> tensor, facts = fuzzed._make_tensor({"k": 3}, numpy.random.RandomState(0))
        >>> tensor.shape
        torch.Size([3, 2])
    """

    def __init__(
        self,
        name: str,
        size: tuple[str | int, ...],
        steps: tuple[str | int, ...] | None = None,
        probability_contiguous: float = 0.5,
        min_elements: int | None = None,
        max_elements: int | None = None,
        max_allocation_bytes: int | None = None,
        dim_parameter: str | None = None,
        roll_parameter: str | None = None,
        dtype: torch.dtype = torch.float32,
        cuda: bool = False,
        tensor_constructor: Callable[..., torch.Tensor] | None = None,
    ) -> None:
        self._name, self._size = name, size
        self._steps = steps or (1,) * len(size)
        self._probability_contiguous = probability_contiguous
        self._limits = (min_elements, max_elements, max_allocation_bytes)
        self._dim_parameter, self._dtype, self._cuda = dim_parameter, dtype, cuda
        self._constructor = tensor_constructor

    @property
    def name(self) -> str:
        """The tensor's name."""
        return self._name

    def _geometry(self, params: dict[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """Return the sizes, the steps and the bytes that the parameters give."""
        dim = len(self._size) if self._dim_parameter is None else params[self._dim_parameter]
        size, steps = (
            tuple(params[x] if isinstance(x, str) else x for x in given[:dim])
            for given in (self._size, self._steps)
        )
        allocated = math.prod(n * s for n, s in zip(size, steps, strict=True))
        return size, steps, allocated * self._dtype.itemsize

    def satisfies_constraints(self, params: dict[str, Any]) -> bool:
        """Return whether a tensor with these parameters has an allowed size."""
        size, _, allocated = self._geometry(params)
        fewest, most, largest = self._limits
        count = math.prod(size)
        return not (
            (fewest is not None and count < fewest)
            or (most is not None and count > most)
            or (largest is not None and allocated > largest)
        )

    def _make_tensor(
        self, params: dict[str, Any], state: Any
    ) -> tuple[torch.Tensor, dict[str, Any]]:
        import numpy

        size, steps, _ = self._geometry(params)
        whole = tuple(n * step for n, step in zip(size, steps, strict=True))
        if self._constructor is not None:
            raw = self._constructor(size=whole, dtype=self._dtype, **params)
        elif self._dtype.is_floating_point or self._dtype.is_complex:
            raw = torch.rand(whole, dtype=self._dtype)
        else:
            raw = torch.randint(1, 127, whole, dtype=self._dtype)
        raw = raw.cuda() if self._cuda else raw
        order = kept = numpy.arange(len(size))
        if state.rand() > self._probability_contiguous and len(size) > 1:
            while (order == kept).all():
                order = state.permutation(len(size))
            raw = raw.permute(tuple(order)).contiguous().permute(tuple(numpy.argsort(order)))
        tensor = raw[tuple(slice(None, None, step) for step in steps)]
        facts = {
            "numel": tensor.numel(),
            "order": order,
            "steps": steps,
            "is_contiguous": tensor.is_contiguous(),
            "dtype": str(self._dtype),
        }
        return tensor, facts


class Fuzzer:
    """Draws parameters and tensors until they satisfy all constraints.

    Args:
        parameters: FuzzedParameters, or lists of them.
        tensors: FuzzedTensors, or lists of them.
        constraints: Functions of the parameters that say whether these are allowed.
        seed: The seed; drawn if None.

    Raises:
        ValueError: If two parameters or tensors have the same name.

    Example:
        >>> from torch.utils.benchmark import FuzzedParameter, FuzzedTensor, Fuzzer
        >>> fuzzer = Fuzzer(
        ...     [FuzzedParameter("k", 2, 4, "uniform")], [FuzzedTensor("x", ("k",))], [], 0
        ... )
        >>> ((tensors, facts, parameters),) = fuzzer.take(1)
        >>> tensors["x"].shape[0] == parameters["k"]
        True
    """

    def __init__(
        self,
        parameters: Sequence[Any],
        tensors: Sequence[Any],
        constraints: Sequence[Check] | None = None,
        seed: int | None = None,
    ) -> None:
        import numpy

        self._parameters: list[FuzzedParameter] = _flattened(parameters)
        self._tensors: list[FuzzedTensor] = _flattened(tensors)
        names = [each.name for each in (*self._parameters, *self._tensors)]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(f"Collision in parameter or tensor names: {', '.join(repeated)}")
        self._constraints = tuple(constraints or ())
        self._seed = int(numpy.random.RandomState().randint(2**31)) if seed is None else seed
        self._rejected = self._drawn = 0

    @property
    def rejection_rate(self) -> float:
        """The share of draws that did not satisfy the constraints."""
        return self._rejected / self._drawn if self._drawn else 0.0

    def take(self, n: int) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
        """Yield the tensors, facts about them, and the parameters, a number of times.

        The seed of the fuzzer seeds torch's generator, too.
        """
        import numpy

        state = numpy.random.RandomState(self._seed)
        torch.manual_seed(state.randint(low=0, high=2**63, dtype=numpy.int64))
        for _ in range(n):
            params = self._draw(state)
            made = {each.name: each._make_tensor(params, state) for each in self._tensors}
            yield (
                {name: tensor for name, (tensor, _) in made.items()},
                {name: facts for name, (_, facts) in made.items()},
                params,
            )

    def _draw(self, state: Any) -> dict[str, Any]:
        for _ in range(1000):
            params = {each.name: each.sample(state) for each in self._parameters}
            params = {name: _resolved(value, params) for name, value in params.items()}
            self._drawn += 1
            checks = itertools.chain(
                self._constraints, (each.satisfies_constraints for each in self._tensors)
            )
            if all(check(params) for check in _by_keyword(checks, self._constraints)):
                return params
            self._rejected += 1
        raise RuntimeError("1000 draws in a row did not satisfy the constraints")


def _by_keyword(checks: Iterator[Any], constraints: tuple[Any, ...]) -> Iterator[Check]:
    """Yield the checks as functions of one dictionary; the caller's take keyword arguments."""
    for check in checks:
        yield functools.partial(_spread, check) if check in constraints else check


def _spread(check: Callable[..., bool], params: dict[str, Any]) -> bool:
    return check(**params)


def _resolved(value: Any, params: dict[str, Any]) -> Any:
    while isinstance(value, ParameterAlias):
        value = params[value.alias_to]
    return value


def _flattened(items: Sequence[Any]) -> list[Any]:
    flat: list[Any] = []
    for item in items:
        flat += item if isinstance(item, (list, tuple)) else [item]
    return flat
