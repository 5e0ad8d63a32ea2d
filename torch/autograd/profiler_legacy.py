"""The name of PyTorch's first profiler, which torch.autograd.profiler replaces."""

from __future__ import annotations

from torch.autograd.profiler import profile as _profile

__all__ = ["profile"]


class profile(_profile):
    """The older class of `torch.autograd.profiler.profile`; it takes fewer arguments.

    Example:
        >>> from torch.autograd.profiler_legacy import profile
        >>> with profile(record_shapes=True) as prof:
        ...     result = torch.ones(2) + 1
        >>> "aten::add" in {event.name for event in prof.function_events}
        True
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
    ) -> None:
        super().__init__(
            enabled,
            use_cuda=use_cuda,
            record_shapes=record_shapes,
            with_flops=with_flops,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_modules=with_modules,
        )
