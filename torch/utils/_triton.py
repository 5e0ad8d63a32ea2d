"""Whether Triton compiles kernels: never, since nothing here makes any."""


def has_triton_package() -> bool:
    """Return False."""
    return False


def has_triton() -> bool:
    """Return False."""
    return False
