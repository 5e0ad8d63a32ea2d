# The module has no file: torch/_moved_modules.py says where its names are.
from torch.ao.quantization import *  # noqa: F403
