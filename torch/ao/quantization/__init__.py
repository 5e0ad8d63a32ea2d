"""Quantization of models: observers, fake quantization, fusion and conversion of layers."""

from __future__ import annotations

import torch
from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.quantization import fake_quantize, observer
from torch.ao.quantization._histogram import HistogramObserver, default_histogram_observer
from torch.ao.quantization._observer_state import get_observer_state_dict, load_observer_state_dict
from torch.ao.quantization.fake_quantize import *  # noqa: F403
from torch.ao.quantization.fake_quantize import FakeQuantize as _FakeQuantize
from torch.ao.quantization.fuse_modules import fuse_modules, fuse_modules_qat
from torch.ao.quantization.fuser_method_mappings import *  # noqa: F403
from torch.ao.quantization.observer import *  # noqa: F403
from torch.ao.quantization.qconfig import *  # noqa: F403
from torch.ao.quantization.qconfig_mapping import *  # noqa: F403
from torch.ao.quantization.quant_type import QuantType
from torch.ao.quantization.quantization_mappings import *  # noqa: F403
from torch.ao.quantization.quantize import *  # noqa: F403
from torch.ao.quantization.stubs import *  # noqa: F403
from torch.ao.quantization.utils import get_combined_dict

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_ao_quantization import *  # noqa: F403

default_histogram_fake_quant = _FakeQuantize.with_args(
    observer=HistogramObserver,
    **fake_quantize._ACTIVATION_RANGE,
    qscheme=torch.per_tensor_affine,
    reduce_range=True,
)
# Names that programs import from the modules of observers and of fake quantization, too.
observer.HistogramObserver = HistogramObserver
observer.default_histogram_observer = default_histogram_observer
observer.get_observer_state_dict = get_observer_state_dict
observer.load_observer_state_dict = load_observer_state_dict
fake_quantize.default_histogram_fake_quant = default_histogram_fake_quant

__getattr__ = _import_at_use(__name__)
