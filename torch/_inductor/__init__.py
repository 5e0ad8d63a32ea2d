"""The settings of PyTorch's compiler that libraries touch; this build has no compiler."""

from torch._inductor import config
