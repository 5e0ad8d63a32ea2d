"""Send results from a worker to the main process: a pickle, then descriptors of shared memory.

multiprocessing itself would pass each descriptor through a server in the sender: one connection
for every tensor, and a socket in /tmp that stays behind if a worker is killed.
"""

from __future__ import annotations

import contextlib
import errno
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

# The kernel accepts up to 253 descriptors per message.
_DESCRIPTORS_PER_MESSAGE = 250
_COUNT_BYTES = 4


@dataclass
class Message:
    """A pickled object, and copies of the descriptors that it refers to."""

    data: bytes = b""
    descriptors: list[int] = field(default_factory=list)

    def close(self) -> None:
        """Close the descriptors."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors.clear()


class _Incoming(threading.local):
    """The descriptors of the message that this thread is unpickling."""

    descriptors: dict[int, int]


_incoming = _Incoming()


class _DescriptorReference:
    """Refers to a descriptor by its position in the message."""

    def __init__(self, position: int) -> None:
        self.position = position

    def detach(self) -> int:
        """Return the descriptor; the caller now owns it."""
        return _incoming.descriptors.pop(self.position)


def _reduce_storage(message: Message, storage: UntypedStorage) -> tuple[Any, ...]:
    """Reduce a storage to a descriptor, which is added to the message."""
    if storage.nbytes() == 0 or get_sharing_strategy() != "file_descriptor":
        return reduce_storage(storage)
    descriptor, size = storage._share_fd_cpu_()
    message.descriptors.append(os.dup(descriptor))
    return rebuild_storage_fd, (
        type(storage),
        _DescriptorReference(len(message.descriptors) - 1),
        size,
    )


def pack(value: Any) -> Message:
    """Pickle a value into a message."""
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
    """Send a message through a pipe that is a socket, and close its descriptors."""
    count = len(message.descriptors)
    with contextlib.closing(message):
        pipe.send_bytes(count.to_bytes(_COUNT_BYTES, "little") + message.data)
        if not count:
            return
        with socket.socket(fileno=os.dup(pipe.fileno())) as through:
            for start in range(0, count, _DESCRIPTORS_PER_MESSAGE):
                part = message.descriptors[start : start + _DESCRIPTORS_PER_MESSAGE]
                socket.send_fds(through, [b"d"], part)


def receive(pipe: Connection) -> Message:
    """Receive the next message; raise EOFError or OSError if the sender is gone."""
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
            data, received, flags, _ = socket.recv_fds(through, 1, _DESCRIPTORS_PER_MESSAGE)
            if not data:
                raise EOFError
            descriptors += received
            if flags & socket.MSG_CTRUNC:  # this process may not open the others
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def unpack(message: Message) -> Any:
    """Unpickle the value of a message; its tensors share the sender's memory."""
    _incoming.descriptors = dict(enumerate(message.descriptors))
    try:
        return pickle.loads(message.data)
    finally:
        for descriptor in _incoming.descriptors.values():
            os.close(descriptor)
        _incoming.descriptors = {}
