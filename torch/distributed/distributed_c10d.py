"""The names of torch.distributed under the module by which libraries also import them."""

from torch import distributed as _distributed

globals().update({name: value for name, value in vars(_distributed).items() if name[:1] != "_"})
