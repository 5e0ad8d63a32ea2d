"""CUDA: not in this build. The questions that programs ask are answered."""


def is_available():
    """False: this build has no CUDA."""
    return False


def device_count():
    """0: this build has no CUDA."""
    return 0


def is_initialized():
    """False: this build has no CUDA."""
    return False


def manual_seed(seed):
    """Nothing to seed."""


def manual_seed_all(seed):
    """Nothing to seed."""


def synchronize(device=None):
    """Refused: this build has no CUDA."""
    raise AssertionError("Torch not compiled with CUDA enabled")
