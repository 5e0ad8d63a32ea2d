"""Optimizers and learning rate schedulers."""

from torch._published import publish_all as _publish_all
from torch.optim import lr_scheduler, swa_utils
from torch.optim._adafactor import Adafactor
from torch.optim._muon import Muon
from torch.optim._swapped_state import swap_in_optimizer_params_and_state
from torch.optim.adadelta import Adadelta
from torch.optim.adagrad import Adagrad
from torch.optim.adam import Adam
from torch.optim.adamax import Adamax
from torch.optim.adamw import AdamW
from torch.optim.asgd import ASGD
from torch.optim.lbfgs import LBFGS
from torch.optim.nadam import NAdam
from torch.optim.optimizer import Optimizer
from torch.optim.radam import RAdam
from torch.optim.rmsprop import RMSprop
from torch.optim.rprop import Rprop
from torch.optim.sgd import SGD
from torch.optim.sparse_adam import SparseAdam

TYPE_CHECKING = False  # modules are attributes, whichever way they are imported
if TYPE_CHECKING:
    from torch._C._late_optim import *  # noqa: F403

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
    "swap_in_optimizer_params_and_state",
]

_publish_all(globals(), ("Adafactor", "Muon", "swap_in_optimizer_params_and_state"))
