"""The format of event files: protocol buffer messages in checksummed records.

A record is its length (8 bytes), the masked CRC-32C of the length, the data, and the masked
CRC-32C of the data. The messages are TensorBoard's Event and Summary, of which only the fields
that are written are encoded here, as (field number, wire type, value).
https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping

import torch


def _crc_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _crc_table()


def masked_crc(data: bytes) -> int:
    """Return the checksum of a record's part."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def record(data: bytes) -> bytes:
    """Return the data as a record of a file."""
    length = struct.pack("<Q", len(data))
    return b"".join(
        (length, struct.pack("<I", masked_crc(length)), data, struct.pack("<I", masked_crc(data)))
    )


# ---- messages -----------------------------------------------------------------------------------


def varint(value: int) -> bytes:
    """Encode an integer without its field."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(field: int, value: int) -> bytes:
    """Encode an integer."""
    return varint(field << 3) + varint(value)


def double(field: int, value: float) -> bytes:
    """Encode a number of 64 bits."""
    return varint(field << 3 | 1) + struct.pack("<d", value)


def single(field: int, value: float) -> bytes:
    """Encode a number of 32 bits."""
    try:
        return varint(field << 3 | 5) + struct.pack("<f", value)
    except OverflowError:
        return varint(field << 3 | 5) + struct.pack(
            "<f", float("inf") if value > 0 else -float("inf")
        )


def message(field: int, value: bytes | str) -> bytes:
    """Encode a string, bytes or a message."""
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def doubles(field: int, values: Iterable[float]) -> bytes:
    """Encode a packed list of numbers."""
    return message(field, b"".join(struct.pack("<d", v) for v in values))


def event(time: float, step: int | None, content: bytes) -> bytes:
    """Encode an Event with its content: a file version or a summary."""
    return double(1, time) + (b"" if step is None else integer(2, step)) + content


FILE_VERSION = message(3, "brain.Event:2")


def summary(values: Iterable[bytes]) -> bytes:
    """Encode an Event's summary of several values."""
    return message(5, b"".join(message(1, value) for value in values))


# ---- values of a summary ------------------------------------------------------------------------


def scalar(tag: str, value: float) -> bytes:
    """Encode a number."""
    return message(1, tag) + single(2, value)


def tensor_scalar(tag: str, value: float) -> bytes:
    """Encode a number as a tensor without dimensions, in the new style."""
    data = (
        integer(1, 1) + message(2, b"") + varint(5 << 3 | 2) + varint(4) + struct.pack("<f", value)
    )
    return message(1, tag) + message(9, message(1, message(1, "scalars"))) + message(8, data)


def tensor_double(tag: str, value: float) -> bytes:
    """Encode a number of 64 bits as a tensor without dimensions."""
    data = integer(1, 2) + message(2, b"") + doubles(6, [value])
    return message(1, tag) + message(9, message(1, message(1, "scalars"))) + message(8, data)


def text(tag: str, value: str) -> bytes:
    """Encode a text."""
    shape = message(2, integer(1, 1))
    data = integer(1, 7) + message(2, shape) + message(8, value)
    plugin = message(1, message(1, "text") + message(2, b""))
    return message(1, f"{tag}/text_summary") + message(9, plugin) + message(8, data)


def histogram(tag: str, values: torch.Tensor, bins: object, max_bins: int | None) -> bytes:
    """Encode how many elements are in each interval."""
    flat = values.detach().reshape(-1).to(torch.float64)
    if not flat.numel():
        raise ValueError("The input has no element.")
    if bins == "tensorflow":
        edges = _default_edges()
    elif isinstance(bins, (int, str)):
        count = bins if isinstance(bins, int) else 64
        low, high = float(flat.min()), float(flat.max())
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = torch.linspace(low, high, count + 1, dtype=torch.float64)
    else:
        edges = torch.as_tensor(bins, dtype=torch.float64)
    places = torch.bucketize(flat, edges, right=True) - 1
    places = torch.where(flat == edges[-1], edges.numel() - 2, places)
    inside = places[(places >= 0) & (places < edges.numel() - 1)]
    counts = torch.bincount(inside, minlength=edges.numel() - 1).to(torch.float64)
    if max_bins is not None and counts.numel() > max_bins:
        step = counts.numel() // max_bins
        padded = torch.nn.functional.pad(counts, (0, -counts.numel() % step))
        counts = padded.reshape(-1, step).sum(1)
        edges = torch.cat([edges[:-1][::step], edges[-1:]])
    return message(1, tag) + message(5, _histogram_of(flat, counts, edges))


