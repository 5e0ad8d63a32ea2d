"""Transforms made of others: of more dimensions, of parts, and of the shape alone."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributions import constraints
from torch.distributions._transform import Transform
from torch.distributions.utils import _sum_rightmost


class IndependentTransform(Transform):
    """A transform whose rightmost batch dimensions are part of the event.

    Args:
        base_transform: The transform.
        reinterpreted_batch_ndims: How many dimensions.
        cache_size: See `Transform`.

    Example:
        >>> from torch.distributions import transforms as T
        >>> exp = T.IndependentTransform(T.ExpTransform(), 1)
        >>> exp.log_abs_det_jacobian(torch.ones(2), torch.ones(2))
        tensor(2.)
    """

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(
            self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size
        )

    @property
    def domain(self):
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @property
    def codomain(self):
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self):
        return self.base_transform.bijective

    @property
    def sign(self):
        return self.base_transform.sign

    def _call(self, x):
        if x.dim() < self.domain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform(x)

    def _inverse(self, y):
        if y.dim() < self.codomain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        result = self.base_transform.log_abs_det_jacobian(x, y)
        return _sum_rightmost(result, self.reinterpreted_batch_ndims)

    def __repr__(self):
        name = self.__class__.__name__
        return f"{name}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """A change of the shape of events.

    Args:
        in_shape: The shape of events before.
        out_shape: The shape after.
        cache_size: See `Transform`.

    Example:
        >>> from torch.distributions import transforms as T
        >>> T.ReshapeTransform((4,), (2, 2))(torch.zeros(3, 4)).shape
        torch.Size([3, 2, 2])
    """

    bijective = True

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0):
        self.in_shape = torch.Size(in_shape)
        self.out_shape = torch.Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @property
    def domain(self):
        return constraints.independent(constraints.real, len(self.in_shape))

    @property
    def codomain(self):
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x):
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        return x.new_zeros(x.size()[: x.dim() - len(self.in_shape)])

    def _changed(self, shape, old, new):
        cut = len(shape) - len(old)
        if cut < 0 or torch.Size(shape[cut:]) != old:
            raise ValueError(f"Shape mismatch: expected {tuple(shape[cut:])} but got {tuple(old)}")
        return torch.Size(shape[:cut]) + new

    def forward_shape(self, shape):
        return self._changed(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape):
        return self._changed(shape, self.out_shape, self.in_shape)


class _Parts(Transform):
    """Several transforms, each of one part of a dimension."""

    def _pieces(self, value):
        raise NotImplementedError

    def _join(self, pieces):
        raise NotImplementedError

    def _call(self, x):
        return self._join([t(p) for p, t in zip(self._pieces(x), self.transforms, strict=True)])

    def _inverse(self, y):
        return self._join([t.inv(p) for p, t in zip(self._pieces(y), self.transforms, strict=True)])

    @property
    def bijective(self):
        return all(t.bijective for t in self.transforms)


class CatTransform(_Parts):
    """Transforms of parts that lie behind each other along a dimension.

    Args:
        tseq: The transforms.
        dim: The dimension.
        lengths: The lengths of the parts, by default 1.
        cache_size: See `Transform`.

    Example:
        >>> from torch.distributions import transforms as T
        >>> T.CatTransform([T.ExpTransform(), T.AbsTransform()])(torch.tensor([0.0, -1.0]))
        tensor([1., 1.])
    """

    def __init__(self, tseq: Any, dim: int = 0, lengths: Any = None, cache_size: int = 0):
        tseq = [t.with_cache(cache_size) if cache_size else t for t in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms = tseq
        self.lengths = [1] * len(tseq) if lengths is None else list(lengths)
        self.dim = dim

    @property
    def event_dim(self):
        return max(t.event_dim for t in self.transforms)

    @property
    def length(self):
        return sum(self.lengths)

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _pieces(self, value):
        return value.split(self.lengths, self.dim)

    def _join(self, pieces):
        return torch.cat(pieces, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        terms = []
        for t, a, b in zip(self.transforms, self._pieces(x), self._pieces(y), strict=True):
            term = t.log_abs_det_jacobian(a, b)
            terms.append(_sum_rightmost(term, self.event_dim - t.event_dim))
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        return torch.cat(terms, dim=dim) if dim < 0 else sum(terms)

    @property
    def domain(self):
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @property
    def codomain(self):
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_Parts):
    """Transforms of the slices along a dimension.

    Args:
        tseq: The transforms.
        dim: The dimension.
        cache_size: See `Transform`.

    Example:
        >>> from torch.distributions import transforms as T
        >>> T.StackTransform([T.ExpTransform(), T.AbsTransform()])(torch.tensor([0.0, -1.0]))
        tensor([1., 1.])
    """

    def __init__(self, tseq: Any, dim: int = 0, cache_size: int = 0):
        tseq = [t.with_cache(cache_size) if cache_size else t for t in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms = tseq
        self.dim = dim

    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        return StackTransform(self.transforms, self.dim, cache_size)

    def _pieces(self, value):
        return [value.select(self.dim, i) for i in range(value.size(self.dim))]

    def _join(self, pieces):
        return torch.stack(pieces, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        return self._join(
            [
                t.log_abs_det_jacobian(a, b)
                for t, a, b in zip(self.transforms, self._pieces(x), self._pieces(y), strict=True)
            ]
        )

    @property
    def domain(self):
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @property
    def codomain(self):
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
