"""The common methods of UntypedStorage and TypedStorage: conversions, devices, pinned memory."""

from torch import _C

_CONVERSIONS = {
    "bool": "bool",
    "byte": "uint8",
    "char": "int8",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "float": "float32",
    "double": "float64",
    "complex_float": "complex64",
    "complex_double": "complex128",
    "float8_e4m3fn": "float8_e4m3fn",
    "float8_e4m3fnuz": "float8_e4m3fnuz",
    "float8_e5m2": "float8_e5m2",
    "float8_e5m2fnuz": "float8_e5m2fnuz",
}


class StorageMethods:
    """The common methods; a subclass has `untyped`, `_tensor` and `_with_bytes`."""

    is_sparse = False

    @property
    def is_hpu(self):
        """Return False: the memory is never on an HPU."""
        return False

    def get_device(self):
        """Return the index of the device, or None if it has none, like the CPU."""
        return self.device.index

    def cpu(self):
        """Return a copy on the CPU, or the storage itself if it is there already."""
        return self.to(device="cpu")

    def cuda(self, device=None, non_blocking=False):
        """Return a copy on a CUDA device, or the storage itself if it is there already.

        Args:
            device: The device or its index; the current one if None.
            non_blocking: Whether the copy may be asynchronous.

        Raises:
            RuntimeError: If the build has no CUDA.
            ValueError: If the device is not a CUDA device.

        Example:
            >>> torch.ones(1).untyped_storage().cuda("cpu")  # doctest: +SKIP
            Traceback (most recent call last):
                ...
            ValueError: Invalid device, must be cuda device
        """
        if device is None or isinstance(device, int):
            device = _C.device("cuda") if device is None else _C.device("cuda", device)
        if _C.device(device).type != "cuda":
            raise ValueError("Invalid device, must be cuda device")
        return self.to(device=device, non_blocking=non_blocking)

    def hpu(self, device=None, non_blocking=False):
        """Raise an error, as this build has no back end for HPUs.

        Raises:
            AssertionError: Always.
        """
        raise AssertionError("HPU device module is not loaded")

    def is_pinned(self, device=None):
        """Return whether a CUDA device can copy the memory without waiting for the host.

        Args:
            device: The kind of device; the accelerator if None.

        Example:
            >>> torch.ones(1).untyped_storage().is_pinned()
            False
        """
        return self._tensor().is_pinned(*(() if device is None else (device,)))

    def pin_memory(self, device=None):
        """Return a copy in pinned memory, or the storage itself if it is pinned already.

        Args:
            device: The kind of device; the accelerator if None.

        Raises:
            RuntimeError: If there is no accelerator, or the memory is not on the CPU.
        """
        if self.device.type != "cpu":
            raise TypeError(f"cannot pin '{self.type()}' only CPU memory can be pinned")
        if self.is_pinned(device):
            return self
        pinned = self._tensor().pin_memory(*(() if device is None else (device,)))
        return self._with_bytes(pinned.untyped_storage())


def _conversion(name, dtype):
    def convert(self):
        return self._tensor().to(dtype)._typed_storage()

    text = f"Return a TypedStorage with the elements converted to {dtype}."
    convert.__name__, convert.__doc__ = name, text
    convert.__qualname__ = f"StorageMethods.{name}"
    return convert


for _name, _dtype in _CONVERSIONS.items():
    if _dtype in vars(_C):  # hasattr would load lazy names
        setattr(StorageMethods, _name, _conversion(_name, getattr(_C, _dtype)))
