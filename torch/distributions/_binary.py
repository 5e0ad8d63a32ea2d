"""Base class of the distributions over trials, which have a probability or its log odds."""

from __future__ import annotations

from numbers import Number

import torch
import torch.nn.functional as F
from torch.distributions._simple import Simple
from torch.distributions.distribution import Distribution
from torch.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits

_EITHER = "Either `probs` or `logits` must be specified, but not both."


def _bce(logits, value):
    return F.binary_cross_entropy_with_logits(logits, value, reduction="none")


class _Binary(Simple):
    """A distribution given by the probability of success or by its logit."""

    def _set_binary(self, probs, logits, validate_args, **more):
        if (probs is None) == (logits is None):
            raise ValueError(_EITHER)
        name, value = ("logits", logits) if probs is None else ("probs", probs)
        tensors = broadcast_all(*more.values(), value)
        for key, tensor in zip((*more, name), tensors, strict=True):
            setattr(self, key, tensor)
        self._param = tensors[-1]
        self.params = (*more, name, "_param")
        scalar = isinstance(value, Number) and not more
        shape = torch.Size() if scalar else self._param.size()
        Distribution.__init__(self, shape, validate_args=validate_args)

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    def _after_expand(self, new):
        new.params = self.params

    @lazy_property
    def logits(self):
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self):
        return self._param.size()
