"""The elements of objects that have the buffer protocol."""

import sys


def elements(cls, buffer, byte_order, count, offset, dtype):
    """Return a storage of the class with a copy of them; see `UntypedStorage.from_buffer`."""
    if byte_order not in ("native", "little", "big"):
        raise ValueError(
            f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')"
        )
    size, memory = dtype.itemsize, memoryview(buffer).cast("B")
    if count < 0:
        if (len(memory) - offset) % size:
            raise ValueError(
                f"buffer size ({len(memory) - offset}) must be a multiple of element size ({size})"
            )
        count = (len(memory) - offset) // size
    if offset < 0 or offset + count * size > len(memory):
        raise ValueError(
            f"buffer has only {len(memory)} bytes, but {count} elements of {size} bytes from "
            f"byte {offset} were asked for"
        )
    storage = cls._from_bytes(memory[offset : offset + count * size])
    if byte_order not in ("native", sys.byteorder):
        storage.byteswap(dtype)
    return storage
