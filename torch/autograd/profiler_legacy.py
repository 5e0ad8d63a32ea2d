"""The name of PyTorch's first profiler, which torch.autograd.profiler replaces."""

from torch._absent import absent_class as _absent_class

profile = _absent_class(
    __name__,
    "profile",
    "torch.autograd.profiler_legacy does not exist in this build; use "
    "torch.autograd.profiler.profile",
)