def _default_edges() -> torch.Tensor:
    positive = [1e-12]
    while positive[-1] < 1e20:
        positive.append(positive[-1] * 1.1)
    return torch.tensor([-v for v in reversed(positive)] + [0.0] + positive, dtype=torch.float64)


def _histogram_of(flat: torch.Tensor, counts: torch.Tensor, edges: torch.Tensor) -> bytes:
    used = counts.nonzero().reshape(-1)
    first, last = (int(used[0]), int(used[-1])) if used.numel() else (0, 0)
    limits = edges[first + 1 : last + 2].tolist()
    kept = counts[first : last + 1].tolist()
    limits = [float(edges[first]), *limits]
    kept = [0.0, *kept]
    return b"".join(
        (
            double(1, float(flat.min())),
            double(2, float(flat.max())),
            double(3, float(flat.numel())),
            double(4, float(flat.sum())),
            double(5, float(flat.dot(flat))),
            doubles(6, limits),
            doubles(7, kept),
        )
    )


def pixels(image: torch.Tensor, order: str) -> torch.Tensor:
    """Return an image, or a batch of them in a row, as (height, width, channels) of uint8."""
    if "N" in order and image.dim() == len(order):
        images = image.movedim(order.index("N"), 0)
        return torch.cat([pixels(each, order.replace("N", "")) for each in images], 1)
    if sorted(order) not in (["C", "H", "W"], ["H", "W"]) or image.dim() != len(order):
        raise ValueError(f"an image of {image.dim()} dimensions does not have the format {order}")
    image = image.detach()
    if image.dtype != torch.uint8:
        image = (image * 255).clamp(0, 255).to(torch.uint8)
    if "C" not in order:
        image, order = image.unsqueeze(-1), order + "C"
    image = image.permute([order.index(letter) for letter in "HWC"])
    return image.expand(-1, -1, 3) if image.size(2) == 1 else image


def image(tag: str, pixels: torch.Tensor) -> bytes:
    """Encode an image, (height, width, channels) of uint8."""
    height, width, channels = pixels.shape
    shown = integer(1, height) + integer(2, width) + integer(3, channels)
    return message(1, tag) + message(4, shown + message(4, png(pixels)))


def png(pixels: torch.Tensor) -> bytes:
    """Return an image, (height, width, channels) of uint8, as a PNG file."""
    height, width, channels = pixels.shape
    kinds = {1: 0, 2: 4, 3: 2, 4: 6}
    body = bytes(pixels.contiguous().reshape(-1).tolist())
    row = width * channels
    lines = b"".join(b"\0" + body[i * row : (i + 1) * row] for i in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, kinds[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(kind, part)
        for kind, part in ((b"IHDR", head), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def hyperparameters(
    values: Mapping[str, object],
    metrics: Iterable[str],
    domains: Mapping[str, Iterable[object]],
) -> tuple[bytes, bytes, bytes]:
    """Encode a run's parameters and the names of its metrics, as three values of summaries."""
    infos, given = b"", b""
    for name, value in values.items():
        if value is None:
            continue
        kind, encoded = _parameter(value)
        allowed = b"".join(message(1, _parameter(each)[1]) for each in domains.get(name, ()))
        info = message(1, name) + integer(4, kind)
        infos += message(4, info + (message(5, allowed) if name in domains else b""))
        given += message(1, message(1, name) + message(2, encoded))
    for name in metrics:
        infos += message(5, message(1, message(2, name)))
    return tuple(  # type: ignore[return-value]
        message(1, f"_hparams_/{tag}")
        + message(9, message(1, message(1, "hparams") + message(2, data)))
        for tag, data in (
            ("experiment", message(2, infos)),
            ("session_start_info", message(3, given)),
            ("session_end_info", message(4, integer(1, 1))),
        )
    )


def _parameter(value: object) -> tuple[int, bytes]:
    if isinstance(value, torch.Tensor):
        value = value.item()
    if isinstance(value, str):
        return 1, message(3, value)
    try:
        return 3, double(2, float(value))  # type: ignore[arg-type]
    except TypeError:
        raise ValueError("value should be one of int, float, str, bool, or torch.Tensor") from None
