"""The functions that programs call to find out whether CUDA exists. This build has none."""


def is_available():
    """Return False, as this build does not support CUDA.

    Example:
        >>> torch.device("cuda" if torch.cuda.is_available() else "cpu")
        device(type='cpu')
    """
    return False


def device_count():
    """Return 0, as this build does not support CUDA.

    Example:
        >>> torch.cuda.device_count()
        0
    """
    return 0


def is_initialized():
    """Return False, as this build does not support CUDA.

    Example:
        >>> torch.cuda.is_initialized()
        False
    """
    return False


def manual_seed(seed):
    """Do nothing, as there is no CUDA generator to seed.

    Example:
        >>> torch.cuda.manual_seed(0)
    """


def manual_seed_all(seed):
    """Do nothing, as there are no CUDA generators to seed.

    Example:
        >>> torch.cuda.manual_seed_all(0)
    """


def synchronize(device=None):
    """Raise an error, as there is no CUDA device to wait for.

    Raises:
        AssertionError: Always.

    Example:
        >>> torch.cuda.synchronize()
        Traceback (most recent call last):
            ...
        AssertionError: Torch not compiled with CUDA enabled
    """
    raise AssertionError("Torch not compiled with CUDA enabled")


def __getattr__(name):
    if name == "amp":
        from importlib import import_module

        return import_module("torch.cuda.amp")
    raise AttributeError(f"module 'torch.cuda' has no attribute '{name}'")
