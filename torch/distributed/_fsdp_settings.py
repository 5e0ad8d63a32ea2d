"""The settings of FSDP: enumerations and records, which programs make without sharding anything."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from torch.nn.modules.batchnorm import _BatchNorm


class ShardingStrategy(Enum):
    """What is sharded: parameters, gradients and optimizer states, or fewer of them."""

    FULL_SHARD = auto()
    SHARD_GRAD_OP = auto()
    NO_SHARD = auto()
    HYBRID_SHARD = auto()
    _HYBRID_SHARD_ZERO2 = auto()


class BackwardPrefetch(Enum):
    """When the next parameters are gathered in the backward pass."""

    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()


class StateDictType(Enum):
    """The form of state dicts."""

    FULL_STATE_DICT = auto()
    LOCAL_STATE_DICT = auto()
    SHARDED_STATE_DICT = auto()


@dataclass
class MixedPrecision:
    """The dtypes of parameters, of gradients that are reduced, and of buffers."""

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: Any = (_BatchNorm,)


@dataclass
class CPUOffload:
    """Whether parameters wait in the memory of the CPU."""

    offload_params: bool = False


@dataclass
class StateDictConfig:
    """Base class of how state dicts of modules are made."""

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """How state dicts with whole tensors are made."""

    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """How state dicts with each process's part are made."""


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """How state dicts with sharded tensors are made."""

    _use_dtensor: bool = False


@dataclass
class OptimStateDictConfig:
    """Base class of how state dicts of optimizers are made."""

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """How state dicts of optimizers with whole tensors are made."""

    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """How state dicts of optimizers with each process's part are made."""

    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """How state dicts of optimizers with sharded tensors are made."""

    _use_dtensor: bool = False


@dataclass
class StateDictSettings:
    """The form of state dicts, and how they are made."""

    state_dict_type: StateDictType
    state_dict_config: StateDictConfig
    optim_state_dict_config: OptimStateDictConfig


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes of parameters, of gradients that are reduced, and of outputs."""

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """No offloading; the base class of policies."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Whether parameters that wait in the memory of the CPU wait in pinned memory."""

    pin_memory: bool = True


def _get_module_state(module: Any) -> None:
    """Return the state that a composable function left in a module: None, for none ran."""


_SECOND = {"MixedPrecisionPolicy", "OffloadPolicy", "CPUOffloadPolicy"}
DEFINITIONS: dict[str, Any] = {
    name: value
    for name, value in list(globals().items())
    if isinstance(value, type) and value.__module__ == __name__
}
for _name, _value in DEFINITIONS.items():  # where users know them, and pickles name them
    _value.__module__ = "torch.distributed.fsdp" + ("" if _name in _SECOND else ".api")
DEFINITIONS["_get_module_state"] = _get_module_state
