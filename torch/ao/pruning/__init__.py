"""Set parts of weights to zero while a model is trained, by masks that schedules make denser or sparser."""

from torch._absent import refusing as _refusing
from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.pruning.scheduler.base_scheduler import BaseScheduler
from torch.ao.pruning.scheduler.cubic_scheduler import CubicSL
from torch.ao.pruning.scheduler.lambda_scheduler import LambdaSL
from torch.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier
from torch.ao.pruning.sparsifier.nearly_diagonal_sparsifier import NearlyDiagonalSparsifier
from torch.ao.pruning.sparsifier.utils import (
    FakeSparsity,
    fqn_to_module,
    get_arg_info_from_tensor_fqn,
    module_to_fqn,
)
from torch.ao.pruning.sparsifier.weight_norm_sparsifier import WeightNormSparsifier

__all__ = [
    "BaseScheduler",
    "BaseSparsifier",
    "CubicSL",
    "FakeSparsity",
    "LambdaSL",
    "NearlyDiagonalSparsifier",
    "WeightNormSparsifier",
    "fqn_to_module",
    "get_arg_info_from_tensor_fqn",
    "module_to_fqn",
]

globals().update(
    _refusing(
        __name__,
        ("get_dynamic_sparse_quantized_mapping", "get_static_sparse_quantized_mapping"),
        RuntimeError,
        "torch.ao.pruning.{name}: this build has no sparse quantized layers",
    )
)

__getattr__ = _import_at_use(__name__)
