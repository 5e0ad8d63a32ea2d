"""Helpers for training loops: gradient clipping, flat parameter vectors and packed sequences."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.nn.utils import parametrizations, parametrize, rnn, stateless
from torch.nn.utils.clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from torch.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from torch.nn.utils.spectral_norm import remove_spectral_norm, spectral_norm
from torch.nn.utils.weight_norm import remove_weight_norm, weight_norm

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_nn_utils import *  # noqa: F403

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "spectral_norm",
    "stateless",
    "vector_to_parameters",
    "weight_norm",
]

# Functions with their modules, which are imported at their first use.
_HOMES = {
    "convert_conv2d_weight_memory_format": "memory_format",
    "convert_conv3d_weight_memory_format": "memory_format",
    "fuse_conv_bn_eval": "fusion",
    "fuse_conv_bn_weights": "fusion",
    "fuse_linear_bn_eval": "fusion",
    "fuse_linear_bn_weights": "fusion",
    "skip_init": "init",
}


__getattr__ = _import_at_use(__name__, homes=_HOMES)


def __dir__():
    return sorted({*globals(), "fusion", "init", "prune", *_HOMES})
