"""The CPU capability that kernels use."""

from torch import _C


def get_cpu_capability():
    """Return the instruction set that kernels use: "DEFAULT", "AVX2" or "AVX512".

    Example:
        >>> torch.backends.cpu.get_cpu_capability() in ("DEFAULT", "AVX2", "AVX512")
        True
    """
    return _C._get_cpu_capability()
