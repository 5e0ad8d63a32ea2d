"""Results from a worker to the main process: pickled, with descriptors of shared memory beside them.

multiprocessing would hand each descriptor over through a server of the sender's: a connection for
every tensor, and a socket in /tmp that a killed worker leaves behind.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import pickle
import socket
import threading
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

from torch.multiprocessing import get_sharing_strategy
from torch.multiprocessing.reductions import rebuild_storage_fd, reduce_storage
from torch.storage import UntypedStorage

# The kernel takes 253 descriptors at once.
_AT_ONCE = 250
_COUNT_BYTES = 4


@dataclass
class Message:
    """A pickled object, and copies of the descriptors that it refers to."""

    data: bytes = b""
    descriptors: list[int] = field(default_factory=list)

    def close(self) -> None:
        """Lets go of the descriptors."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors.clear()


class _Arriving(threading.local):
    """The descriptors of the message that this thread is unpickling."""

    descriptors: dict[int, int]


_arriving = _Arriving()


class _Numbered:
    """A descriptor by its position in the message."""

    def __init__(self, position: int) -> None:
        self.position = position

    def detach(self) -> int:
        """The descriptor, the caller's from now on."""
        return _arriving.descriptors.pop(self.position)


def _reduce_storage(message: Message, storage: UntypedStorage) -> tuple[Any, ...]:
    """Leaves a descriptor in the message."""
    if storage.nbytes() == 0 or get_sharing_strategy() != "file_descriptor":
        return reduce_storage(storage)
    descriptor, size = storage._share_fd_cpu_()
    message.descriptors.append(os.dup(descriptor))
    return rebuild_storage_fd, (type(storage), _Numbered(len(message.descriptors) - 1), size)


def pack(value: Any) -> Message:
    """The value, ready to be sent."""
    buffer, message = io.BytesIO(), Message()
    pickler = ForkingPickler(buffer)
    reduce = functools.partial(_reduce_storage, message)
    pickler.dispatch_table = {**pickler.dispatch_table, UntypedStorage: reduce}
    try:
        pickler.dump(value)
    except BaseException:
        message.close()
        raise
    message.data = buffer.getvalue()
    return message


def send(pipe: Connection, message: Message) -> None:
    """Sends the message through a pipe that is a socket, and lets go of its descriptors."""
    count = len(message.descriptors)
    with contextlib.closing(message):
        pipe.send_bytes(count.to_bytes(_COUNT_BYTES, "little") + message.data)
        if not count:
            return
        with socket.socket(fileno=os.dup(pipe.fileno())) as through:
            for start in range(0, count, _AT_ONCE):
                part = message.descriptors[start : start + _AT_ONCE]
                socket.send_fds(through, [b"d"], part)


def receive(pipe: Connection) -> Message:
    """The next message. EOFError or OSError when the sender is gone, in the middle of one too."""
    received = pipe.recv_bytes()
    count = int.from_bytes(received[:_COUNT_BYTES], "little")
    message = Message(received[_COUNT_BYTES:])
    try:
        if count:
            _receive_descriptors(pipe, count, message.descriptors)
    except BaseException:
        message.close()
        raise
    return message


def _receive_descriptors(pipe: Connection, count: int, descriptors: list[int]) -> None:
    with socket.socket(fileno=os.dup(pipe.fileno())) as through:
        while len(descriptors) < count:
            data, received, _, _ = socket.recv_fds(through, 1, _AT_ONCE)
            if not data:
                raise EOFError
            descriptors += received


def unpack(message: Message) -> Any:
    """The value that was packed. Its memory is shared with the sender's."""
    _arriving.descriptors = dict(enumerate(message.descriptors))
    try:
        return pickle.loads(message.data)
    finally:
        for descriptor in _arriving.descriptors.values():
            os.close(descriptor)
        _arriving.descriptors = {}
