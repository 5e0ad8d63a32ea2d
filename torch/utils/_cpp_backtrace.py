"""The stack of C++ functions of the current thread, for messages of extensions."""

from __future__ import annotations

import ctypes


def get_cpp_backtrace(frames_to_skip: int = 0, maximum_number_of_frames: int = 64) -> str:
    """Return the functions of C and C++ that the current thread is in, the innermost first.

    Args:
        frames_to_skip: How many of the innermost to leave out.
        maximum_number_of_frames: How many to return at most.

    Returns:
        One line for each, "frame #0: function (address in file)".

    Raises:
        NotImplementedError: If the C library has no `backtrace`.

    Example:
        >>> torch.utils.get_cpp_backtrace(maximum_number_of_frames=1).startswith("frame #0: ")  # doctest: +SKIP
        True
    """
    library = ctypes.CDLL(None)
    if not hasattr(library, "backtrace"):
        raise NotImplementedError("the C library has no function backtrace")
    wanted = frames_to_skip + maximum_number_of_frames
    addresses = (ctypes.c_void_p * max(wanted, 1))()
    count = library.backtrace(addresses, wanted)
    return "".join(
        f"frame #{number}: {_described(address)}\n"
        for number, address in enumerate(addresses[frames_to_skip:count])
    )


class _Place(ctypes.Structure):
    """What dladdr says of an address: Dl_info of dlfcn.h."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("start", ctypes.c_void_p),
    )


def _described(address: int | None) -> str:
    """Return the function at an address, its offset, and the file."""
    place = _Place()
    found = ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), ctypes.byref(place))
    if not found or not place.file:
        return f"<unknown function> ({address or 0:#x})"
    symbol = (place.symbol or b"<unknown function>").decode()
    offset = (address or 0) - ((place.start if place.symbol else place.base) or 0)
    return f"{symbol} + {offset:#x} ({address:#x} in {place.file.decode()})"
