"""Special functions: the operators of torch._C._special, and others under the names used here."""

import torch
from torch._C import _special
from torch._module_signatures import bind as _bind

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_special import *  # noqa: F403

# Functions of torch that this module has too, by their names here.
_OF_TORCH = {
    "digamma": "digamma",
    "erf": "erf",
    "erfc": "erfc",
    "erfinv": "erfinv",
    "exp2": "exp2",
    "expit": "sigmoid",
    "expm1": "expm1",
    "gammainc": "igamma",
    "gammaincc": "igammac",
    "gammaln": "lgamma",
    "i0": "i0",
    "log1p": "log1p",
    "log_softmax": "log_softmax",
    "logit": "logit",
    "logsumexp": "logsumexp",
    "multigammaln": "mvlgamma",
    "polygamma": "polygamma",
    "psi": "digamma",
    "round": "round",
    "sinc": "sinc",
    "softmax": "softmax",
    "xlogy": "xlogy",
}

__all__ = []
for _name in dir(_special):
    if _name.startswith("special_"):
        globals()[_name.removeprefix("special_")] = getattr(_special, _name)
        __all__.append(_name.removeprefix("special_"))
_originals = {name: getattr(torch, original) for name, original in _OF_TORCH.items()}
globals().update(_bind("special", _originals))
__all__.extend(_OF_TORCH)
